// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `longcat`. */
export const longcat: DialectRow = { id: "longcat", engine: "json", open: [{ text: "<longcat_tool_call>\n" }], close: [{ text: "\n</longcat_tool_call>" }], separator: "\n", wrapsEach: true, call: { name: { at: "key", keys: ["name"] } }, arguments: { keys: ["arguments", "parameters"] }, values: "json", reasoning: [{ open: "<longcat_think>", close: "</longcat_think>" }, { open: "<think>", close: "</think>" }], stops: ["</longcat_s>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `longcat`. */
export const longcatDialect: Dialect = /* @__PURE__ */ whole(longcat, { models: ["LongCat-Flash*"], evidence: "parser", example: { text: "<longcat_tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"SF\"}}\n</longcat_tool_call>", calls: [{ name: "get_weather", input: { city: "SF" } }] } });
