// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect } from "../types.ts";

/** `phi4-mini`. */
export const phi4Mini: Dialect = { id: "phi4-mini", engine: "json", models: ["Phi-4-mini*"], evidence: "template", example: { text: "functools[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"SF\"}}, {\"name\": \"ping\", \"arguments\": {}}]", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] }, open: [{ text: "functools" }], list: true, call: { name: { at: "key", keys: ["name"] } }, arguments: { keys: ["arguments", "parameters"] }, values: "json", reasoning: [], stops: ["<|end|>", "<|endoftext|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
