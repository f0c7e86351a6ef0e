// Tests how the program is found and started.

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { build } from "esbuild";

import { newFolder, SOURCES } from "./unpack.mjs";

const NAME = process.platform === "win32" ? "skc.exe" : "skc";

let home;
let program;

before(async () => {
  home = newFolder();
  const outfile = join(home, "program.mjs");
  await build({ entryPoints: [join(SOURCES, "src/program.ts")], outfile, format: "esm", platform: "node" });
  program = await import(pathToFileURL(outfile));
});

after(() => rmSync(home, { recursive: true, force: true }));

/** Creates a program below the home directory; returns its path. */
function put(folder, mode = 0o755) {
  const path = join(home, folder, NAME);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  chmodSync(path, mode);
  return path;
}

/** Searches for the program. `folders`: the directories in `PATH`. */
function find(path, ...folders) {
  const around = { home, searchPath: folders.join(delimiter), isWindows: process.platform === "win32" };
  return program.findProgram(path, around);
}

test("the first program in PATH is used, then the one of cargo", () => {
  const [one, two] = [put("one"), put("two")];
  const folders = ["one", "two"].map((name) => join(home, name));
  assert.equal(find(""), undefined);
  assert.equal(find("", join(home, "gone"), ...folders), one);
  assert.equal(find("  ", folders[1]), two);
  const cargo = put(join(".cargo", "bin"));
  assert.equal(find("", join(home, "gone")), cargo);
  assert.equal(find("", folders[0]), one);
  rmSync(cargo);
});

test("relative directories in PATH, and files that are no programs, are skipped", () => {
  put("here");
  const before = process.cwd();
  process.chdir(home);
  assert.equal(find("", "here", ".", ""), undefined);
  process.chdir(before);
  mkdirSync(join(home, "folder", NAME), { recursive: true });
  assert.equal(find("", join(home, "folder")), undefined);
  if (process.platform !== "win32") {
    put("text", 0o644);
    assert.equal(find("", join(home, "text")), undefined);
  }
});

test("a path in the settings is absolute or below the home directory", () => {
  const path = put("own");
  assert.equal(find(path), path);
  assert.equal(find(` ~/own/${NAME} `), join(home, "own", NAME));
  assert.equal(find(`own/${NAME}`, join(home, "own")), undefined);
  assert.equal(find(join(home, "gone")), undefined);
  assert.match(program.notFound(""), /not found in PATH/);
  assert.match(program.notFound(" own/skc "), /no program 'own\/skc'/);
});

test("arguments and clients of the settings are passed on", () => {
  const settings = { path: "", arguments: ["--plugin", "x.rhai"], clients: [] };
  assert.deepEqual(program.serverArguments(settings), ["lsp", "--plugin", "x.rhai"]);
  assert.deepEqual(program.serverOptions(settings), {});
  assert.deepEqual(program.serverOptions({ ...settings, clients: ["codex"] }), { clients: ["codex"] });
});
