// Tests the contents of the packaged extension.

import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
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
  assert.ok(read("extension.vsixmanifest").includes(identity));
  const workspace = readFileSync(join(SOURCES, "../../../../Cargo.toml"), "utf8");
  assert.equal(manifest.version, workspace.match(/^version = "(.*)"$/m)[1]);
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
