// Runs the program, a WebAssembly.Module for WASI, in a worker: see run.
import {ConsoleStdout, Directory, File, OpenFile, PreopenDirectory, WASI} from "./vendor/libraries.js";

const blockSize = 1 << 20;
const blocksKept = 4;

// Slices is what a File of the shim needs of its bytes, read from a Blob by blocks when they are asked for.
class Slices {
  #reader = new FileReaderSync();
  #blocks = new Map(); // by number, the one that was read last at the end

  constructor(blob, onRead) {
    this.blob = blob;
    this.byteLength = blob.size;
    this.onRead = onRead;
  }

  // slice returns bytes from a position on, at least one before the end. A program asks again for what is missing.
  slice(from, to) {
    if (from >= this.byteLength) return new Uint8Array();
    const number = Math.floor(from / blockSize);
    const start = number * blockSize;
    let block = this.#blocks.get(number);
    if (!block) {
      block = new Uint8Array(this.#reader.readAsArrayBuffer(this.blob.slice(start, start + blockSize)));
      this.onRead?.(start + block.length);
    }
    this.#blocks.delete(number);
    this.#blocks.set(number, block);
    if (this.#blocks.size > blocksKept) this.#blocks.delete(this.#blocks.keys().next().value);
    return block.subarray(from - start, to - start);
  }
}

function inputFile(blob, onRead) {
  const file = new File([], {readonly: true});
  file.data = new Slices(blob, onRead);
  return file;
}

// The shim copies a whole file for each write at its end. Here data is the used part of a buffer that doubles.
function grow(file, size) {
  if (size <= file.data.length) return;
  let buffer = file.data.buffer;
  if (size > buffer.byteLength) {
    buffer = new ArrayBuffer(Math.max(size, 2 * buffer.byteLength, 4096));
    new Uint8Array(buffer).set(file.data);
  }
  file.data = new Uint8Array(buffer, 0, size);
}

function growing(method, sizeAfter) {
  const original = OpenFile.prototype[method];
  OpenFile.prototype[method] = function (...args) {
    if (!this.file.readonly) grow(this.file, Number(sizeAfter(this, ...args)));
    return original.apply(this, args);
  };
}
growing("fd_write", (open, data) => open.file_pos + BigInt(data.length));
growing("fd_pwrite", (open, data, offset) => offset + BigInt(data.length));
growing("fd_allocate", (open, offset, length) => offset + length);

// folder makes an empty folder, for run's output.
export const folder = () => new Directory([]);

// read returns the bytes of a file in a folder, or undefined.
export function read(folder, path) {
  const file = path.split("/").reduce((at, name) => at?.contents?.get(name), folder);
  return file?.data;
}

// sizes puts the shim's own sizes of arguments right: it counts UTF-16 units of a text, and writes UTF-8.
function sizes(wasi, instance) {
  const total = wasi.args.reduce((sum, arg) => sum + new TextEncoder().encode(arg).length + 1, 0);
  return (count, bytes) => {
    const memory = new DataView(instance().exports.memory.buffer);
    memory.setUint32(count, wasi.args.length, true);
    memory.setUint32(bytes, total, true);
    return 0;
  };
}

// run runs the program to its end. It works in a folder with each Blob of files, an object by name, to be read only. It
// sees output, a folder that can serve the next run, as /out. onLine(stream, text) gets the lines of "stdout" and "stderr" as
// they come, onRead(name, bytes) up to where the program has read a file. What it writes stays in memory.
export async function run(module, args, files = {}, {output = folder(), onLine, onRead} = {}) {
  const said = {stdout: "", stderr: ""};
  const stream = (name) => {
    const decoder = new TextDecoder();
    let begun = "";
    return new ConsoleStdout((bytes) => {
      const text = decoder.decode(bytes, {stream: true});
      said[name] += text;
      const lines = (begun + text).split("\n");
      begun = lines.pop();
      for (const line of lines) onLine?.(name, line);
    });
  };
  const inputs = Object.entries(files).map(([name, blob]) => [name, inputFile(blob, (bytes) => onRead?.(name, bytes))]);
  const root = new PreopenDirectory("/", [["in", new Directory(inputs)], ["out", output], ["tmp", folder()]]);
  const streams = [new OpenFile(new File([])), stream("stdout"), stream("stderr")];
  // Go's own measure for collections takes less time here than the program's, and about as much memory.
  const environment = ["PWD=/in", "HOME=/tmp", "TMPDIR=/tmp", "GOGC=100", "GOMEMLIMIT=3GiB"];
  const wasi = new WASI(["robotsaudit", ...args], environment, [...streams, root], {debug: false});
  let instance;
  wasi.wasiImport.args_sizes_get = sizes(wasi, () => instance);
  instance = await WebAssembly.instantiate(module, {wasi_snapshot_preview1: wasi.wasiImport});
  const code = wasi.start(instance);
  return {code, ...said};
}
