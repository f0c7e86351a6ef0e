// Finds the program `skc` and builds its arguments. This module does not use the API of VS Code.

import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";

/** The settings of the extension. */
export interface Settings {
  /** The path of the program; if empty, the program is searched for. */
  path: string;
  /** Additional arguments for `skc lsp`. */
  arguments: readonly string[];
  /** The agent clients to lint for; empty to use the clients in the configuration. */
  clients: readonly string[];
}

/** The environment in which the program is searched for. */
export interface Surroundings {
  home: string;
  /** The value of `PATH`. */
  searchPath: string;
  isWindows: boolean;
}

/** Returns the environment of this process. */
export function surroundings(): Surroundings {
  return {
    home: homedir(),
    searchPath: process.env.PATH ?? "",
    isWindows: process.platform === "win32",
  };
}

/**
 * Returns the absolute path of the program; `undefined` if it is not found.
 *
 * Relative directories in `PATH` are skipped: they would be in the folder that is open, which is not trusted.
 */
export function findProgram(path: string, around: Surroundings): string | undefined {
  const named = path.trim();
  if (named !== "") {
    const full = named.replace(/^~(?=[/\\])/, () => around.home);
    return isAbsolute(full) && isProgram(full) ? full : undefined;
  }
  const name = around.isWindows ? "skc.exe" : "skc";
  const folders = around.searchPath.split(delimiter).filter((folder) => isAbsolute(folder));
  folders.push(join(around.home, ".cargo", "bin"));
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Returns the arguments of the program. */
export function serverArguments(settings: Settings): string[] {
  return ["lsp", ...settings.arguments];
}

/** Returns the value of `initializationOptions`. */
export function serverOptions(settings: Settings): { clients?: readonly string[] } {
  return settings.clients.length > 0 ? { clients: settings.clients } : {};
}

/** Returns the message for the user if the program is not found. */
export function notFound(path: string): string {
  const named = path.trim();
  return named === ""
    ? "skc was not found in PATH or in ~/.cargo/bin. Install skc, or set the path of the program in the settings."
    : `There is no program '${named}'. Change skillc.path in the settings to the absolute path of skc.`;
}
