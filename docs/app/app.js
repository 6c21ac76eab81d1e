// The page: files in, report and tables out. All work is done in a worker: see worker.js.
//
// Texts of archives reach the page as textContent only, and as the report, which has a frame and a policy of its own.
import "./files.js";
import {verified} from "./verified.js";

const {version, sample} = self.site;
const limit = 2e9; // bytes
const pageSize = 25;
const cancelled = "cancelled";
const needed = "Chrome or Edge 95, Firefox 114, Safari 16.4, or a later one";

const $ = (id) => document.getElementById(id);

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function size(bytes) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 1000) {
    bytes /= 1000;
    unit++;
  }
  return `${Number(bytes.toPrecision(3))} ${units[unit]}`;
}

// ---- the program and its workers ----

// loadProgram fetches and compiles the program, once. onShare gets how much of it has come.
async function loadProgram(onShare) {
  const response = await fetch("robotsaudit.wasm.gz");
  if (!response.ok) throw new Error(`the program cannot be loaded (${response.status})`);
  const total = Number(response.headers.get("Content-Length"));
  let loaded = 0;
  const counted = response.body.pipeThrough(new TransformStream({
    transform(bytes, controller) {
      loaded += bytes.length;
      if (total) onShare(Math.min(1, loaded / total));
      controller.enqueue(bytes);
    },
  }));
  // A server that says "Content-Encoding: gzip" has the browser decompress it.
  const isPlain = response.headers.get("Content-Encoding") === "gzip";
  const program = isPlain ? counted : counted.pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(program, {headers: {"Content-Type": "application/wasm"}}));
}

// A Helper is a worker with the program. It starts from a blob, as only so this page's policy holds in it, too.
class Helper {
  #asked = new Map();
  #last = 0;

  constructor(module) {
    const source = new Blob([`import ${JSON.stringify(new URL("worker.js", location).href)};`], {type: "text/javascript"});
    const url = URL.createObjectURL(source);
    this.worker = new Worker(url, {type: "module"});
    this.worker.onmessage = ({data: {id, done, failed, told}}) => {
      const {onTold, resolve, reject} = this.#asked.get(id);
      if (told) return onTold?.(told);
      this.#asked.delete(id);
      if (failed) reject(new Error(failed));
      else resolve(done);
    };
    this.worker.onerror = (event) => this.end(event.message || "the worker ended");
    this.ask("start", {module}).finally(() => URL.revokeObjectURL(url)).catch(() => {});
  }

  ask(task, options, onTold) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, {resolve, reject, onTold});
      this.worker.postMessage({id, task, options});
    });
  }

  end(why) {
    this.worker.terminate();
    for (const {reject} of this.#asked.values()) reject(new Error(why));
    this.#asked.clear();
  }
}

let program; // a promise of the module
let helper; // which has the results that are shown
let asking; // the one of the question to one robots.txt

function needProgram() {
  program ??= loadProgram((share) => showProgress(`Loading the program`, share)).catch((error) => {
    program = undefined; // to be tried again
    throw error;
  });
  return program;
}

// ---- an audit or a verification ----

function showProgress(text, share) {
  $("doing").textContent = text;
  $("progress").value = share;
}

function setRunning(isRunning) {
  $("running").hidden = !isRunning;
  $("files").disabled = $("sample").disabled = isRunning;
  $("drop").setAttribute("aria-busy", String(isRunning));
  if (isRunning) addEventListener("beforeunload", keepOpen);
  else removeEventListener("beforeunload", keepOpen);
}

// The browser asks whether to leave the page.
function keepOpen(event) {
  event.preventDefault();
  event.returnValue = "";
}

