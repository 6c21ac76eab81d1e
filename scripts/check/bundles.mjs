// Verifies files under Node's WASI: node bundles.mjs PROGRAM FILE... prints a line of JSON for each.
import {closeSync, openSync, readFileSync} from "node:fs";
import {WASI} from "node:wasi";

const [program, ...files] = process.argv.slice(2);
const module = await WebAssembly.compile(readFileSync(program));
const env = {...process.env, PWD: process.cwd()};
for (const file of files) {
  const [stdout, stderr] = ["stdout", "stderr"].map((name) => openSync(name, "w"));
  const args = ["robotsaudit", "verify", file, "--full"];
  const wasi = new WASI({version: "preview1", args, env, preopens: {"/": "/"}, stdout, stderr, returnOnExit: true});
  const code = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
  [stdout, stderr].forEach(closeSync);
  console.log(JSON.stringify({code, stdout: readFileSync("stdout", "utf8"), stderr: readFileSync("stderr", "utf8")}));
}
