// Writes what packages/dialects/dialects.json says: the TypeScript of the table, the entry of each dialect with its place in
// package.json, the copy that ports read, the marks that damaged calls end in, and the table of docs/dialects.md.
// Run: node scripts/dialects.mjs [--check]. With --check nothing is written, and a difference is an error.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { callMarks } from "./lib/call-marks.mjs";

const root = join(import.meta.dirname, "..");
const home = join(root, "packages/dialects");
const tables = join(home, "src/table");
const source = readFileSync(join(home, "dialects.json"), "utf8");
/** @type {Record<string, Record<string, unknown> & { engine: string; arguments: Record<string, unknown> }>} */
const dialects = JSON.parse(source);
const ids = Object.keys(dialects);
const note =
  "// Written by scripts/dialects.mjs from dialects.json: change that, and run it.\n// biome-ignore-all format: written by a script.\n// biome-ignore-all assist/source/organizeImports: written by a script.\n";

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

/** What reads parts of calls, and the file that it is in. */
const files = {
  attributeName: "names/attribute.ts",
  attributesBody: "engines/attribute-tags.ts",
  BareCalls: "scan/bare.ts",
  bareForms: "scan/bare-forms.ts",
  callAsJson: "engines/json-body.ts",
  gemmaLiterals: "values/gemma.ts",
  headerName: "engines/harmony.ts",
  isNextInList: "scan/next-in-list.ts",
  jsonBody: "bodies.ts",
  keyedBody: "bodies.ts",
  keyName: "names/key.ts",
  keyOrTextName: "names/key.ts",
  looseBody: "engines/loose-json.ts",
  proseHeaderAt: "engines/harmony.ts",
  ProseMarks: "scan/prose.ts",
  pythonBody: "engines/python.ts",
  pythonLiterals: "values/plain-quotes.ts",
  renderElements: "write/render-elements.ts",
  renderJson: "write/render-row.ts",
  renderNamespace: "write/render-namespace.ts",
  runHeader: "engines/run-header.ts",
  showWith: "write/render-row.ts",
  tagsBody: "engines/tags.ts",
  textName: "names/text.ts",
  variedAt: "scan/varied-marks.ts",
  treesBody: "engines/tag-tree.ts",
  typeMarkAt: "engines/type-mark.ts",
  writeCalls: "write/serialize.ts",
  writeUntagged: "write/serialize.ts",
};

/** A row, as far as it says what it needs. @typedef {{ engine: string; open: any[]; close?: any[]; call: any; arguments: any; values: string; list?: true; bare?: string; header?: string; prose?: any[]; reasoning: any[]; stops: string[]; write: boolean }} Row */

/** Returns the members of an entry's book, with the names of what its row needs. @param {Row} row */
function partsOf({
  engine,
  open,
  close = [],
  call,
  arguments: args,
  values,
  list,
  bare,
  header,
  prose = [],
  reasoning,
  stops,
  write,
}) {
  const form = engine !== "messages" ? engine : args.open ? "tags" : "json";
  const hasElements = args.key === "tag" || args.key?.attribute !== undefined;
  const bodies = {
    json: write ? "jsonBody" : "looseBody",
    keyed: "keyedBody",
    python: "pythonBody",
    tags: values === "tree" ? "treesBody" : hasElements ? "attributesBody" : "tagsBody",
  };
  const isHeader = call.open?.text?.startsWith("<|channel|>");
  const place = isHeader ? "header" : call.name.at === "only-key" ? "key" : call.name.at;
  const names = {
    key: list && close.length > 0 ? "keyOrTextName" : "keyName",
    text: "textName",
    attribute: "attributeName",
    header: "headerName",
  };
  const isAlike = [...open, call.open].some((mark) => mark?.lookAlikes);
  const varies = /[\uff5c\u2581]|"variable":/.test(JSON.stringify([open, close, call, args, reasoning, stops]));
  const marks = [...prose, ...reasoning].flatMap((one) => [one.open, one.close]);
  const vanish = [...marks, ...(engine === "messages" ? stops : [])].some((text) =>
    /^(?:<\||>>>)|.<\/?think>$/.test(text),
  );
  return {
    bodies: `{ ${form}: ${bodies[/** @type {keyof typeof bodies} */ (form)]} }`,
    names: `{ ${place}: ${names[/** @type {keyof typeof names} */ (place)]} }`,
    ...(list && { isNextInList: "isNextInList" }),
    ...(varies && { look: "variedAt" }),
    ...(values === "gemma" && { literals: "gemmaLiterals" }),
    ...(values === "python" && { literals: "pythonLiterals" }),
    ...(call.json && { asJson: "callAsJson" }),
    ...(header && { runHeader: "runHeader" }),
    ...(isAlike && args.typeMark?.attribute && { typeMarkAt: "typeMarkAt" }),
    ...((vanish || isHeader) && { prose: "ProseMarks" }),
    ...(isHeader && { heads: "[proseHeaderAt]" }),
    ...(bare && { bare: "BareCalls" }),
    ...(bare && (engine !== "json" || call.name.at !== "key") && { bareForms: "bareForms" }),
  };
}

