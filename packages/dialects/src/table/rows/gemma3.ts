// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `gemma3`. */
export const gemma3: DialectRow = { id: "gemma3", engine: "python", arguments: {}, values: "python", suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true, open: [{ text: "```tool_code\n", lineStart: true }], close: [{ text: "\n```" }], separator: "\n", call: { name: { at: "text", until: [{ text: "(" }] }, close: { text: ")" } }, reasoning: [], stops: ["<end_of_turn>"] };
/** `gemma3`. */
export const gemma3Dialect: Dialect = /* @__PURE__ */ whole(gemma3, { models: ["gemma-2*", "gemma-3*"], evidence: "second-hand", example: { text: "```tool_code\nget_weather(city=\"SF\")\nping()\n```", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
