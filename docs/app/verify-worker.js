// Verifies files for verify.js, which sends the program in base64.
import {run} from "./program.js";

self.onmessage = async ({data: {program, files, list}}) => {
  try {
    const bytes = Uint8Array.from(atob(program), (c) => c.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const module = await WebAssembly.compile(await new Response(plain).arrayBuffer());
    const args = ["verify", ...(list ? ["--full"] : []), "--", ...Object.keys(files)];
    self.postMessage({done: await run(module, args, files)});
  } catch (error) {
    self.postMessage({failed: `${error?.name}: ${error?.message ?? error}`});
  }
};
