// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect } from "../types.ts";

/** `openai-loose`. */
export const openaiLoose: Dialect = { id: "openai-loose", engine: "json", models: [], evidence: "second-hand", example: { text: "{\"type\": \"function\", \"function\": {\"name\": \"get_weather\", \"arguments\": {\"city\": \"SF\"}}}", calls: [{ name: "get_weather", input: { city: "SF" } }] }, open: [{ text: "```json\n", optional: true, lineStart: true }, { text: "```tool_call\n", optional: true, lineStart: true }], close: [{ text: "\n```", optional: true }], call: { name: { at: "key", keys: ["name"] } }, arguments: { keys: ["arguments", "parameters", "input", "args"] }, values: "json", reasoning: [], stops: [], suffix: "none", write: false, bare: "known-names" };
