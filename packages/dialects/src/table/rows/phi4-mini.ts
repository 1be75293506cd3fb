// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `phi4-mini`. */
export const phi4Mini: DialectRow = { id: "phi4-mini", engine: "json", open: [{ text: "functools" }], list: true, call: { name: { at: "key", keys: ["name"] } }, arguments: { keys: ["arguments", "parameters"] }, values: "json", reasoning: [], stops: ["<|end|>", "<|endoftext|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `phi4-mini`. */
export const phi4MiniDialect: Dialect = /* @__PURE__ */ whole(phi4Mini, { models: ["Phi-4-mini*"], evidence: "template", example: { text: "functools[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"SF\"}}, {\"name\": \"ping\", \"arguments\": {}}]", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
