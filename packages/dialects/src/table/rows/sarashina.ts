// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `sarashina`. */
export const sarashina: DialectRow = { id: "sarashina", engine: "json", arguments: { keys: ["arguments", "parameters"] }, values: "python", suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true, open: [{ text: "<|tool_calls|>", special: true, optional: true }], list: true, singleQuotes: true, call: { name: { at: "key", keys: ["name"] } }, reasoning: [], stops: ["</s>"], bare: "known-names" };
/** `sarashina`. */
export const sarashinaDialect: Dialect = /* @__PURE__ */ whole(sarashina, { models: ["sarashina*"], evidence: "parser", example: { text: "<|tool_calls|>[{'name': 'get_weather', 'arguments': {'city': 'SF'}}, {'name': 'ping', 'arguments': {}}]", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
