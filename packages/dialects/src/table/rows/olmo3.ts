// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `olmo3`. */
export const olmo3: DialectRow = { id: "olmo3", engine: "python", arguments: {}, values: "python", suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true, open: [{ text: "<function_calls>" }], close: [{ text: "</function_calls>" }], separator: "\n", call: { name: { at: "text", until: [{ text: "(" }] }, close: { text: ")" } }, reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<|im_end|>", "<|endoftext|>"] };
/** `olmo3`. */
export const olmo3Dialect: Dialect = /* @__PURE__ */ whole(olmo3, { models: ["Olmo-3*"], evidence: "parser", example: { text: "<function_calls>get_weather(city=\"SF\")\nping()</function_calls>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
