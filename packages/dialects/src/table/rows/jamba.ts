// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `jamba`. */
export const jamba: DialectRow = { id: "jamba", engine: "json", open: [{ text: "<tool_calls>" }], close: [{ text: "</tool_calls>" }], list: true, call: { name: { at: "key", keys: ["name"] } }, arguments: { keys: ["arguments", "parameters"] }, values: "json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<|eom|>", "<|eos|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `jamba`. */
export const jambaDialect: Dialect = /* @__PURE__ */ whole(jamba, { models: ["AI21-Jamba*", "Jamba*", "Hunyuan-A13B*", "MiniMax-M1*"], evidence: "parser", example: { text: "<tool_calls>[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"SF\"}}, {\"name\": \"ping\", \"arguments\": {}}]</tool_calls>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
