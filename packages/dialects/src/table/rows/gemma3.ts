// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect } from "../types.ts";

/** `gemma3`. */
export const gemma3: Dialect = { id: "gemma3", engine: "python", arguments: {}, values: "python", suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true, models: ["gemma-2*", "gemma-3*"], evidence: "second-hand", example: { text: "```tool_code\nget_weather(city=\"SF\")\nping()\n```", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] }, open: [{ text: "```tool_code\n", lineStart: true }], close: [{ text: "\n```" }], separator: "\n", call: { name: { at: "text", until: [{ text: "(" }] }, close: { text: ")" } }, reasoning: [], stops: ["<end_of_turn>"] };
