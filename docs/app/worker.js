// Does the work of the page beside it: audits, and what is asked of their results.
import {folder, read, run} from "./program.js";
import {parquetMetadataAsync, parquetReadObjects, parquetSchema, zstd} from "./vendor/libraries.js";

const state = {module: undefined, files: {}, output: folder()};

function program(args, files = state.files, hear = {}) {
  return run(state.module, args, files, {output: state.output, ...hear});
}

const blob = (path, type) => new Blob([read(state.output, path)], {type});

const tasks = {
  start({module}) {
    state.module = module;
  },

  // audit returns how it ended, and which tables there are. What it tells meanwhile is how many bytes were read.
  async audit({files, flags}, tell) {
    Object.assign(state, {files, output: folder()});
    const names = Object.keys(files);
    const total = names.reduce((sum, name) => sum + files[name].size, 0);
    const reached = Object.fromEntries(names.map((name) => [name, 0]));
    let told = 0;
    const onRead = (name, bytes) => {
      reached[name] = Math.max(reached[name], bytes);
      if (performance.now() - told < 200) return;
      told = performance.now();
      tell({name, read: Object.values(reached).reduce((a, b) => a + b, 0), total});
    };
    const args = ["audit", "--quiet", "--workers", "1", "-o", "/out", ...flags, ...names.map((name) => `/in/${name}`)];
    const ended = await program(args, files, {onRead});
    const tables = [];
    for (const file of state.output.contents.keys()) {
      const [name, ending] = file.split(".");
      if (ending === "parquet") tables.push({name, rows: (await open(name)).rows});
    }
    return {...ended, tables, report: new TextDecoder().decode(read(state.output, "report.html"))};
  },

  verify: ({files}) => program(["verify", "--", ...Object.keys(files)], files),
  explain: ({what}) => program(["explain", "/out", "--", what]),
  match: ({robots, agent, url}) =>
    program(["match", "--full", "--", "/in/robots.txt", agent, url], {"robots.txt": new Blob([robots])}),

  bundle: () => made("evidence.warc.gz", "application/gzip", ["evidence", "/out", "--to"]),

  // rows returns at most so many rows that have all words, from one on, and where the next ones begin.
  async rows({table, words, from, most}) {
    const opened = await open(table);
    const found = [];
    for (let at = from; at < opened.rows;) {
      const block = await opened.read(at, Math.min(opened.rows, at + (words.length ? 1000 : most)));
      for (const row of block) {
        const text = words.length ? Object.values(row).map(shown).join("\n").toLowerCase() : "";
        if (words.every((word) => text.includes(word))) {
          if (found.length === most) return {rows: found, next: at};
          found.push({number: at + 1, cells: Object.entries(row).map(([name, value]) => [name, shown(value)])});
        }
        at++;
      }
    }
    return {rows: found};
  },

  parquet: ({table}) => blob(`${table}.parquet`, "application/vnd.apache.parquet"),

  // csv is for spreadsheets, so no text is a formula.
  async csv({table}) {
    const opened = await open(table);
    const parts = ["\ufeff", line(opened.columns)];
    for (let at = 0; at < opened.rows; at += 1000) {
      const block = await opened.read(at, Math.min(opened.rows, at + 1000));
      parts.push(block.map((row) => line(Object.values(row).map(cell))).join(""));
    }
    return new Blob(parts, {type: "text/csv"});
  },
};

// made runs a command that writes a file, and returns it. With code 3 some records are missing, as the file says.
async function made(name, type, command) {
  const ended = await program([...command, `/out/${name}`]);
  return {...ended, file: [0, 3].includes(ended.code) ? blob(name, type) : undefined};
}

// open returns a table: how many rows, which columns, and a way to read rows.
async function open(name) {
  const bytes = read(state.output, `${name}.parquet`);
  const file = {byteLength: bytes.length, slice: (from, to) => bytes.slice(from, to).buffer};
  const metadata = await parquetMetadataAsync(file);
  const options = {
    file,
    metadata,
    compressors: {ZSTD: (input, length) => zstd(input, new Uint8Array(length))},
    parsers: {timestampFromMicroseconds: moment},
    useOffsetIndex: true,
  };
  return {
    rows: Number(metadata.num_rows),
    columns: parquetSchema(metadata).children.map((column) => column.element.name),
    read: (rowStart, rowEnd) => parquetReadObjects({...options, rowStart, rowEnd}),
  };
}

// moment writes microseconds since 1970 in UTC.
function moment(micros) {
  const seconds = new Date(Number(micros / 1000n)).toISOString().slice(0, 19);
  const rest = ((micros % 1000000n) + 1000000n) % 1000000n;
  return `${seconds}${rest ? `.${String(rest).padStart(6, "0").replace(/0+$/, "")}` : ""}Z`;
}

// shown is a value as text, in which what cannot be seen is escaped.
function shown(value) {
  if (value === null || value === undefined) return "";
  const text = Array.isArray(value) ? value.map((v) => v.word ?? v).join("; ") : String(value); // of a ground its word
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => `\\u${c.codePointAt(0).toString(16).padStart(4, "0")}`);
}

function cell(value) {
  const text = shown(value);
  const formula = typeof value !== "number" && typeof value !== "bigint" && /^ *[=+\-@＝＋－＠]/.test(text);
  return formula ? `'${text}` : text;
}

const line = (cells) => `${cells.map((c) => (/[",\r\n]/.test(c) ? `"${c.replaceAll('"', '""')}"` : c)).join(",")}\r\n`;

self.onmessage = async ({data: {id, task, options}}) => {
  try {
    const done = await tasks[task](options, (told) => self.postMessage({id, told}));
    self.postMessage({id, done});
  } catch (error) {
    self.postMessage({id, failed: `${error?.name}: ${error?.message ?? error}`});
  }
};
