// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `openai-loose`. */
export const openaiLoose: DialectRow = { id: "openai-loose", engine: "json", open: [{ text: "```json\n", optional: true, lineStart: true }, { text: "```tool_call\n", optional: true, lineStart: true }], close: [{ text: "\n```", optional: true }], call: { name: { at: "key", keys: ["name"] } }, arguments: { keys: ["arguments", "parameters", "input", "args"] }, values: "json", reasoning: [], stops: [], suffix: "none", write: false, bare: "known-names" };
/** `openai-loose`. */
export const openaiLooseDialect: Dialect = /* @__PURE__ */ whole(openaiLoose, { models: [], evidence: "second-hand", example: { text: "{\"type\": \"function\", \"function\": {\"name\": \"get_weather\", \"arguments\": {\"city\": \"SF\"}}}", calls: [{ name: "get_weather", input: { city: "SF" } }] } });
