// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `step3`. */
export const step3: DialectRow = { id: "step3", engine: "tags", open: [{ text: "<｜tool_calls_begin｜>", special: true }], close: [{ text: "<｜tool_calls_end｜>", special: true }], call: { open: { text: "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke" }, name: { at: "attribute", attribute: "name" }, close: { text: "</steptml:invoke><｜tool_call_end｜>" } }, arguments: { open: { text: "<steptml:parameter" }, key: { attribute: "name" }, close: { text: "</steptml:parameter>" } }, values: "raw-or-json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<|EOT|>", "<｜end▁of▁sentence｜>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `step3`. */
export const step3Dialect: Dialect = /* @__PURE__ */ whole(step3, { models: ["step3", "step3-*"], evidence: "parser", example: { text: "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"get_weather\"><steptml:parameter name=\"city\">SF</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>", calls: [{ name: "get_weather", input: { city: "SF" } }] } });
