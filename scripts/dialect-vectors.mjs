// Writes conformance/dialects/rule-*.json: vectors of the rules, for each dialect that a rule applies to. What is written comes from the rows
// of the table and from the rules, never from a reader. Run: node scripts/dialect-vectors.mjs [--check]. With --check nothing is written, and
// a difference is an error.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonRepairs, literals } from "./lib/dialect-vectors/bodies.mjs";
import { closers, entities, whiteSpace } from "./lib/dialect-vectors/closers.mjs";
import { keys, missing, names, siblings } from "./lib/dialect-vectors/names.mjs";
import { lookAlikes, mentions, order, reasoning, unwrapped } from "./lib/dialect-vectors/places.mjs";
import { truncation } from "./lib/dialect-vectors/truncation.mjs";
import { typing } from "./lib/dialect-vectors/typing.mjs";
import { tools } from "./lib/dialect-vectors/vector.mjs";
import { write } from "./lib/dialect-vectors/writing.mjs";

const root = join(import.meta.dirname, "..");
const folder = join(root, "conformance/dialects");
/** @type {Record<string, import("./lib/dialect-vectors/writing.mjs").Row>} */
const rows = JSON.parse(readFileSync(join(root, "packages/dialects/dialects.json"), "utf8"));

/** What a file is about, and who makes its vectors. @type {Record<string, [about: string, make: (all: typeof rows) => import("./lib/dialect-vectors/vector.mjs").Vector[]]>} */
const topics = {
  closers: [
    "A closing mark counts only where structure follows; in a string of JSON, Python or Gemma it is text.",
    closers,
  ],
  "white-space": [
    "Only qwen-xml and seed-oss lose a line break at each side of a value; names and keys are trimmed.",
    whiteSpace,
  ],
  entities: ["Entities and CDATA in values are text.", entities],
  typing: ["A schema, or a type mark, decides what a text is.", typing],
  truncation: ["What the end of the text closes never runs.", truncation],
  reasoning: ["A call in reasoning runs only where the host says so.", reasoning],
  mentions: ["Marks in code and in prose are text; a fence that holds only calls belongs to them.", mentions],
  names: ["Names are kept, and unknown ones stay calls.", names],
  siblings: ["A bad call does not take its siblings.", siblings],
  order: ["The order of texts and calls is kept.", order],
  "look-alikes": ["Other characters for the bars and underscores of DeepSeek's tokens.", lookAlikes],
  keys: ["Of two equal keys the last one counts; keys of the object prototype are data.", keys],
  missing: ["Missing names, missing arguments, and arguments that are no object.", missing],
  unwrapped: ["A call without its wrapper.", unwrapped],
  "json-repairs": ["What is repaired in JSON, and what is not.", jsonRepairs],
  literals: ["Python is read as literals, and never evaluated.", literals],
};

for (const [id, row] of Object.entries(rows)) {
  // Nested elements are not written here.
  if (!row.write || row.values === "tree") continue;
  if (write(row, row.example.calls) !== row.example.text) throw new Error(`${id}: the example is written otherwise`);
}

/** @param {string} topic */
function fileOf(topic) {
  const [about, make] = topics[topic] ?? ["", () => []];
  const vectors = make(rows).map((vector) => ({ ...vector, name: `${vector.dialect}: ${vector.name}` }));
  const lines = vectors.map((vector) => `    ${JSON.stringify(vector)}`);
  const head = { $schema: "./vectors.schema.json", about, tools };
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "vectors": [\n${lines.join(",\n")}\n  ]\n}\n`;
}

const files = Object.fromEntries(Object.keys(topics).map((topic) => [`rule-${topic}.json`, fileOf(topic)]));
const read = (/** @type {string} */ name) =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "";
const changed = Object.keys(files).filter((name) => read(name) !== files[name]);
const gone = readdirSync(folder).filter((name) => name.startsWith("rule-") && !(name in files));
if (process.argv.includes("--check")) {
  for (const name of [...changed, ...gone])
    console.error(`conformance/dialects/${name} is old. Run: node scripts/dialect-vectors.mjs`);
  process.exitCode = changed.length + gone.length > 0 ? 1 : 0;
} else {
  for (const name of changed) writeFileSync(join(folder, name), files[name] ?? "");
  for (const name of gone) rmSync(join(folder, name));
  console.log(`${Object.keys(files).length} files, ${changed.length} changed`);
}
