// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `atem`. */
export const atem: DialectRow = { id: "atem", engine: "messages", open: [{ text: "<atem:function_calls>\n" }], close: [{ text: "</atem:function_calls>" }], call: { open: { text: "<atem:invoke" }, name: { at: "attribute", attribute: "name" }, openEnd: ">\n", close: { text: "</atem:invoke>\n" } }, arguments: { open: { text: "<atem:parameter" }, key: { attribute: "name" }, close: { text: "</atem:parameter>\n" } }, values: "raw-or-json", reasoning: [{ open: "<|start|>assistant to=self<|message|>", close: "<|eom|>", channel: true }], stops: ["<|eom|>", "<|eot|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true, wrapsEach: true, separator: "<|eom|>", header: "<|start|>assistant to={name}<|message|>", prose: [{ open: "<|start|>assistant to=user<|message|>", close: "<|eom|>" }] };
/** `atem`. */
export const atemDialect: Dialect = /* @__PURE__ */ whole(atem, { models: ["Muse-Glimmer*"], evidence: "template", example: { text: "<|start|>assistant to=get_weather<|message|><atem:function_calls>\n<atem:invoke name=\"get_weather\">\n<atem:parameter name=\"city\">SF</atem:parameter>\n</atem:invoke>\n</atem:function_calls>", calls: [{ name: "get_weather", input: { city: "SF" } }] } });
