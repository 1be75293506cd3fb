// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `functiongemma`. */
export const functiongemma: DialectRow = { id: "functiongemma", engine: "keyed", open: [{ text: "<start_function_call>", special: true }], close: [{ text: "<end_function_call>", special: true }], wrapsEach: true, call: { open: { text: "call:", optional: true, lookAlikes: [":call:", ":"] }, name: { at: "text", until: [{ text: "{" }] }, close: { text: "}" } }, arguments: {}, values: "gemma", stringDelimiters: [["<escape>", "<escape>"]], sorted: true, reasoning: [], stops: ["<end_of_turn>", "<start_function_response>"], suffix: "none", results: { open: "", item: "<start_function_response>response:{name}{value:{content}}<end_function_response>", close: "", role: "tool", separator: "", as: "gemma" }, write: true, bare: "known-names" };
/** `functiongemma`. */
export const functiongemmaDialect: Dialect = /* @__PURE__ */ whole(functiongemma, { models: ["functiongemma*"], evidence: "template", example: { text: "<start_function_call>call:get_weather{city:<escape>SF<escape>}<end_function_call>", calls: [{ name: "get_weather", input: { city: "SF" } }] } });
