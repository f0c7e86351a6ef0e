// Tests `skc lsp` with VS Code's own library for the protocol, which validates the form of every message.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test as declare } from "node:test";
import { pathToFileURL } from "node:url";

import * as lsp from "vscode-languageserver-protocol/node";

import { newFolder } from "./unpack.mjs";

const { SKC } = process.env;

/** Milliseconds to wait for a notification. */
const PATIENCE = 30_000;

/** The time limit of a test, in milliseconds. Without it, a missing answer would stop all tests without naming one. */
const LIMIT = 2 * PATIENCE;

/** A skill with a link that a safe fix repairs, on line 7 (from 0). */
const TEXT = `---
name: demo
description: Shows links. Use when a link has to be shown.
---

# Demo

See [the guide](docs\\guide.md).
`;
const FIXED = TEXT.replace("\\", "/");
const LINE = { start: { line: 7, character: 0 }, end: { line: 7, character: 20 } };

let folder;
let uri;
let child;
let connection;
/** The findings that were pushed, and the callbacks that wait for them. */
let pushed;
let waiting;

beforeEach(() => {
  folder = realpathSync(newFolder());
  const put = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  put("work/demo/SKILL.md", TEXT);
  put("work/demo/docs/guide.md", "# Guide\n");
  const [home, cwd] = ["home", "work"].map((name) => join(folder, name));
  uri = pathToFileURL(join(cwd, "demo/SKILL.md")).href;
  child = spawn(SKC, ["lsp"], { cwd, env: { ...process.env, HOME: home, SKILLC_HOME: home } });
  connection = lsp.createProtocolConnection(
    new lsp.StreamMessageReader(child.stdout),
    new lsp.StreamMessageWriter(child.stdin),
  );
  [pushed, waiting] = [[], []];
  connection.onNotification(lsp.PublishDiagnosticsNotification.type, (report) => {
    pushed.push(report);
    waiting.forEach((check) => check());
  });
  connection.listen();
});

afterEach(() => {
  connection.dispose();
  child.kill();
  rmSync(folder, { recursive: true, force: true });
});

function test(name, run) {
  declare(name, { timeout: LIMIT }, run);
}

/** Begins a session; returns the capabilities of the server. */
async function begin(capabilities, initializationOptions) {
  const workspaceFolders = [{ uri: pathToFileURL(join(folder, "work")).href, name: "work" }];
  const params = { processId: process.pid, rootUri: null, capabilities, workspaceFolders, initializationOptions };
  const welcome = await connection.sendRequest(lsp.InitializeRequest.type, params);
  await connection.sendNotification(lsp.InitializedNotification.type, {});
  return welcome.capabilities;
}

/** Opens the skill's document with this content. */
async function open(text) {
  const textDocument = { uri, languageId: "markdown", version: 1, text };
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument });
}

/** Ends the session; returns the exit status. */
async function end() {
  await connection.sendRequest(lsp.ShutdownRequest.type);
  const exited = once(child, "exit");
  await connection.sendNotification(lsp.ExitNotification.type);
  return (await exited)[0];
}

/** Waits for the pushed findings of a version; returns their codes. */
async function codes(version) {
  const found = () => pushed.find((report) => report.uri === uri && report.version === version);
  if (found() === undefined) {
    await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(JSON.stringify(pushed))), PATIENCE);
      waiting.push(() => {
        if (found() !== undefined) {
          clearTimeout(timer);
          resolve();
        }
      });
    });
  }
  return found().diagnostics.map((one) => one.code);
}

/** Asks for code actions of a kind on the line of the link. */
function actions(kind) {
  const context = { diagnostics: [], only: [kind] };
  return connection.sendRequest(lsp.CodeActionRequest.type, { textDocument: { uri }, range: LINE, context });
}

test("findings are pushed for each version of a text, and the session ends", async () => {
  const capabilities = await begin({});
  assert.equal(capabilities.textDocumentSync.change, lsp.TextDocumentSyncKind.Incremental);
  await open(TEXT);
  assert.ok((await codes(1)).includes("SKL301"));
  const at = TEXT.split("\n")[7].indexOf("\\");
  const range = { start: { line: 7, character: at }, end: { line: 7, character: at + 1 } };
  const textDocument = { uri, version: 2 };
  const contentChanges = [{ range, text: "/" }];
  await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, { textDocument, contentChanges });
  assert.ok(!(await codes(2)).includes("SKL301"));
  assert.equal(await end(), 0);
});

