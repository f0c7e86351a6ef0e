// Prints the SBOM of the released program as CycloneDX 1.5, with the licence and the SHA-256 of each crate. Crates that
// run only during the build, and are not compiled into the program, have the scope `excluded`.
//
// Usage: node sbom.mjs TARGET [FILE]
//
// FILE: the output of `cargo metadata --format-version 1 --locked --filter-platform TARGET`; by default, the command is
// run. The hashes come from Cargo.lock. The output depends only on these files and $SOURCE_DATE_EPOCH.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { argv, env } from "node:process";
import { fileURLToPath } from "node:url";

import { sha256 } from "./archive.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** The package of the program. */
const MAIN = "skillc";

const [target, file] = argv.slice(2);
if (!target) throw new Error("usage: sbom.mjs TARGET [FILE]");

function metadata() {
  if (file) return readFileSync(file, "utf8");
  const args = ["metadata", "--format-version", "1", "--locked", "--filter-platform", target];
  return execFileSync("cargo", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 28 });
}

/** Returns the checksums of crates in Cargo.lock, keyed by `name version`. */
function checksums() {
  const tables = readFileSync(join(ROOT, "Cargo.lock"), "utf8").split("[[package]]").slice(1);
  const value = (table, key) => table.match(new RegExp(`^${key} = "(.*)"$`, "m"))?.[1];
  return new Map(tables.map((table) => [`${value(table, "name")} ${value(table, "version")}`, value(table, "checksum")]));
}

const { packages, resolve } = JSON.parse(metadata());
const byId = new Map(packages.map((found) => [found.id, found]));
const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
const main = packages.find((found) => found.name === MAIN && found.source === null);

/** Returns a node's dependencies of these kinds; the kind `null` means a normal dependency. */
const dependencies = (id, kinds) =>
  nodes.get(id).deps.filter((dep) => dep.dep_kinds.some(({ kind }) => kinds.includes(kind))).map((dep) => dep.pkg);

const isMacro = (id) => byId.get(id).targets.some((built) => built.kind.includes("proc-macro"));

/** Returns all packages that are reachable from the main package. `follow` returns the dependencies of a package. */
function reached(follow) {
  const [found, waiting] = [new Set([main.id]), [main.id]];
  while (waiting.length > 0) {
    for (const next of follow(waiting.pop())) {
      if (!found.has(next)) waiting.push(next);
      found.add(next);
    }
  }
  return found;
}

const used = (id) => dependencies(id, [null, "build"]);
const all = reached(used);
const included = reached((id) => dependencies(id, [null]).filter((next) => !isMacro(next)));

const reference = (id) => `pkg:cargo/${byId.get(id).name}@${byId.get(id).version}`;
const sums = checksums();

function component(id) {
  const { name, version, description, license, repository, source } = byId.get(id);
  const sum = sums.get(`${name} ${version}`);
  return {
    type: "library",
    "bom-ref": reference(id),
    name,
    version,
    ...(description && { description: description.trim().replace(/\s+/g, " ") }),
    scope: included.has(id) ? "required" : "excluded",
    ...(sum && { hashes: [{ alg: "SHA-256", content: sum }] }),
    // Some crates write `MIT/Apache-2.0`, which is not an SPDX expression.
    ...(license && { licenses: [{ expression: license.replaceAll(/\s*\/\s*/g, " OR ") }] }),
    purl: reference(id),
    ...(source && repository && { externalReferences: [{ type: "vcs", url: repository }] }),
  };
}

const byReference = (one, other) => (reference(one) < reference(other) ? -1 : 1);
const sorted = [...all].sort(byReference);
const seconds = Number(env.SOURCE_DATE_EPOCH ?? 315532800);
const { type, scope, ...program } = component(main.id);
const bom = {
  $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
  bomFormat: "CycloneDX",
  specVersion: "1.5",
  version: 1,
  metadata: {
    timestamp: new Date(seconds * 1000).toISOString(),
    component: { type: "application", ...program, properties: [{ name: "cargo:target", value: target }] },
  },
  components: sorted.filter((id) => id !== main.id).map(component),
  dependencies: sorted.map((id) => ({
    ref: reference(id),
    dependsOn: [...new Set(used(id).map(reference))].sort(),
  })),
};
// Version 8 of UUIDs leaves the derivation to the application: here, from the contents.
const hash = sha256(JSON.stringify(bom));
const variant = "89ab"[Number.parseInt(hash[16], 16) % 4];
const uuid = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, variant + hash.slice(17, 20), hash.slice(20, 32)];
console.log(JSON.stringify({ ...bom, serialNumber: `urn:uuid:${uuid.join("-")}` }, null, 2));
