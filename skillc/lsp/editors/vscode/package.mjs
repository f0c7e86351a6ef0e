// Bundles the extension and packs it, with its manifests and the licences of the bundled packages, into
// `out/skillc.vsix` or the file given as an argument. The build is reproducible: the same sources always give the same
// bytes.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import { strToU8, zipSync } from "fflate";

const SOURCES = dirname(fileURLToPath(import.meta.url));

/** The modification time of all files, in local time, as in any zip file. Some tools reject the earliest dates. */
const TIME = new Date(1980, 0, 2, 12);

/** Returns the content of a source file. */
const read = (...path) => readFileSync(join(SOURCES, ...path), "utf8");

const extension = JSON.parse(read("package.json"));
const { metafile, outputFiles } = await build({
  absWorkingDir: SOURCES,
  entryPoints: ["src/extension.ts"],
  write: false,
  bundle: true,
  minify: true,
  platform: "node",
  format: "cjs",
  target: "node20", // The version of Node.js in the oldest supported VS Code.
  external: ["vscode"],
  metafile: true,
});

/** Returns the name of a package and the text of its licence. */
function licence(folder) {
  const file = readdirSync(join(SOURCES, folder)).sort().find((name) => /^licen[cs]e/i.test(name));
  assert(file, `${folder} has no licence`);
  return `${folder.replace(/^.*node_modules\//, "")}\n\n${read(folder, file).trim()}\n`;
}

const sources = Object.keys(metafile.inputs);
const folders = new Set(sources.flatMap((path) => path.match(/^.*node_modules\/(@[^/]+\/)?[^/]+/)?.[0] ?? []));
const licences = [...folders].sort().map(licence).join(`\n${"-".repeat(80)}\n\n`);

const escaped = (text) => text.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`);
const property = (id, value) => `<Property Id="Microsoft.VisualStudio.${id}" Value="${escaped(value)}" />`;
const asset = (type, path) => `<Asset Type="Microsoft.VisualStudio.${type}" Path="${path}" Addressable="true" />`;
const manifest = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${extension.name}" Version="${extension.version}" Publisher="${extension.publisher}" />
    <DisplayName>${escaped(extension.displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(extension.description)}</Description>
    <Tags>${escaped(extension.keywords.join())}</Tags>
    <Categories>${escaped(extension.categories.join())}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
      ${property("Code.Engine", extension.engines.vscode)}
      ${property("Code.ExtensionKind", extension.extensionKind.join())}
      ${property("Code.ExecutesCode", "true")}
      ${property("Services.GitHubFlavoredMarkdown", "true")}
      ${property("Services.Content.Pricing", "Free")}
    </Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code" /></Installation><Dependencies />
  <Assets>
    ${asset("Code.Manifest", "extension/package.json")}
    ${asset("Services.Content.Details", "extension/readme.md")}
  </Assets>
</PackageManifest>
`;
const typed = (end, type) => `<Default Extension=".${end}" ContentType="${type}" />`;
const types = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  ${typed("js", "application/javascript")}${typed("json", "application/json")}
  ${typed("md", "text/markdown")}${typed("txt", "text/plain")}${typed("vsixmanifest", "text/xml")}
</Types>
`;
const files = {
  "[Content_Types].xml": types,
  "extension.vsixmanifest": manifest,
  "extension/out/extension.js": outputFiles[0].text,
  "extension/out/licences.txt": licences,
  "extension/package.json": read("package.json"),
  "extension/readme.md": read("README.md"),
};
const packed = Object.entries(files).map(([path, text]) => [path, strToU8(text)]);
mkdirSync(join(SOURCES, "out"), { recursive: true });
const target = process.argv[2] ?? join(SOURCES, "out/skillc.vsix");
writeFileSync(target, zipSync(Object.fromEntries(packed), { level: 9, mtime: TIME }));
