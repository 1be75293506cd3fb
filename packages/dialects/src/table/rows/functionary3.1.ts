// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `functionary3.1`. */
export const functionary3_1: DialectRow = { id: "functionary3.1", engine: "json", open: [], call: { open: { text: "<function=" }, name: { at: "text", until: [{ text: ">" }] }, close: { text: "</function>" } }, arguments: {}, values: "json", reasoning: [], stops: ["<|eom_id|>", "<|eot_id|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `functionary3.1`. */
export const functionary3_1Dialect: Dialect = /* @__PURE__ */ whole(functionary3_1, { models: ["functionary-*v3.1*"], evidence: "parser", example: { text: "<function=get_weather>{\"city\": \"SF\"}</function>", calls: [{ name: "get_weather", input: { city: "SF" } }] } });
