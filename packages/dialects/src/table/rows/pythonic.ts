// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `pythonic`. */
export const pythonic: DialectRow = { id: "pythonic", engine: "python", arguments: {}, values: "python", suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true, open: [{ text: "<|python_start|>", special: true, optional: true, unwritten: true }], close: [{ text: "<|python_end|>", special: true, optional: true, unwritten: true }], list: true, call: { name: { at: "text", until: [{ text: "(" }] }, close: { text: ")" } }, reasoning: [], stops: ["<|eot|>", "<|eom|>"], bare: "known-names" };
/** `pythonic`. */
export const pythonicDialect: Dialect = /* @__PURE__ */ whole(pythonic, { models: ["Llama-4*", "ToolACE*"], evidence: "parser", example: { text: "[get_weather(city=\"SF\"), ping()]", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
