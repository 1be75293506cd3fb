// Writes the TypeScript of the dialects' table, and the copy that ports read, from packages/dialects/dialects.json.
// Run: node scripts/dialects.mjs [--check]. With --check nothing is written, and a difference is an error.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const tables = join(root, "packages/dialects/src/table");
const source = readFileSync(join(root, "packages/dialects/dialects.json"), "utf8");
/** @type {Record<string, Record<string, unknown>>} */
const dialects = JSON.parse(source);
const ids = Object.keys(dialects);
const note =
  "// Written by scripts/dialects.mjs from dialects.json: change that, and run it.\n// biome-ignore-all format: written by a script.\n";

/** Returns the name of a dialect's constant: `qwen-xml` is `qwenXml`, `deepseek-v3.1` is `deepseekV3_1`. @param {string} id */
const constant = (id) => id.replace(/-(\w)/g, (_, letter) => letter.toUpperCase()).replaceAll(".", "_");

/** Returns a value as TypeScript: JSON whose keys have quotes only where they need them. @param {unknown} value @returns {string} */
function literal(value) {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  const members = Object.entries(value).map(([key, member]) => {
    return `${/^\w+$/.test(key) ? key : JSON.stringify(key)}: ${literal(member)}`;
  });
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** Returns the texts of a value's members of these names, at any depth. @param {unknown} value @param {RegExp} names @returns {string[]} */
function textsOf(value, names, name = "") {
  if (typeof value === "string") return names.test(name) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => textsOf(member, names, Array.isArray(value) ? name : key));
}

/** Marks that have power in a text, by how they look: names of elements, and other tokens. Tokens with bars have a shape of their own. */
function marksOf() {
  const elements = new Set();
  const tokens = new Set();
  for (const { example, models, ...row } of Object.values(dialects)) {
    for (const text of textsOf(row, /^(?:text|prefix|open|close|item|lookAlikes|stops|stringDelimiters)$/)) {
      for (const [token] of text.matchAll(/\]<\]\w+\[>\[|<[^<>\s]+|\[\/?[\w|~]+[\][]/g)) {
        const name = /^<\/?([\w:.-][\w:.|-]*)/.exec(token)?.[1];
        if (name && !name.endsWith("|")) elements.add(name.replace(/:$/, ""));
        else if (!token.startsWith("<")) tokens.add(token);
      }
      if (row.list && /\w$/.test(text)) tokens.add(`${text}[`);
    }
  }
  const list = (/** @type {Iterable<string>} */ texts) =>
    [...texts]
      .sort()
      .map((text) => `  ${JSON.stringify(text)},\n`)
      .join("");
  return (
    `/** Names of elements in the markers of all dialects. */\nexport const elementNames: readonly string[] = [\n${list(elements)}];\n\n` +
    `/** Other marks of theirs, but for tokens with bars. */\nexport const tokens: readonly string[] = [\n${list(tokens)}];\n`
  );
}

const rows = Object.entries(dialects).map(
  ([id, row]) => `export const ${constant(id)}: Dialect = ${literal({ id, ...row })};\n`,
);
const quoted = ids.map((id) => JSON.stringify(id));
/** @type {Record<string, string>} */
const files = {
  [join(tables, "rows.ts")]: `${note}import type { Dialect } from "./types.ts";\n\n${rows.join("")}`,
  [join(tables, "ids.ts")]:
    `${note}\n/** Ids of the dialects, in the order in which they are tried where several begin alike. */\n` +
    `export type DialectId =\n  | ${quoted.join("\n  | ")};\n\n` +
    `/** Every {@link DialectId}, in the same order. */\nexport const dialectIds: readonly DialectId[] = [\n  ${quoted.join(",\n  ")},\n];\n`,
  [join(tables, "marks.ts")]: `${note}\n${marksOf()}`,
  [join(tables, "all.ts")]:
    `${note}import type { DialectId } from "./ids.ts";\nimport * as rows from "./rows.ts";\nimport type { Dialect } from "./types.ts";\n\n` +
    "/** The dialects by their ids. */\n" +
    `export const dialects: Readonly<Record<DialectId, Dialect>> = {\n${ids.map((id) => `  ${JSON.stringify(id)}: rows.${constant(id)},\n`).join("")}};\n`,
  [join(root, "conformance/dialects/dialects.json")]: source,
};

const changed = Object.keys(files).filter((path) => !existsSync(path) || readFileSync(path, "utf8") !== files[path]);
if (process.argv.includes("--check")) {
  for (const path of changed) console.error(`${path} is not what dialects.json says. Run: node scripts/dialects.mjs`);
  process.exitCode = changed.length > 0 ? 1 : 0;
} else {
  for (const path of changed) writeFileSync(path, files[path] ?? "");
  console.log(`${ids.length} dialects, ${changed.length} files changed`);
}