/** What writes the tools of dialects that have a text of their own for them. @type {Record<string, string>} */
const shown = { hermes: "renderJson", "qwen-xml": "renderElements", glm: "renderJson", harmony: "renderNamespace" };

/** Returns the entry of one dialect. @param {string} id @param {Row} row */
function entryOf(id, row) {
  const render = shown[id];
  const write = row.arguments.open ? "writeCalls" : "writeUntagged";
  const show = render ? [`/* @__PURE__ */ showWith(${write}, ${render})`] : [];
  const made = {
    parse: "parseOf",
    createParser: "createParserOf",
    parseStream: "parseStreamOf",
    DialectParserStream: "streamClassOf",
    recoverToolCalls: "recoverOf",
    serialize: "serializeOf",
    formatResults: "formatResultsOf",
    ...(render && { renderTools: "renderToolsOf" }),
    explain: "explainOf",
    dialectProtocol: "protocolFor",
  };
  const parts = Object.entries(partsOf(row)).map(([name, part]) => (name === part ? name : `${name}: ${part}`));
  /** @type {string[]} */
  const used = `${parts.join()} ${write} ${show.join()}`.match(/\w+/g) ?? [];
  const imports = [
    'import type { OneBook, OneDialect } from "../only.ts";',
    'import * as only from "../only.ts";',
    `import { ${constant(id)}, ${constant(id)}Dialect } from "../table/rows/${id}.ts";`,
    'import type { Dialect } from "../table/types.ts";',
    ...Object.entries(files)
      .filter(([name]) => used.includes(name))
      .map(([name, file]) => `import { ${name} } from "../${file}";`),
  ];
  const book = `{ rows: [${constant(id)}], fixed: ${JSON.stringify(id)}, ${parts.join(", ")} }`;
  /** What makers need besides the book. @type {Record<string, string[]>} */
  const more = {
    serializeOf: [write],
    renderToolsOf: show,
    explainOf: [write],
    protocolFor: [write, ...show],
  };
  const exported = Object.entries(made).map(
    ([name, maker]) =>
      `/** As in the package's entry, for this dialect alone. */\nexport const ${name}: OneDialect["${name}"] = /* @__PURE__ */ only.${maker}(${["book", ...(more[maker] ?? [])].join(", ")});\n`,
  );
  return (
    `${note}/** The calls of \`${id}\` alone. */\n${imports.join("\n")}\n\n` +
    'export type * from "../public-types.ts";\n\n' +
    `const book: OneBook = ${book};\n\n` +
    `/** Its row of the table. */\nexport const dialect: Dialect = ${constant(id)}Dialect;\n${exported.join("")}`
  );
}

/** Returns the file of a row: what reads and writes it, and with that what tells about it. @param {string} id @param {Record<string, unknown>} row */
function rowFile(id, { models, evidence, example, ...row }) {
  const name = constant(id);
  return (
    `${note}import type { Dialect, DialectRow } from "../types.ts";\nimport { whole } from "../whole.ts";\n\n` +
    `/** What reads and writes \`${id}\`. */\nexport const ${name}: DialectRow = ${literal({ id, ...row })};\n` +
    `/** \`${id}\`. */\nexport const ${name}Dialect: Dialect = /* @__PURE__ */ whole(${name}, ${literal({ models, evidence, example })});\n`
  );
}

