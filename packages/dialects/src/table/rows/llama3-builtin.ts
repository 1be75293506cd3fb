// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect } from "../types.ts";

/** `llama3-builtin`. */
export const llama3Builtin: Dialect = { id: "llama3-builtin", engine: "python", arguments: {}, values: "python", suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true, models: [], evidence: "template", example: { text: "<|python_tag|>brave_search.call(query=\"SF\")", calls: [{ name: "brave_search", input: { query: "SF" } }] }, open: [{ text: "<|python_tag|>", special: true }], wrapsEach: true, call: { name: { at: "text", until: [{ text: ".call(" }] }, close: { text: ")" } }, reasoning: [], stops: ["<|eom_id|>", "<|eot_id|>"] };
