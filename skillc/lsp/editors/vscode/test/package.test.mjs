// Tests the contents of the packaged extension, and the licences of the packages that it is built with.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";

import { newFolder, SOURCES, unpack } from "./unpack.mjs";

/** The maximum size of the package, in bytes. */
const MAX_BYTES = 200_000;

let folder;
let files;

before(async () => {
  folder = newFolder();
  files = await unpack(folder);
});

after(() => rmSync(folder, { recursive: true, force: true }));

const read = (path) => readFileSync(join(folder, path), "utf8");

test("the package contains the program, its description and licences only", () => {
  assert.deepEqual(files, [
    "[Content_Types].xml",
    "extension.vsixmanifest",
    "extension/out/extension.js",
    "extension/out/licences.txt",
    "extension/package.json",
    "extension/readme.md",
  ]);
  assert.ok(statSync(join(SOURCES, "out/skillc.vsix")).size < MAX_BYTES);
});

test("the manifest names the extension and its version", () => {
  const manifest = JSON.parse(read("extension/package.json"));
  assert.ok(files.includes(join("extension", manifest.main)));
  const identity = `Id="${manifest.name}" Version="${manifest.version}" Publisher="${manifest.publisher}"`;
  const packed = read("extension.vsixmanifest");
  assert.ok(packed.includes(identity));
  assert.ok(packed.includes(`Id="Microsoft.VisualStudio.Code.Engine" Value="${manifest.engines.vscode}"`));
  assert.ok(packed.includes(`<Tags>${manifest.keywords.join()}</Tags>`));
  const workspace = readFileSync(join(SOURCES, "../../../../Cargo.toml"), "utf8");
  assert.equal(manifest.version, workspace.match(/^version = "(.*)"$/m)[1]);
});

test("all files that the manifest names are there, and all files have a media type", () => {
  const named = [...read("extension.vsixmanifest").matchAll(/ Path="([^"]+)"/g)].map(([, path]) => path);
  assert.deepEqual(named, ["extension/package.json", "extension/readme.md"]);
  assert.ok(named.every((path) => files.includes(path)));
  const types = [...read("[Content_Types].xml").matchAll(/ Extension="([^"]+)"/g)].map(([, end]) => end);
  const ends = files.map((path) => extname(path)).filter((end) => end !== ".xml");
  assert.deepEqual(types.sort(), [...new Set(ends)].sort());
});

test("the same sources give the same package, at any time and in any time zone", () => {
  const again = join(folder, "again.vsix");
  for (const TZ of ["Pacific/Auckland", "America/Los_Angeles"]) {
    execFileSync(process.execPath, [join(SOURCES, "package.mjs"), again], { cwd: folder, env: { ...process.env, TZ } });
    assert.ok(readFileSync(again).equals(readFileSync(join(SOURCES, "out/skillc.vsix"))), TZ);
  }
});

test("the program of a workspace's settings is never started", () => {
  const manifest = JSON.parse(read("extension/package.json"));
  assert.equal(manifest.contributes.configuration.properties["skillc.path"].scope, "machine");
});

test("the program needs nothing but VS Code and Node.js", () => {
  const needed = [...read("extension/out/extension.js").matchAll(/\brequire\("([^"]+)"\)/g)];
  const names = new Set(needed.map(([, name]) => name.replace(/^node:/, "")));
  assert.ok(names.delete("vscode"));
  assert.deepEqual([...names].filter((name) => !builtinModules.includes(name)), []);
});

test("each package in the bundle has its licence", () => {
  const licences = read("extension/out/licences.txt").split(`\n${"-".repeat(80)}\n\n`);
  assert.ok(licences.some((text) => text.startsWith("vscode-languageclient\n\n")));
  assert.ok(licences.every((text) => text.length > 500), licences.join());
});

// The client library requires a version of minimatch that is licensed under BlueOak-1.0.0; `overrides` in package.json
// replaces it with the last version under ISC.
test("all packages have a licence that the policy for dependencies allows", () => {
  const policy = readFileSync(join(SOURCES, "../../../../.deny.toml"), "utf8");
  const allowed = policy.match(/^allow = \[([^\]]*)\]/m)[1].match(/[^"\s,]+/g);
  assert.ok(allowed.includes("MIT"), policy);
  const { packages } = JSON.parse(readFileSync(join(SOURCES, "package-lock.json"), "utf8"));
  assert.ok(Object.keys(packages).length > 10);
  const isAllowed = ({ license = "" }) => license.split(" OR ").some((one) => allowed.includes(one));
  const refused = Object.entries(packages).filter(([, one]) => !isAllowed(one));
  assert.deepEqual(refused.map(([path, { license }]) => `${path}: ${license}`), []);
});

test("the readme describes all settings and commands", () => {
  const { commands, configuration } = JSON.parse(read("extension/package.json")).contributes;
  const readme = read("extension/readme.md");
  for (const { category, title } of commands) {
    assert.ok(readme.includes(`*${category}: ${title}*`), title);
  }
  for (const name of Object.keys(configuration.properties).filter((name) => name !== "skillc.trace.server")) {
    assert.ok(readme.includes(`\`${name}\``), name);
  }
});
