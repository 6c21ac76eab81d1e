// Runs a program of WebAssembly under Node's WASI, with this machine's files: node wasi.mjs PROGRAM [ARGUMENTS...]
// Node 20 needs --no-turbo-fast-api-calls: without, its fast calls damage its memory, and it crashes.
import {readFile} from "node:fs/promises";
import {WASI} from "node:wasi";

const [program, ...args] = process.argv.slice(2);
const env = {...process.env, PWD: process.cwd()};
const wasi = new WASI({version: "preview1", args: [program, ...args], env, preopens: {"/": "/"}, returnOnExit: true});
const {instance} = await WebAssembly.instantiate(await readFile(program), wasi.getImportObject());
process.exitCode = wasi.start(instance);
