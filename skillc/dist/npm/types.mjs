// Converts JSON Schemas of responses to TypeScript: the keywords that schemars writes for Rust types.
//
// Unknown keywords make a type wider, never wrong. Constraints such as `minimum` have no counterpart in TypeScript.

const HEADER = `// Generated from the JSON Schemas of the program's responses.

/**
 * Returns the path of the program for this platform.
 *
 * Throws an error that says what to do if it is not installed.
 */
export function programPath(): string;

/** Present in the output of commands about one skill. */
export interface Rooted {
  /** Directory of the skill */
  root?: string;
}
`;

/** Returns the declarations for `{ $defs: { Name: schema }, commands: { "name of a command": schema } }`. */
export function declarations({ $defs = {}, commands }) {
  const names = typeNames(Object.keys($defs));
  const write = (schema, indent = "") => type(schema, indent, names);
  const definitions = Object.entries($defs).map(([name, schema]) => {
    const isInterface = schema.properties && !schema.anyOf && !schema.oneOf && !schema.allOf && !schema.$ref;
    const start = isInterface ? `export interface ${names.get(name)} ` : `export type ${names.get(name)} = `;
    return comment(schema, "") + start + write(schema) + (isInterface ? "\n" : ";\n");
  });
  const members = Object.entries(commands).map(([command, schema]) => {
    const rooted = isObject(schema, $defs) ? " & Rooted" : "";
    return `  ${JSON.stringify(command)}: ${parenthesized(write(schema, "  "), rooted !== "")}${rooted};\n`;
  });
  const outputs =
    "/** What a command prints with `--format json`, by the command's name. */\n" +
    `export interface Outputs {\n${members.join("")}}\n`;
  return [HEADER, ...definitions, outputs].join("\n");
}

/** Returns an identifier for each name. Duplicate identifiers are numbered. */
function typeNames(names) {
  const taken = new Set(["Outputs", "Rooted"]);
  const identifier = (name) => {
    const words = name.split(/[^A-Za-z0-9]+/).filter(Boolean);
    const joined = words.map((word) => word[0].toUpperCase() + word.slice(1)).join("");
    const base = /^[A-Z]/.test(joined) ? joined : `T${joined}`;
    let unique = base;
    for (let next = 2; taken.has(unique); next++) unique = `${base}${next}`;
    taken.add(unique);
    return unique;
  };
  return new Map(names.map((name) => [name, identifier(name)]));
}

const referenced = (ref) => decodeURIComponent(ref.replace(/^#\/\$defs\//, "")).replaceAll("~1", "/").replaceAll("~0", "~");

/** Whether every value of a schema is an object. */
function isObject(schema, $defs) {
  if (schema.$ref) return isObject($defs[referenced(schema.$ref)] ?? {}, $defs);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (schema.type === undefined && alternatives) return alternatives.every((one) => isObject(one, $defs));
  return schema.type === "object" || (schema.type === undefined && schema.properties !== undefined);
}

/** Returns a doc comment with the description of a schema. */
function comment(schema, indent) {
  if (!schema.description) return "";
  const lines = schema.description.replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd());
  return `${indent}/**\n${body.join("\n")}\n${indent} */\n`;
}

/** Puts a type that contains an operator into parentheses. */
const parenthesized = (text, isNeeded) => (isNeeded && / [|&] /.test(outside(text)) ? `(${text})` : text);

/** Returns a type without the contents of its braces, brackets and parentheses. */
function outside(text) {
  let [depth, kept] = [0, ""];
  for (const char of text) {
    if ("})]".includes(char)) depth--;
    if (depth === 0) kept += char;
    if ("{([".includes(char)) depth++;
  }
  return kept;
}

const union = (types) => [...new Set(types)].join(" | ");

/** Returns the type of a schema. */
function type(schema, indent, names) {
  if (typeof schema === "boolean") return schema ? "unknown" : "never";
  const write = (inner) => type(inner, indent, names);
  const parts = [];
  if (schema.$ref) parts.push(names.get(referenced(schema.$ref)) ?? "unknown");
  if (schema.const !== undefined) parts.push(JSON.stringify(schema.const));
  else if (schema.enum) parts.push(union(schema.enum.map((value) => JSON.stringify(value))));
  else if (schema.properties) parts.push(...object(schema, indent, names));
  else if (schema.type && !isEmptyObject(schema)) {
    parts.push(union([schema.type].flat().map((name) => simple(name, schema, indent, names))));
  }
  for (const alternatives of [schema.anyOf, schema.oneOf]) {
    if (alternatives) parts.push(union(alternatives.map(write)));
  }
  if (schema.allOf) parts.push(...schema.allOf.map(write));
  if (parts.length === 0) return "unknown";
  if (parts.length === 1) return parts[0];
  return parts.map((part) => parenthesized(part, true)).join(" & ");
}

/** Whether `type: object` adds nothing to the alternatives next to it. */
const isEmptyObject = (schema) =>
  schema.type === "object" && !schema.additionalProperties && Boolean(schema.anyOf ?? schema.oneOf ?? schema.allOf ?? schema.$ref);

/** Returns the type for a name in `type`. */
function simple(name, schema, indent, names) {
  switch (name) {
    case "string":
    case "boolean":
    case "null":
      return name;
    case "integer":
    case "number":
      return "number";
    case "array": {
      if (schema.prefixItems) return `[${schema.prefixItems.map((item) => type(item, indent, names)).join(", ")}]`;
      return `${parenthesized(type(schema.items ?? true, indent, names), true)}[]`;
    }
    case "object": {
      const values = schema.additionalProperties ?? true;
      if (values === false) return "Record<string, never>";
      return `Record<string, ${type(values, indent, names)}>`;
    }
    default:
      return "unknown";
  }
}

/** Returns the type of an object with properties, and `null` if its `type` allows that. */
function object(schema, indent, names) {
  const inner = `${indent}  `;
  const required = new Set(schema.required ?? []);
  const members = Object.entries(schema.properties).map(([name, property]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const mark = required.has(name) ? "" : "?";
    return `${comment(property, inner)}${inner}${key}${mark}: ${type(property, inner, names)};\n`;
  });
  // An index signature must also accept the named members, whatever their types: hence `unknown`.
  if (schema.additionalProperties) members.push(`${inner}[name: string]: unknown;\n`);
  const text = `{\n${members.join("")}${indent}}`;
  return [[schema.type].flat().includes("null") ? `${text} | null` : text];
}