async function work(list) {
  if (!list.length || !$("running").hidden) return;
  const total = list.reduce((sum, file) => sum + file.size, 0);
  hideResult();
  if (total > limit) {
    const what = list.length === 1 ? `${list[0].name} has ${size(total)}` : `These files have ${size(total)}`;
    return showResult("Too large", "bad", [`${what}. This page takes up to ${size(limit)}.`,
      "Install the program: it reads archives of any size. Or drop fewer files."]);
  }
  const files = Object.fromEntries(uniqueNames(list));
  setRunning(true);
  showProgress("Loading the program", 0);
  $("status").textContent = "Started.";
  $("cancel").focus();
  const begin = performance.now();
  try {
    helper?.end(cancelled);
    const stop = new AbortController();
    const ended = new Promise((_, reject) => {
      $("cancel").onclick = () => {
        stop.abort();
        reject(new Error(cancelled));
      };
    });
    await Promise.race([doWork(list, files, stop.signal), ended]);
    const failed = $("message").classList.contains("bad");
    $("status").textContent = failed ? "" : `Done in ${((performance.now() - begin) / 1000).toFixed(1)} seconds.`;
  } catch (error) {
    helper?.end(cancelled);
    helper = undefined;
    $("status").textContent = error.message === cancelled ? "Cancelled. Nothing is kept." : "";
    setRunning(false);
    $("files").focus();
    showFailure(error instanceof DOMException ? `${error.name}: ${error.message}` : error.message);
  } finally {
    setRunning(false);
  }
}

async function doWork(list, files, signal) {
  const module = await needProgram();
  const isEvidence = (await Promise.all(list.map(isVerified))).every(Boolean);
  if (signal.aborted) return;
  showProgress(isEvidence ? "Verifying" : "Reading", 0);
  helper = new Helper(module);
  if (isEvidence) return showVerified(Object.keys(files), await helper.ask("verify", {files}));
  let said = 0;
  const told = ({name, read, total}) => {
    const share = total ? read / total : 1;
    showProgress(share < 1 ? `Reading ${name}: ${size(read)} of ${size(total)}` : "Deciding", share);
    if (Math.floor(share * 10) > said) {
      said = Math.floor(share * 10);
      $("status").textContent = `${said * 10} % read`;
    }
  };
  showAudit(await helper.ask("audit", {files, flags: flags()}, told));
}

// flags are those of the options that are set. Each field has its flag's name.
const flags = () => ["crawler", "agents", "purpose"].map((id) => [id, $(id).value.trim()])
  .filter(([, value]) => value).map(([id, value]) => `--${id}=${value}`);

// Files of several folders can have the same name.
function uniqueNames(list) {
  const seen = new Set();
  return list.map((file) => {
    let name = file.name;
    for (let i = 2; seen.has(name); i++) name = `${i}-${file.name}`;
    seen.add(name);
    return [name, file];
  });
}

