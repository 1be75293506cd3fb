// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `functionary3.2`. */
export const functionary3_2: DialectRow = { id: "functionary3.2", engine: "json", open: [], separator: "\n", call: { open: { text: ">>>", lineStart: true }, name: { at: "text", until: [{ text: "\n" }] } }, arguments: {}, values: "json", prose: [{ open: ">>>all\n", close: "" }], reasoning: [], stops: ["<|eot_id|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true, bare: "known-names" };
/** `functionary3.2`. */
export const functionary3_2Dialect: Dialect = /* @__PURE__ */ whole(functionary3_2, { models: ["functionary-*v3.2*"], evidence: "template", example: { text: ">>>get_weather\n{\"city\": \"SF\"}\n>>>ping\n{}", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
