// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `mistral`. */
export const mistral: DialectRow = { id: "mistral", engine: "json", open: [{ text: "[TOOL_CALLS]", special: true }], list: true, call: { name: { at: "key", keys: ["name"] }, id: { key: "id" } }, arguments: { keys: ["arguments", "parameters"] }, values: "json", reasoning: [], stops: ["</s>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true, bare: "known-names" };
/** `mistral`. */
export const mistralDialect: Dialect = /* @__PURE__ */ whole(mistral, { models: ["Mistral-7B-Instruct-v0.3*", "Mistral-Nemo*", "Mixtral-8x22B*", "Mistral-Large-2407*", "Mistral-Large-Instruct-2407*", "Mistral-Small-Instruct-2409*", "Mistral-Small-24B-Instruct-2501*"], evidence: "parser", example: { text: "[TOOL_CALLS][{\"name\": \"get_weather\", \"arguments\": {\"city\": \"SF\"}}, {\"name\": \"ping\", \"arguments\": {}, \"id\": \"a1B2c3D4e\"}]", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {}, id: "a1B2c3D4e" }] } });
