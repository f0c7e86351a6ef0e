// Unpacks the packaged extension.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import yauzl from "yauzl";

/** The folder of the sources. */
export const SOURCES = dirname(dirname(fileURLToPath(import.meta.url)));

/** Returns a new folder, which the caller removes. */
export function newFolder() {
  return mkdtempSync(join(tmpdir(), "skillc-vscode-"));
}

/** Unpacks the package into a folder. Returns the sorted names of its files. */
export async function unpack(folder) {
  const zip = await new Promise((resolve, reject) => {
    const done = (error, zip) => (error ? reject(error) : resolve(zip));
    yauzl.open(join(SOURCES, "out/skillc.vsix"), { lazyEntries: true, autoClose: false }, done);
  });
  const entries = await new Promise((resolve, reject) => {
    const found = [];
    zip.on("entry", (entry) => {
      found.push(entry);
      zip.readEntry();
    });
    zip.on("end", () => resolve(found));
    zip.on("error", reject);
    zip.readEntry();
  });
  for (const entry of entries) {
    const path = join(folder, entry.fileName);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, await bytes(zip, entry));
  }
  zip.close();
  return entries.map((entry) => entry.fileName).sort();
}

async function bytes(zip, entry) {
  const stream = await new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  });
  return Buffer.concat(await stream.toArray());
}
