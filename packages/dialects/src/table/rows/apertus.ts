// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `apertus`. */
export const apertus: DialectRow = { id: "apertus", engine: "json", open: [{ text: "<|tools_prefix|>", special: true }], close: [{ text: "<|tools_suffix|>", special: true }], list: true, call: { name: { at: "only-key" } }, arguments: {}, values: "json", reasoning: [{ open: "<|inner_prefix|>", close: "<|inner_suffix|>" }], stops: ["<|assistant_end|>"], suffix: "text", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `apertus`. */
export const apertusDialect: Dialect = /* @__PURE__ */ whole(apertus, { models: ["Apertus*"], evidence: "template", example: { text: "<|tools_prefix|>[{\"get_weather\": {\"city\": \"SF\"}}, {\"ping\": {}}]<|tools_suffix|>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
