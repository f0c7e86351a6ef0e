// Bundles the extension into `out/extension.js`, and the licences of the packages in it into `out/licences.txt`.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";

const { metafile } = await build({
  entryPoints: ["src/extension.ts"],
  outfile: "out/extension.js",
  bundle: true,
  minify: true,
  platform: "node",
  format: "cjs",
  // The version of Node.js in the oldest supported VS Code.
  target: "node20",
  external: ["vscode"],
  metafile: true,
});

/** Returns the text of the licence of a package. */
function licence(folder) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) {
    throw new Error(`${folder} has no licence`);
  }
  return readFileSync(join(folder, file), "utf8").trim();
}

const folders = Object.keys(metafile.inputs).flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []);
const packages = [...new Set(folders)].sort();
const texts = packages.map((folder) => `${folder.replace(/^.*node_modules\//, "")}\n\n${licence(folder)}\n`);
writeFileSync("out/licences.txt", texts.join(`\n${"-".repeat(80)}\n\n`));
