// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `exaone`. */
export const exaone: DialectRow = { id: "exaone", engine: "json", open: [{ text: "<tool_call>" }], close: [{ text: "</tool_call>" }], separator: "\n", wrapsEach: true, call: { name: { at: "key", keys: ["name"] } }, arguments: { keys: ["arguments", "parameters"] }, values: "json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["[|endofturn|]"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `exaone`. */
export const exaoneDialect: Dialect = /* @__PURE__ */ whole(exaone, { models: ["EXAONE-4*"], evidence: "template", example: { text: "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"SF\"}}</tool_call>", calls: [{ name: "get_weather", input: { city: "SF" } }] } });