/** Returns the package's manifest with an entry for each dialect. */
function manifest() {
  const path = join(home, "package.json");
  const json = JSON.parse(readFileSync(path, "utf8"));
  const { ".": main, "./response-template": template, "./package.json": own } = json.exports;
  /** @param {(id: string) => object} entry */
  const all = (entry) => Object.fromEntries(ids.map((id) => [`./${id}`, entry(id)]));
  const built = (/** @type {string} */ id) => ({ types: `./dist/only/${id}.d.ts`, default: `./dist/only/${id}.js` });
  const published = json.publishConfig.exports;
  json.exports = {
    ".": main,
    ...all((id) => ({ source: `./src/only/${id}.ts`, ...built(id) })),
    "./response-template": template,
    "./package.json": own,
  };
  json.publishConfig.exports = {
    ".": published["."],
    ...all(built),
    "./response-template": published["./response-template"],
    "./package.json": own,
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}

/** Returns the marks of all dialects, and of what is seen besides: a line for each. */
function damageMarks() {
  const more = JSON.parse(readFileSync(join(root, "conformance/check-call/more-marks.json"), "utf8"));
  const rows = [...callMarks(/** @type {any} */ (dialects)), ...more];
  return `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n]\n`;
}

/** Returns the page of dialects with its table. */
function page() {
  const path = join(root, "docs/dialects.md");
  const cell = (/** @type {string} */ text) =>
    text
      .replaceAll("|", "\\|")
      .replace(/\r?\n/g, "⏎")
      .replace(/^(.{150}).+$/u, "$1…");
  const code = (/** @type {string} */ text) => {
    const fence = text.includes("`") ? "````" : "`";
    return fence === "`" ? `\`${cell(text)}\`` : `${fence} ${cell(text)} ${fence}`;
  };
  const rows = Object.entries(dialects).map(([id, { models, evidence, example }]) => {
    const [first = ""] = /** @type {{ text: string }} */ (example).text.split(/\n(?=<tool_call>\n\{"name": "ping)/);
    const names = /** @type {string[]} */ (models).map((name) => `\`${name}\``).join(", ");
    return `| \`${id}\` | ${names} | ${evidence} | ${code(first)} |`;
  });
  const table = ["| Dialect | Models | Evidence | A call |", "|---|---|---|---|", ...rows].join("\n");
  return readFileSync(path, "utf8").replace(
    /(<!-- table:[^>]*-->\n)[\s\S]*(<!-- \/table -->)/,
    (_, before, behind) => `${before}${table}\n${behind}`,
  );
}

const quoted = ids.map((id) => JSON.stringify(id));
/** @type {Record<string, string>} */
const texts = {
  ...Object.fromEntries(
    Object.entries(dialects).flatMap(([id, row]) => [
      [join(tables, `rows/${id}.ts`), rowFile(id, row)],
      [join(home, `src/only/${id}.ts`), entryOf(id, /** @type {any} */ (row))],
    ]),
  ),
  [join(home, "package.json")]: manifest(),
  [join(tables, "ids.ts")]:
    `${note}\n/** Ids of the dialects, in the order in which they are tried where several begin alike. */\n` +
    `export type DialectId =\n  | ${quoted.join("\n  | ")};\n\n` +
    `/** Every {@link DialectId}, in the same order. */\nexport const dialectIds: readonly DialectId[] = [\n  ${quoted.join(",\n  ")},\n];\n`,
  [join(tables, "marks.ts")]: `${note}\n${marksOf()}`,
  [join(tables, "all.ts")]:
    `${note}import type { DialectId } from "./ids.ts";\n${ids.map((id) => `import { ${constant(id)}Dialect } from "./rows/${id}.ts";\n`).join("")}import type { Dialect } from "./types.ts";\n\n` +
    "/** The dialects by their ids. */\n" +
    `export const dialects: Readonly<Record<DialectId, Dialect>> = {\n${ids.map((id) => `  ${JSON.stringify(id)}: ${constant(id)}Dialect,\n`).join("")}};\n`,
  [join(tables, "rows.ts")]:
    `${note}${ids.map((id) => `import { ${constant(id)} } from "./rows/${id}.ts";\n`).join("")}import type { DialectRow } from "./types.ts";\n\n` +
    "/** What reads and writes the dialects, in the order in which they are tried where several begin alike. */\n" +
    `export const rows: readonly DialectRow[] = [\n${ids.map((id) => `  ${constant(id)},\n`).join("")}];\n`,
  [join(root, "conformance/dialects/dialects.json")]: source,
  [join(root, "conformance/check-call/marks.json")]: damageMarks(),
  [join(root, "docs/dialects.md")]: page(),
};

const changed = Object.keys(texts).filter((path) => !existsSync(path) || readFileSync(path, "utf8") !== texts[path]);
const stale = ["src/only", "src/table/rows"].flatMap((folder) => {
  const path = join(home, folder);
  return existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [];
});
const gone = stale.filter((path) => !(path in texts));
if (process.argv.includes("--check")) {
  for (const path of [...changed, ...gone])
    console.error(`${path} is not what dialects.json says. Run: node scripts/dialects.mjs`);
  process.exitCode = changed.length + gone.length > 0 ? 1 : 0;
} else {
  for (const path of changed) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, texts[path] ?? "");
  }
  for (const path of gone) rmSync(path);
  console.log(`${ids.length} dialects, ${changed.length} files changed, ${gone.length} removed`);
}
