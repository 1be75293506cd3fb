// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `mistral-11`. */
export const mistral11: DialectRow = { id: "mistral-11", engine: "json", open: [], call: { open: { text: "[TOOL_CALLS]", special: true }, name: { at: "text", until: [{ text: "[ARGS]", special: true, optional: true }] }, id: { behind: "[CALL_ID]" } }, arguments: {}, values: "json", reasoning: [{ open: "[THINK]", close: "[/THINK]" }], stops: ["</s>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true, bare: "known-names" };
/** `mistral-11`. */
export const mistral11Dialect: Dialect = /* @__PURE__ */ whole(mistral11, { models: ["Mistral-Small-3.1*", "Mistral-Small-3.2*", "Mistral-Small-4*", "Mistral-Medium-3*", "Mistral-Large-3*", "Devstral*", "Ministral-3*", "Magistral*"], evidence: "parser", example: { text: "[TOOL_CALLS]get_weather[ARGS]{\"city\": \"SF\"}[TOOL_CALLS]ping[CALL_ID]a1B2c3D4e[ARGS]{}", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {}, id: "a1B2c3D4e" }] } });
