// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `gigachat3.5`. */
export const gigachat3_5: DialectRow = { id: "gigachat3.5", engine: "tags", open: [{ text: "<｜GCML｜tool_calls>\n" }], close: [{ text: "</｜GCML｜tool_calls>" }], call: { open: { text: "<｜GCML｜invoke" }, name: { at: "attribute", attribute: "name" }, openEnd: ">\n", close: { text: "</｜GCML｜invoke>\n" } }, arguments: { open: { text: "<｜GCML｜parameter" }, key: { attribute: "name" }, close: { text: "</｜GCML｜parameter>\n" }, typeMark: { attribute: "string", raw: ["true"] }, otherMark: "false" }, values: "raw-or-json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<|message_sep|>"], suffix: "none", results: { open: "", item: "<function_response name=\"{name}\">{content}</function_response>", close: "", role: "tool" }, write: true };
/** `gigachat3.5`. */
export const gigachat3_5Dialect: Dialect = /* @__PURE__ */ whole(gigachat3_5, { models: ["GigaChat3.5*", "GigaChat-3.5*"], evidence: "template", example: { text: "<｜GCML｜tool_calls>\n<｜GCML｜invoke name=\"get_weather\">\n<｜GCML｜parameter name=\"city\" string=\"true\">SF</｜GCML｜parameter>\n</｜GCML｜invoke>\n<｜GCML｜invoke name=\"ping\">\n</｜GCML｜invoke>\n</｜GCML｜tool_calls>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
