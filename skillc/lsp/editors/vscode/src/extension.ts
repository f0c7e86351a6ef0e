// Starts `skc lsp` and connects it to the editor.

import * as vscode from "vscode";
import { CloseAction, LanguageClient, type ErrorHandler, type LanguageClientOptions } from "vscode-languageclient/node";

import { findProgram, notFound, serverArguments, serverOptions, surroundings, type Settings } from "./program";

/** The settings section and the prefix of the commands. */
const SECTION = "skillc";

/** The documents whose unsaved text the server receives. The server ignores documents outside skills. */
const DOCUMENTS = [
  { scheme: "file", language: "markdown" },
  { scheme: "file", pattern: "**/SKILL.md" },
  { scheme: "file", pattern: "**/.skilllint.toml" },
  { scheme: "file", pattern: "**/skills/**" },
];

/** How long the program has to answer, in milliseconds. A program that is not skc may never answer. */
const STARTING = 30_000;

const SHOW_OUTPUT = "Show Output";
const OPEN_SETTINGS = "Open Settings";

let output: vscode.LogOutputChannel;
let client: LanguageClient | undefined;

/** The last start or stop, for which the next one waits. */
let last: Promise<void> = Promise.resolve();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  output = vscode.window.createOutputChannel("skc", { log: true });
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand(`${SECTION}.restart`, () => inTurn(restart)),
    vscode.commands.registerCommand(`${SECTION}.showOutput`, () => output.show()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      const names = ["path", "arguments", "clients"].map((name) => `${SECTION}.${name}`);
      if (names.some((name) => change.affectsConfiguration(name))) {
        void inTurn(restart);
      }
    }),
  );
  await inTurn(start);
}

export function deactivate(): Promise<void> {
  return inTurn(stop);
}

function inTurn(work: () => Promise<void>): Promise<void> {
  last = last.then(work);
  return last;
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

async function stop(): Promise<void> {
  const stopped = client;
  client = undefined;
  if (stopped !== undefined) {
    await discard(stopped);
  }
}

async function discard(stopped: LanguageClient): Promise<void> {
  try {
    await stopped.dispose();
  } catch (error) {
    // The client has already stopped.
    output.warn(String(error));
  }
}

async function start(): Promise<void> {
  const settings = read();
  const command = findProgram(settings.path, surroundings());
  if (command === undefined) {
    tell(notFound(settings.path), OPEN_SETTINGS);
    return;
  }
  const server = { command, args: serverArguments(settings) };
  output.info(`${command} ${server.args.join(" ")}`);
  const options: LanguageClientOptions = {
    documentSelector: DOCUMENTS,
    initializationOptions: serverOptions(settings),
    outputChannel: output,
    // `start` shows the failure; showing it here too would repeat it.
    initializationFailedHandler: () => false,
    errorHandler: {
      error: (error, message, count) => usual.error(error, message, count),
      // Restart only a server that was running.
      closed: () => (client === started ? usual.closed() : { action: CloseAction.DoNotRestart, handled: true }),
    },
  };
  const started: LanguageClient = new LanguageClient(SECTION, "skc", server, options);
  const usual: ErrorHandler = started.createDefaultErrorHandler();
  try {
    await within(STARTING, started.start());
    client = started;
  } catch (error) {
    // The client library reports every failed start itself, except that it never times out.
    if (error instanceof Silent) {
      tell(`'${command}' does not answer. Is it skc?`, SHOW_OUTPUT);
    }
    await discard(started);
  }
}

/** The program does not answer. */
class Silent extends Error {}

/** Waits for a promise, but rejects with `Silent` after some milliseconds. */
function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Silent()), milliseconds);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function read(): Settings {
  const section = vscode.workspace.getConfiguration(SECTION);
  return {
    path: section.get<string>("path", ""),
    arguments: section.get<string[]>("arguments", []),
    clients: section.get<string[]>("clients", []),
  };
}

/** Shows an error with one button. Does not wait for an answer. */
function tell(message: string, button: string): void {
  output.error(message);
  void vscode.window.showErrorMessage(message, button).then((chosen) => {
    if (chosen === SHOW_OUTPUT) {
      output.show();
    } else if (chosen === OPEN_SETTINGS) {
      void vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.path`);
    }
  });
}
