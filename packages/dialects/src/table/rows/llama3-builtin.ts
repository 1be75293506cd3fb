// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `llama3-builtin`. */
export const llama3Builtin: DialectRow = { id: "llama3-builtin", engine: "python", arguments: {}, values: "python", suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true, open: [{ text: "<|python_tag|>", special: true }], wrapsEach: true, call: { name: { at: "text", until: [{ text: ".call(" }] }, close: { text: ")" } }, reasoning: [], stops: ["<|eom_id|>", "<|eot_id|>"] };
/** `llama3-builtin`. */
export const llama3BuiltinDialect: Dialect = /* @__PURE__ */ whole(llama3Builtin, { models: [], evidence: "template", example: { text: "<|python_tag|>brave_search.call(query=\"SF\")", calls: [{ name: "brave_search", input: { query: "SF" } }] } });
