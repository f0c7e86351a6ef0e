// Runs the packaged extension with a mock of VS Code: once with the program `$SKC`, and once without a program.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";

import { newFolder, unpack } from "./unpack.mjs";

/** Milliseconds to wait for findings. */
const PATIENCE = 30_000;

let folder;
let extension;

/** Records what the extension did. */
const seen = { commands: new Map(), errors: [], executed: [], lines: [], shown: 0 };
const settings = { path: join("/", "gone", "skc") };
const listeners = [];
/** The folders that are open, and the findings of each file, by its URI. */
const folders = [];
const findings = new Map();

/** Returns a mock of everything else: its members, and the results of calls, are mocks too. */
function anything() {
  const members = new Map([
    [Symbol.iterator, function* () {}],
    [Symbol.toPrimitive, () => "stand-in"],
    // A `then` would make `await` treat the mock as a promise.
    ["then", undefined],
  ]);
  return new Proxy(function () {}, {
    get: (target, name) => {
      if (name in target) {
        return target[name];
      }
      if (!members.has(name)) {
        members.set(name, anything());
      }
      return members.get(name);
    },
    apply: () => anything(),
  });
}

/** Returns a mock with the given members as its own, so that bundled code can copy them. */
function withMembers(members) {
  return Object.assign(Object.create(anything()), members);
}

const output = withMembers({
  show: () => (seen.shown += 1),
  error: (line) => seen.lines.push(line),
});

class Uri {
  scheme = "file";
  constructor(text) {
    this.toString = () => text;
  }
  static parse(text) {
    return new Uri(text);
  }
  static file(path) {
    return new Uri(pathToFileURL(path).href);
  }
}

class Event {
  listeners = [];
  event = (listener) => {
    this.listeners.push(listener);
    return { dispose: () => {} };
  };
  fire(value) {
    this.listeners.forEach((listener) => listener(value));
  }
  dispose() {}
}

class Cancellation {
  token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => {} }) };
  cancel() {
    this.token.isCancellationRequested = true;
  }
  dispose() {}
}

const vscode = withMembers({
  version: "1.91.0",
  EventEmitter: Event,
  CancellationTokenSource: Cancellation,
  Uri,
  languages: withMembers({
    createDiagnosticCollection: () =>
      withMembers({ has: () => false, set: (of, found) => findings.set(of.toString(), found ?? []) }),
  }),
  window: withMembers({
    tabGroups: withMembers({ all: [] }),
    visibleTextEditors: [],
    createOutputChannel: () => output,
    showErrorMessage: async (message, ...buttons) => {
      seen.errors.push([message, ...buttons]);
      return buttons[0];
    },
  }),
  commands: withMembers({
    registerCommand: (name, run) => {
      seen.commands.set(name, run);
      return { dispose: () => {} };
    },
    executeCommand: async (...command) => seen.executed.push(command),
  }),
  workspace: withMembers({
    textDocuments: [],
    notebookDocuments: [],
    workspaceFolders: folders,
    getConfiguration: () => ({ get: (name, usual) => settings[name] ?? usual }),
    onDidChangeConfiguration: (listener) => {
      listeners.push(listener);
      return { dispose: () => {} };
    },
  }),
});

before(async () => {
  folder = newFolder();
  process.env.HOME = process.env.SKILLC_HOME = join(folder, "home");
  await unpack(folder);
  const stub = join(folder, "extension/node_modules/vscode");
  mkdirSync(stub, { recursive: true });
  writeFileSync(join(stub, "index.js"), "module.exports = globalThis.standInForVSCode;\n");
  globalThis.standInForVSCode = vscode;
  extension = createRequire(import.meta.url)(join(folder, "extension/out/extension.js"));
});

after(() => {
  rmSync(folder, { recursive: true, force: true });
  // VS Code's client library does not close the pipes of ended servers, which would keep this process alive.
  setTimeout(() => process.exit(), 1000).unref();
});

test("without the program, a message says what to do", async () => {
  const subscriptions = [];
  await extension.activate({ subscriptions });
  assert.ok(subscriptions.length > 0);
  const [[message, button]] = seen.errors;
  assert.match(message, /^There is no program '.*gone.*skc'\. Change skillc\.path/);
  assert.equal(button, "Open Settings");
  assert.deepEqual(seen.executed, [["workbench.action.openSettings", "skillc.path"]]);
  assert.deepEqual(seen.lines, [message]);
});

test("all commands of the manifest exist and run", async () => {
  const manifest = JSON.parse(readFileSync(join(folder, "extension/package.json"), "utf8"));
  const named = manifest.contributes.commands.map(({ command }) => command).sort();
  assert.deepEqual([...seen.commands.keys()].sort(), named);
  const before = seen.errors.length;
  await seen.commands.get("skillc.restart")();
  assert.equal(seen.errors.length, before + 1);
  seen.commands.get("skillc.showOutput")();
  assert.equal(seen.shown, 1);
});

test("a changed setting starts the server again, another one does not", async () => {
  const before = seen.errors.length;
  listeners.forEach((listener) => listener({ affectsConfiguration: (name) => name === "skillc.path" }));
  await extension.deactivate();
  assert.equal(seen.errors.length, before + 1);
  listeners.forEach((listener) => listener({ affectsConfiguration: (name) => name === "editor.wordWrap" }));
  await extension.deactivate();
  assert.equal(seen.errors.length, before + 1);
});

test("a program that is not a language server is reported", async () => {
  settings.path = process.execPath;
  settings.arguments = ["--no-such-option"];
  const before = seen.errors.length;
  await seen.commands.get("skillc.restart")();
  const errors = seen.errors.slice(before).map(([message]) => message);
  assert.equal(errors.length, 1, errors.join("\n"));
  assert.match(errors[0], /^skc client: couldn't create connection to server/);
});

test("the findings of the server reach the editor", async () => {
  const skill = join(folder, "skills", "demo");
  mkdirSync(skill, { recursive: true });
  const main = join(skill, "SKILL.md");
  writeFileSync(main, "---\nname: demo\ndescription: Shows links. Use when a link has to be shown.\n---\n\n[a](gone.md)\n");
  folders.push({ uri: Uri.file(folder), name: "work", index: 0 });
  Object.assign(settings, { path: process.env.SKC, arguments: [], clients: ["claude-code"] });
  const before = seen.errors.length;
  await seen.commands.get("skillc.restart")();
  const codes = () => {
    const here = [...findings].filter(([of]) => of.endsWith("/skills/demo/SKILL.md"));
    return here.flatMap(([, found]) => found.map((one) => one.code?.value ?? one.code));
  };
  for (const end = Date.now() + PATIENCE; !codes().includes("SKL301"); await wait(20)) {
    assert.ok(Date.now() < end, [...findings.keys(), ...seen.lines].join("\n"));
  }
  await extension.deactivate();
  assert.deepEqual(seen.errors.slice(before), []);
});
