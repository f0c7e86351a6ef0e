// Writes .tar.gz files whose bytes depend only on the names, modes and contents of their entries: no owner, a fixed time,
// and the order in which the entries are given.
//
// As a program: `node archive.mjs OUT.tar.gz FOLDER FILE…` packs files into a folder of the archive, and prints the
// archive's SHA-256. A file that its owner may execute is packed as a program. If $SOURCE_DATE_EPOCH is set, it is the
// time of all entries.

import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { argv, env } from "node:process";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const BLOCK = 512;

/** The modes of files and programs. */
export const FILE = 0o644;
export const PROGRAM = 0o755;

/** The time of all entries in seconds: the start of 1980, because some tools reject earlier times. */
const TIME = 315532800;

/** Formats a number in octal, padded to the size of a header field, with a NUL at the end. */
function octal(value, size) {
  const digits = value.toString(8).padStart(size - 1, "0");
  if (digits.length >= size) throw new RangeError(`${value} is too large for a field of ${size} bytes`);
  return `${digits}\0`;
}

/** Returns the header of an entry, in the ustar format. */
function header(name, mode, length, time) {
  const path = Buffer.from(name);
  if (path.length > 100) throw new RangeError(`the name is longer than 100 bytes: ${name}`);
  const block = Buffer.alloc(BLOCK);
  path.copy(block, 0);
  const fields = [
    [100, octal(mode, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(length, 12)],
    [136, octal(time, 12)],
    // The checksum is computed with spaces in its own field.
    [148, " ".repeat(8)],
    [156, "0"],
    [257, "ustar\x0000"],
  ];
  for (const [at, text] of fields) block.write(text, at, "latin1");
  const sum = block.reduce((sum, byte) => sum + byte, 0);
  block.write(`${octal(sum, 7)} `, 148, "latin1");
  return block;
}

/** Returns a .tar.gz with these entries: `{ name, data, mode }`, where `data` is text or bytes. */
export function archive(entries, time = TIME) {
  const blocks = entries.flatMap(({ name, data, mode = FILE }) => {
    const bytes = Buffer.from(data);
    const padding = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK);
    return [header(name, mode, bytes.length, time), bytes, padding];
  });
  const packed = gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 6 });
  // zlib writes the operating system into the header; 255 means unknown.
  packed[9] = 255;
  return packed;
}

/** Returns the SHA-256 of bytes, in hexadecimal. */
export const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** Returns the entry for a file. */
export function entry(name, path) {
  // Windows has no execute permission; programs have the extension .exe.
  const isProgram = (statSync(path).mode & 0o100) !== 0 || path.endsWith(".exe");
  return { name, data: readFileSync(path), mode: isProgram ? PROGRAM : FILE };
}

if (argv[1] && import.meta.url === pathToFileURL(argv[1]).href) {
  const [out, folder, ...files] = argv.slice(2);
  if (!out || !folder || files.length === 0) throw new Error("usage: archive.mjs OUT.tar.gz FOLDER FILE…");
  const entries = files.map((file) => entry(`${folder}/${basename(file)}`, file));
  const packed = archive(entries, Number(env.SOURCE_DATE_EPOCH ?? TIME));
  writeFileSync(out, packed);
  console.log(sha256(packed));
}
