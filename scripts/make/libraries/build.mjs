// Bundles libraries with their licences: see run.
//
//     node build.mjs FOLDER
import {mkdir, readFile, readdir, writeFile} from "node:fs/promises";
import {dirname, join} from "node:path";
import {build} from "esbuild";

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
  const file = (await readdir(home)).find((entry) => /^licen[cs]e/i.test(entry) && !/apache/i.test(entry));
  const text = (await readFile(join(home, file), "utf8")).trim().replaceAll("\r\n", "\n");
  return {title: `${name} ${version} (${license})`, text};
}

// Packages with the same licence text stand together.
function licencesText(licences) {
  const byText = new Map();
  for (const licence of licences) byText.set(licence.text, [...(byText.get(licence.text) ?? []), licence]);
  return [...byText].map(([text, group]) => [...group.map((l) => l.title), "", text, ""].join("\n")).join("\n");
}

// bundle writes what an entry names into a file, and licences.txt beside it.
async function bundle(entry, file, form) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    charset: "ascii",
    target: "es2022",
    legalComments: "none", // licences.txt has them all
    metafile: true,
    write: false,
    ...form,
  });
  const licences = await Promise.all(packagesIn(result.metafile).map(readLicence));
  const code = result.outputFiles[0].text;
  for (const forbidden of ["</script", "<!--", "new Function", "eval("]) {
    if (code.includes(forbidden)) throw new Error(`the bundle has ${forbidden}`);
  }
  await mkdir(dirname(file), {recursive: true});
  await writeFile(file, code);
  await writeFile(join(dirname(file), "licences.txt"), licencesText(licences));
}

const folder = process.argv[2];
await bundle("libraries.js", join(folder, "report/html/assets/libraries.js"), {format: "iife", globalName: "libraries"});
await bundle("app.js", join(folder, "docs/app/vendor/libraries.js"), {format: "esm"});
