// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `llama3-json`. */
export const llama3Json: DialectRow = { id: "llama3-json", engine: "json", open: [{ text: "<|python_tag|>", special: true, optional: true, unwritten: true }], separator: "; ", call: { name: { at: "key", keys: ["name"] } }, arguments: { keys: ["parameters", "arguments"] }, values: "json", reasoning: [], stops: ["<|eot_id|>", "<|eom_id|>"], suffix: "none", results: { open: "", item: "{content}", close: "", role: "tool", as: "json" }, write: true, bare: "known-names" };
/** `llama3-json`. */
export const llama3JsonDialect: Dialect = /* @__PURE__ */ whole(llama3Json, { models: ["Llama-3.*"], evidence: "template", example: { text: "{\"name\": \"get_weather\", \"parameters\": {\"city\": \"SF\"}}", calls: [{ name: "get_weather", input: { city: "SF" } }] } });
