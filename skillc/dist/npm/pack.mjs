// Packs the npm packages: `skillc`, which contains a launcher for skc and the types of its JSON output, and a package
// with the program itself for each platform. npm installs only the matching platform package.
//
// Usage: node pack.mjs FOLDER [TARGET=PROGRAM]…
//
// Writes `skillc-VERSION.tgz` and a package for each target, such as x86_64-unknown-linux-musl, to FOLDER, and prints
// their names. The version is the one in Cargo.toml. The same inputs always give the same bytes.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

import { archive, FILE, PROGRAM } from "../archive.mjs";
import { declarations } from "./types.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "../../..");

const read = (...path) => readFileSync(join(...path), "utf8");

/** Returns a key of `[workspace.package]` in Cargo.toml. */
function workspace(key) {
  const [, table] = read(ROOT, "Cargo.toml").split(/^\[workspace\.package\]$/m);
  const found = table?.split(/^\[/m)[0].match(new RegExp(`^${key} = "(.*)"$`, "m"));
  if (!found) throw new Error(`Cargo.toml has no workspace.package.${key}`);
  return found[1];
}

const VERSION = workspace("version");
const PLATFORMS = JSON.parse(read(HERE, "platforms.json"));

/** The fields that the manifests of all packages share. */
const SHARED = {
  version: VERSION,
  license: workspace("license"),
  repository: { type: "git", url: `git+${workspace("repository")}.git`, directory: "skillc/dist/npm" },
};

const platformName = ({ os, cpu }) => `@skillc/${os}-${cpu}`;

const licences = ["LICENSE-APACHE", "LICENSE-MIT"].map((name) => ({ name, data: read(ROOT, name) }));

/** Returns the bytes of a package: the files, the licences and a manifest. */
function pack(manifest, files) {
  const text = `${JSON.stringify({ ...manifest, ...SHARED }, null, 2)}\n`;
  const all = [{ name: "package.json", data: text }, ...files, ...licences];
  return archive(all.map(({ name, data, mode = FILE }) => ({ name: `package/${name}`, data, mode })));
}

function mainPackage() {
  const copied = (name, mode) => ({ name, data: read(HERE, name), mode });
  const manifest = {
    name: "skillc",
    description: workspace("description"),
    keywords: ["agent skills", "SKILL.md", "linter", "mcp"],
    bin: { skc: "bin/skc.js" },
    main: "index.js",
    types: "index.d.ts",
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(PLATFORMS.map((platform) => [platformName(platform), VERSION])),
  };
  return pack(manifest, [
    copied("bin/skc.js", PROGRAM),
    copied("index.js"),
    { name: "index.d.ts", data: declarations(JSON.parse(read(HERE, "schemas.json"))) },
    copied("platforms.json"),
    copied("schemas.json"),
    copied("README.md"),
  ]);
}

function platformPackage(platform, program) {
  const file = `bin/skc${platform.os === "win32" ? ".exe" : ""}`;
  const name = platformName(platform);
  const manifest = {
    name,
    description: `The program skc for ${platform.target}; install the package skillc instead`,
    os: [platform.os],
    cpu: [platform.cpu],
    // Yarn Plug'n'Play would leave the program in a zip file, where it cannot be executed.
    preferUnplugged: true,
  };
  const readme = `# ${name}\n\nThe program of [skillc](https://www.npmjs.com/package/skillc) for ${platform.target}.\n`;
  return pack(manifest, [
    { name: file, data: readFileSync(program), mode: PROGRAM },
    { name: "README.md", data: readme },
  ]);
}

const [folder, ...programs] = argv.slice(2);
if (!folder) {
  console.error("usage: pack.mjs FOLDER [TARGET=PROGRAM]…");
  process.exit(2);
}
const packed = new Map([[`skillc-${VERSION}.tgz`, mainPackage()]]);
for (const argument of programs) {
  const [target, ...path] = argument.split("=");
  const platform = PLATFORMS.find((platform) => platform.target === target);
  if (!platform || path.length === 0) {
    const known = PLATFORMS.map((platform) => platform.target).join(", ");
    console.error(`expected TARGET=PROGRAM with a target from platforms.json, not '${argument}': ${known}`);
    process.exit(2);
  }
  packed.set(`skillc-${platform.os}-${platform.cpu}-${VERSION}.tgz`, platformPackage(platform, path.join("=")));
}
mkdirSync(folder, { recursive: true });
for (const [name, bytes] of packed) {
  writeFileSync(join(folder, name), bytes);
  console.log(name);
}
