// Bundles the libraries of the report with their licences: see run.
//
//     node build.mjs FOLDER
import {readFile, readdir, writeFile} from "node:fs/promises";
import {join} from "node:path";
import {build} from "esbuild";

const folder = process.argv[2];

const result = await build({
  entryPoints: ["libraries.js"],
  bundle: true,
  minify: true,
  charset: "ascii",
  format: "iife",
  globalName: "libraries",
  target: "es2022",
  legalComments: "none", // licences.txt has them all
  metafile: true,
  write: false,
});

// packagesIn names the packages of which something is bundled.
function packagesIn(metafile) {
  const inputs = Object.values(metafile.outputs)[0].inputs;
  const used = Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0);
  const names = used.map((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1]);
  return [...new Set(names.filter(Boolean))].sort();
}

async function readLicence(name) {
  const home = join("node_modules", name);
  const {version, license} = JSON.parse(await readFile(join(home, "package.json"), "utf8"));
  const file = (await readdir(home)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = (await readFile(join(home, file), "utf8")).trim().replaceAll("\r\n", "\n");
  return {title: `${name} ${version} (${license})`, text};
}

// Packages with the same licence text stand together.
function licencesText(licences) {
  const byText = new Map();
  for (const licence of licences) byText.set(licence.text, [...(byText.get(licence.text) ?? []), licence]);
  return [...byText].map(([text, group]) => [...group.map((l) => l.title), "", text, ""].join("\n")).join("\n");
}

const licences = await Promise.all(packagesIn(result.metafile).map(readLicence));
const code = result.outputFiles[0].text;
for (const forbidden of ["</script", "<!--", "new Function", "eval("]) {
  if (code.includes(forbidden)) throw new Error(`the bundle has ${forbidden}`);
}
await writeFile(join(folder, "libraries.js"), code);
await writeFile(join(folder, "licences.txt"), licencesText(licences));
