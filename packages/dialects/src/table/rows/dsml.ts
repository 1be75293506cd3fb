// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `dsml`. */
export const dsml: DialectRow = { id: "dsml", engine: "tags", open: [{ text: "<｜DSML｜function_calls>\n", lookAlikes: ["<function_calls>", "<｜DSML｜ function_calls>"] }], close: [{ text: "</｜DSML｜function_calls>", lookAlikes: ["</function_calls>", "</｜DSML｜ function_calls>"] }], call: { open: { text: "<｜DSML｜invoke", lookAlikes: ["<invoke", "<｜DSML｜ invoke"] }, name: { at: "attribute", attribute: "name" }, openEnd: ">\n", close: { text: "</｜DSML｜invoke>\n", lookAlikes: ["</invoke>", "</｜DSML｜ invoke>"] } }, arguments: { open: { text: "<｜DSML｜parameter", lookAlikes: ["<parameter", "<｜DSML｜ parameter"] }, key: { attribute: "name" }, close: { text: "</｜DSML｜parameter>\n", lookAlikes: ["</parameter>", "</｜DSML｜ parameter>"] }, typeMark: { attribute: "string", raw: ["true"] }, otherMark: "false" }, values: "raw-or-json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<｜end▁of▁sentence｜>"], suffix: "none", results: { open: "<function_results>\n", item: "<result>{content}</result>", close: "\n</function_results>", role: "user" }, write: true };
/** `dsml`. */
export const dsmlDialect: Dialect = /* @__PURE__ */ whole(dsml, { models: ["DeepSeek-V3.2", "DeepSeek-V3.2-Speciale*"], evidence: "template", example: { text: "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"get_weather\">\n<｜DSML｜parameter name=\"city\" string=\"true\">SF</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name=\"ping\">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
