// Tests the conversion of JSON Schemas to TypeScript.

import assert from "node:assert/strict";
import { test } from "node:test";

import { declarations } from "../types.mjs";

/** Returns the declaration of the type `T` with this schema, without the final semicolon. */
function declared(schema, $defs = {}) {
  const text = declarations({ $defs: { T: schema, ...$defs }, commands: {} });
  const start = text.indexOf("T =") >= 0 ? text.indexOf("export type T =") : text.indexOf("export interface T ");
  return text.slice(start).split("\n\n")[0].trim().replace(/;$/, "");
}

const typed = (schema, $defs) => declared(schema, $defs).replace("export type T = ", "");

test("simple types", () => {
  assert.equal(typed({ type: "integer", format: "uint", minimum: 0 }), "number");
  assert.equal(typed({ type: ["string", "null"] }), "string | null");
  assert.equal(typed({ enum: ["a", "b"], type: "string" }), '"a" | "b"');
  assert.equal(typed({ const: 1 }), "1");
  assert.equal(typed({}), "unknown");
  assert.equal(typed(true), "unknown");
});

test("lists, tuples and maps", () => {
  assert.equal(typed({ type: "array", items: { type: ["string", "null"] } }), "(string | null)[]");
  assert.equal(typed({ type: "array", items: { type: "array", items: { type: "string" } } }), "string[][]");
  assert.equal(typed({ type: "array" }), "unknown[]");
  assert.equal(
    typed({ type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], minItems: 2, maxItems: 2 }),
    "[string, number]",
  );
  assert.equal(typed({ type: "object", additionalProperties: { type: "integer" } }), "Record<string, number>");
  assert.equal(typed({ type: ["object", "null"] }), "Record<string, unknown> | null");
});

test("objects have documented members, of which some are optional", () => {
  const schema = {
    description: "A skill",
    type: "object",
    properties: {
      name: { type: "string", description: "Its name,\n\nnever */ empty" },
      "max-lines": { type: "integer" },
      at: { type: "object", properties: { line: { type: "integer" } }, required: ["line"] },
    },
    required: ["name"],
  };
  const expected = [
    "export interface T {",
    "  /**",
    "   * Its name,",
    "   *",
    "   * never *\\/ empty",
    "   */",
    "  name: string;",
    '  "max-lines"?: number;',
    "  at?: {",
    "    line: number;",
    "  };",
    "}",
  ];
  assert.equal(declared(schema), expected.join("\n"));
});

test("alternatives, and what they have in common", () => {
  const word = { type: "string" };
  assert.equal(typed({ anyOf: [word, { type: "null" }] }), "string | null");
  assert.equal(typed({ oneOf: [{ const: "a" }, { const: "b", description: "B" }] }), '"a" | "b"');
  assert.equal(typed({ type: "object", anyOf: [{ $ref: "#/$defs/U" }, { type: "null" }] }, { U: word }), "U | null");
  assert.equal(typed({ allOf: [{ $ref: "#/$defs/U" }], description: "x" }, { U: word }), "U");
  const common = { type: "object", properties: { a: word }, oneOf: [{ $ref: "#/$defs/U" }, { $ref: "#/$defs/V" }] };
  assert.equal(typed(common, { U: word, V: word }), "{\n  a?: string;\n} & (U | V)");
});

test("names of definitions become identifiers", () => {
  const $defs = { "Map_of_string": { type: "string" }, "Map-of string": { type: "integer" }, "2nd": true };
  const text = declarations({ $defs, commands: { list: { $ref: "#/$defs/Map_of_string" } } });
  for (const line of ["type MapOfString = string;", "type MapOfString2 = number;", "type T2nd = unknown;"]) {
    assert.ok(text.includes(`export ${line}`), text);
  }
  assert.ok(text.includes('  "list": MapOfString;\n'), text);
});

test("only objects can have the directory of a skill", () => {
  const object = { type: "object", properties: {} };
  const commands = {
    a: { $ref: "#/$defs/O" },
    b: { type: "array", items: { $ref: "#/$defs/O" } },
    c: { anyOf: [{ $ref: "#/$defs/O" }, object] },
    d: { anyOf: [object, { type: "null" }] },
  };
  const text = declarations({ $defs: { O: object }, commands });
  const ends = Object.keys(commands).filter((name) => new RegExp(`"${name}": [^:]* & Rooted;`).test(text));
  assert.deepEqual(ends, ["a", "c"]);
});
