/**
 * Runs programs.txt in Node and writes expected.json. Run: node generate.mjs (Node 24 or later: it reads TypeScript, and some
 * programs use Object.groupBy, set methods and iterator helpers.)
 *
 * The values are plain JSON, so that how the sandbox makes JSON of other values is no part of them. Node's version is
 * stored with them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { corpusTools } from "./tools.ts";

const AsyncFunction = (async () => {}).constructor;

class ToolError extends Error {
  name = "ToolError";
}

/** One object in, JSON over to the tool and back, always a promise. */
function asProgramTool(execute) {
  return async (args) => {
    const given = JSON.parse(JSON.stringify(args ?? {}));
    return JSON.parse(JSON.stringify((await execute(given)) ?? null));
  };
}

const tools = Object.entries(corpusTools(ToolError));
const names = tools.map(([name]) => name.replace(/\W/g, "_"));
const functions = tools.map(([, { execute }]) => asProgramTool(execute));
const quiet = new Proxy({}, { get: () => () => {} });

async function programValue(code) {
  globalThis.__result__ = undefined;
  const source = `${code}\n;return __result__`;
  const program = new AsyncFunction("ToolError", "console", ...names, source);
  return await program.call(undefined, ToolError, quiet, ...functions);
}

const text = readFileSync(new URL("./programs.txt", import.meta.url), "utf8");
const values = {};
for (const part of text.split(/^=== /m).slice(1)) {
  const end = part.indexOf("\n");
  const name = part.slice(0, end).trim();
  const code = part.slice(end + 1);
  if (Object.hasOwn(values, name)) throw new Error(`two programs are named ${name}`);
  const value = await programValue(name.endsWith("(CRLF)") ? code.replaceAll("\n", "\r\n") : code);
  const json = JSON.stringify(value);
  if (json === undefined) throw new Error(`${name} has no value`);
  checkPlain(name, value);
  values[name] = JSON.parse(json);
}

/** A value that JSON would change says nothing about the engine. */
function checkPlain(path, value) {
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number" && Number.isFinite(value) && !Object.is(value, -0)) return;
  const plain = typeof value === "object" && [Array.prototype, Object.prototype].includes(Object.getPrototypeOf(value));
  if (!plain || Object.getOwnPropertySymbols(value).length > 0) throw new Error(`${path} is no plain JSON`);
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) checkPlain(`${path}.${key}`, value[key]);
}

const entries = Object.entries(values).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
const file = new URL("./expected.json", import.meta.url);
writeFileSync(file, `{\n "node": "${process.versions.node}",\n "values": {\n${entries.join(",\n")}\n }\n}\n`);
console.log(`${entries.length} values by Node ${process.versions.node}`);