// isVerified reports whether a file is a bundle of evidence, or a report, which goes with one, by its beginning.
async function isVerified(file) {
  const start = new Uint8Array(await file.slice(0, 1024).arrayBuffer()); // little: of a chunk with damage, Firefox inflates nothing
  let bytes = start;
  if (start[0] === 0x1f && start[1] === 0x8b) {
    const reader = new Blob([start]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
    bytes = (await reader.read().catch(() => ({}))).value ?? start;
    reader.cancel().catch(() => {});
  }
  const text = new TextDecoder().decode(bytes.subarray(0, 4096));
  return text.includes("urn:robotsaudit:evidence:manifest") ||
    text.startsWith("<") && text.includes('<meta name="generator" content="robotsaudit">');
}

// ---- results ----

function hideResult() {
  $("result").hidden = $("outputs").hidden = $("details").hidden = $("explained").hidden = true;
  $("report").removeAttribute("srcdoc");
}

function showResult(title, kind, [first, ...rest], details = "") {
  $("result-title").textContent = title;
  $("message").className = `message ${kind}`;
  const lines = rest.length ? [element("ul", {}, ...rest.map((text) => element("li", {textContent: text})))] : [];
  $("message").replaceChildren(element("p", {}, element("strong", {textContent: first})), ...lines);
  $("details").textContent = details;
  $("details").hidden = !details;
  $("result").hidden = false;
  setRunning(false);
  $("result").focus();
}

const outOfMemory = /out of memory|cannot allocate memory|allocation failed|invalid array (buffer )?length|could not allocate/i;

function showFailure(text) {
  if (text === cancelled) return;
  if (outOfMemory.test(text)) {
    return showResult("Not enough memory", "bad", ["The memory that the browser gives a page was not enough.",
      "Close other tabs, drop fewer files, or install the program: it needs little memory."], text.slice(0, 2000));
  }
  if (text.startsWith("NotReadableError") || text.startsWith("NotFoundError")) {
    return showResult("Not read", "bad", ["A file could not be read to its end.",
      "It was changed, moved or removed meanwhile, or it is a folder. Choose files again."]);
  }
  const [reason, ...rest] = warnings(text);
  if (rest.length === 0) return showResult("Failed", "bad", [reason]);
  showResult("Failed", "bad", ["The program failed."], text.slice(0, 20000));
}

// warnings are the lines of standard error, without the program's name.
const warnings = (text) => text.split("\n").filter(Boolean).map((line) => line.replace(/^robotsaudit: /, ""));

function showAudit({code, stderr, tables, report}) {
  if (code !== 0 && code !== 3) return showFailure(stderr);
  const said = warnings(stderr);
  const rows = Object.fromEntries(tables.map(({name, rows}) => [name, rows]));
  if (code === 3 && !rows.fetches) {
    showResult("Nothing to audit", "bad", ["No fetch was found.", ...said]);
  } else if (code === 3) {
    showResult("Report", "doubt", ["Done, but some input could not be read completely. Fetches may be missing.", ...said]);
  } else {
    showResult("Report", "good", ["Done. All input was read.", ...said]);
  }
  if (!rows.fetches) return;
  $("report").srcdoc = report; // under this page's policy and its own, together
  $("save-report").onclick = () => save("report.html", new Blob([report], {type: "text/html"}));
  $("save-bundle").disabled = !rows.violations;
  $("table").replaceChildren(...tables.map(({name, rows}) =>
    element("option", {value: name, textContent: `${name} (${rows.toLocaleString("en")})`})));
  $("table").value = rows.violations ? "violations" : "fetches";
  $("words").value = "";
  $("outputs").hidden = false;
  showTable();
}

function showVerified(names, ended) {
  if (outOfMemory.test(ended.stderr)) return showFailure(ended.stderr);
  const [kind, ...texts] = verified(names, ended);
  showResult("Evidence", kind, texts, ended.stdout + ended.stderr);
}

function save(name, file) {
  const link = element("a", {download: name, href: URL.createObjectURL(file)});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// guard shows what fails on the way, and has the button wait.
const guard = (button, action) => async () => {
  button.disabled = true;
  try {
    await action();
  } catch (error) {
    showFailure(error.message);
  } finally {
    button.disabled = false;
  }
};

$("save-bundle").onclick = guard($("save-bundle"), async () => {
  const {file, stdout, stderr} = await helper.ask("bundle", {});
  if (file) save("evidence.warc.gz", file);
  else throw new Error(stdout + stderr);
});
for (const [kind, ending] of [["parquet", "parquet"], ["csv", "csv"]]) {
  const button = $(`save-${kind}`);
  button.onclick = guard(button, async () => {
    const table = $("table").value;
    save(`${table}.${ending}`, await helper.ask(kind, {table}));
  });
}

// ---- tables ----

let starts = [0]; // the first rows of the pages so far
let following; // the first row of the next page
let asked = 0;

function showTable() {
  starts = [0];
  showRows();
}

async function showRows() {
  const mine = ++asked;
  const table = $("table").value;
  const words = $("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  $("table-status").textContent = "Searching …";
  let rows;
  try {
    ({rows, next: following} = await helper.ask("rows", {table, words, from: starts.at(-1), most: pageSize}));
  } catch (error) {
    return showFailure(error.message);
  }
  if (mine !== asked) return;
  const filled = new Set(rows.flatMap(({cells}) => cells.filter(([, text]) => text).map(([name]) => name)));
  const names = [...(rows[0]?.cells ?? [])].map(([name]) => name).filter((name) => filled.has(name));
  const explains = names.includes("warc_record_offset") && names.includes("verdict");
  $("table-head").replaceChildren(element("th", {scope: "col", textContent: "row"}),
    ...(explains ? [element("th", {scope: "col", textContent: "why"})] : []),
    ...names.map((name) => element("th", {scope: "col", textContent: name})));
  $("rows").replaceChildren(...rows.map(({number, cells}) => {
    const values = Object.fromEntries(cells);
    const what = table === "violations" ? String(number) : `${values.warc_filename}:${values.warc_record_offset}`;
    const button = element("button", {type: "button", textContent: "Explain", onclick: () => explain(what)});
    button.setAttribute("aria-label", `Explain row ${number}`);
    return element("tr", {}, element("td", {className: "short", textContent: number}),
      ...(explains ? [element("td", {}, button)] : []),
      ...names.map((name) => element("td", {className: values[name].length < 30 ? "short" : "", textContent: values[name]})));
  }));
  const first = (starts.length - 1) * pageSize;
  $("table-status").textContent = rows.length === 0 ? (words.length ? "No row matches." : "The table has no rows.")
    : `${words.length ? "Matches" : "Rows"} ${first + 1}–${first + rows.length}. Columns that are empty in all of them are left out.`;
  $("previous").disabled = starts.length === 1;
  $("next").disabled = following === undefined;
  $("scroll").scrollTo(0, 0);
}

$("table").onchange = () => {
  $("words").value = "";
  showTable();
};
let typing;
$("words").oninput = () => {
  clearTimeout(typing);
  typing = setTimeout(showTable, 250);
};
$("next").onclick = () => {
  starts.push(following);
  showRows();
};
$("previous").onclick = () => {
  starts.pop();
  showRows();
};
$("table-form").onsubmit = (event) => event.preventDefault();

async function explain(what) {
  $("explanation").textContent = "Looking …";
  $("explained").hidden = false;
  $("explained").focus();
  try {
    const {stdout, stderr} = await helper.ask("explain", {what});
    $("explanation").textContent = stdout + warnings(stderr).join("\n");
  } catch (error) {
    showFailure(error.message);
  }
}

// ---- one robots.txt ----

$("match").onsubmit = (event) => {
  event.preventDefault();
  guard($("ask"), async () => {
    $("answer").hidden = false;
    $("answer").textContent = "Asking …";
    asking ??= new Helper(await needProgram());
    const options = {robots: $("robots").value, agent: $("agent").value.trim(), url: $("url").value.trim()};
    const {stdout, stderr} = await asking.ask("match", options);
    $("answer").textContent = (stdout + warnings(stderr).join("\n")).trim();
  })();
};

// ---- start ----

async function loadSample() {
  const files = await Promise.all(sample.map(async (path) => {
    const response = await fetch(path);
    if (!response.ok) throw new Error(`the sample cannot be loaded (${response.status})`);
    return new File([await response.blob()], path.split("/").pop());
  }));
  work(files);
}

// A browser that knows no workers of modules does not ask for the type.
function hasModuleWorkers() {
  let hasAsked = false;
  const url = URL.createObjectURL(new Blob([]));
  new Worker(url, {get type() { hasAsked = true; return "module"; }}).terminate();
  URL.revokeObjectURL(url);
  return hasAsked;
}

function start() {
  const missing = [["WebAssembly", self.WebAssembly?.compileStreaming], ["DecompressionStream", self.DecompressionStream],
    ["workers of modules", hasModuleWorkers()]].filter(([, has]) => !has).map(([name]) => name);
  if (missing.length) {
    $("not-started").replaceChildren(element("p", {textContent:
      `This browser is too old: it has no ${missing.join(", no ")}. The page needs ${needed}.`}));
    return;
  }
  $("not-started").hidden = true;
  $("limit").textContent = size(limit);
  $("version").textContent = version;
  for (const id of ["files", "sample", "ask"]) $(id).disabled = false;
  $("files").onchange = () => {
    const list = [...$("files").files];
    $("files").value = "";
    work(list);
  };
  $("sample").onclick = () => loadSample().catch((error) => showFailure(error.message));
  for (const kind of ["dragover", "dragleave", "drop"]) {
    addEventListener(kind, (event) => {
      event.preventDefault(); // else the browser opens the file
      $("drop").classList.toggle("over", kind === "dragover");
      if (kind === "drop") work([...event.dataTransfer.files]);
    });
  }
  needProgram().catch(() => {}).finally(() => navigator.serviceWorker?.register("sw.js").catch(() => {}));
}

start();