test("findings can be asked for, and are marked as unchanged", async () => {
  await begin({ textDocument: { diagnostic: {} } });
  await open(TEXT);
  const ask = (previousResultId) =>
    connection.sendRequest(lsp.DocumentDiagnosticRequest.type, { textDocument: { uri }, previousResultId });
  const report = await ask();
  assert.equal(report.kind, lsp.DocumentDiagnosticReportKind.Full);
  assert.ok(report.items.every((one) => lsp.Diagnostic.is(one)));
  assert.ok(report.items.some((one) => one.code === "SKL301"), JSON.stringify(report));
  assert.equal((await ask(report.resultId)).kind, lsp.DocumentDiagnosticReportKind.Unchanged);
  const { items } = await connection.sendRequest(lsp.WorkspaceDiagnosticRequest.type, { previousResultIds: [] });
  assert.ok(items.some((one) => one.uri === uri), JSON.stringify(items));
  assert.equal(await end(), 0);
});

test("code actions are valid and repair the text", async () => {
  await begin({ textDocument: { codeAction: { resolveSupport: { properties: ["edit"] } } } });
  await open(TEXT);
  await codes(1);
  const document = lsp.TextDocumentItem.create(uri, "markdown", 1, TEXT);
  for (const kind of [lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.SourceFixAll]) {
    const found = await actions(kind);
    assert.ok(found.every((one) => lsp.CodeAction.is(one)), JSON.stringify(found));
    const safe = found.find((one) => one.isPreferred ?? kind === lsp.CodeActionKind.SourceFixAll);
    const resolved = safe.edit ? safe : await connection.sendRequest(lsp.CodeActionResolveRequest.type, safe);
    assert.equal(applied(document.text, resolved.edit.changes[uri]), FIXED, JSON.stringify(resolved));
  }
  assert.equal(await end(), 0);
});

/** Applies edits to an ASCII string. */
function applied(text, edits) {
  const lines = text.split("\n");
  const offset = ({ line, character }) => lines.slice(0, line).join("\n").length + (line > 0 ? 1 : 0) + character;
  const last = (one, other) => offset(other.range.start) - offset(one.range.start);
  const replaced = (text, { range, newText }) => text.slice(0, offset(range.start)) + newText + text.slice(offset(range.end));
  return [...edits].sort(last).reduce(replaced, text);
}

test("help, completion and navigation are valid", async () => {
  await begin({});
  await open(`${FIXED}\n[more](do`);
  await codes(1);
  const at = (line, character) => ({ textDocument: { uri }, position: { line, character } });
  const hover = await connection.sendRequest(lsp.HoverRequest.type, at(1, 1));
  assert.ok(lsp.Hover.is(hover));
  assert.match(hover.contents.value, /claude-code/);
  const list = await connection.sendRequest(lsp.CompletionRequest.type, at(9, "[more](do".length));
  assert.ok(list.items.some((one) => one.label === "docs/guide.md"), JSON.stringify(list));
  const place = await connection.sendRequest(lsp.DefinitionRequest.type, at(7, "See [the guide](docs/gui".length));
  const target = [place].flat()[0];
  assert.ok(lsp.Location.is(target), JSON.stringify(place));
  assert.ok(target.uri.endsWith("/docs/guide.md"));
  const symbols = await connection.sendRequest(lsp.DocumentSymbolRequest.type, { textDocument: { uri } });
  assert.ok(symbols.some((one) => one.name.includes("Demo")), JSON.stringify(symbols));
  assert.equal(await end(), 0);
});

test("only the chosen clients count, and unknown ones are reported", async () => {
  const said = new Promise((resolve) => connection.onNotification(lsp.ShowMessageNotification.type, resolve));
  await begin({}, { clients: ["codex", "nonsense"] });
  assert.match((await said).message, /unknown client 'nonsense'/);
  await open(FIXED);
  await codes(1);
  const hover = await connection.sendRequest(lsp.HoverRequest.type, {
    textDocument: { uri },
    position: { line: 1, character: 1 },
  });
  assert.match(hover.contents.value, /`codex`/);
  assert.doesNotMatch(hover.contents.value, /`claude-code`/);
  assert.equal(await end(), 0);
});
