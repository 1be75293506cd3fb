// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect } from "../types.ts";

/** `exaone`. */
export const exaone: Dialect = { id: "exaone", engine: "json", models: ["EXAONE-4*"], evidence: "template", example: { text: "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"SF\"}}</tool_call>", calls: [{ name: "get_weather", input: { city: "SF" } }] }, open: [{ text: "<tool_call>" }], close: [{ text: "</tool_call>" }], separator: "\n", wrapsEach: true, call: { name: { at: "key", keys: ["name"] } }, arguments: { keys: ["arguments", "parameters"] }, values: "json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["[|endofturn|]"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
