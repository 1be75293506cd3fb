// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `granite`. */
export const granite: DialectRow = { id: "granite", engine: "json", open: [{ text: "<|tool_call|>", special: true }, { text: "<tool_call>" }], list: true, call: { name: { at: "key", keys: ["name"] } }, arguments: { keys: ["arguments", "parameters"] }, values: "json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<|end_of_text|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true, bare: "known-names" };
/** `granite`. */
export const graniteDialect: Dialect = /* @__PURE__ */ whole(granite, { models: ["granite-3*"], evidence: "parser", example: { text: "<|tool_call|>[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"SF\"}}, {\"name\": \"ping\", \"arguments\": {}}]", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
