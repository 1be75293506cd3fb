// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `dsml4`. */
export const dsml4: DialectRow = { id: "dsml4", engine: "tags", open: [{ text: "<｜DSML｜tool_calls>\n", lookAlikes: ["<｜DSML｜ tool_calls>"] }], close: [{ text: "</｜DSML｜tool_calls>", lookAlikes: ["</tool_calls>", "</｜DSML｜ tool_calls>"] }], call: { open: { text: "<｜DSML｜invoke", lookAlikes: ["<invoke", "<｜DSML｜ invoke"] }, name: { at: "attribute", attribute: "name" }, openEnd: ">\n", close: { text: "</｜DSML｜invoke>\n", lookAlikes: ["</invoke>", "</｜DSML｜ invoke>"] } }, arguments: { open: { text: "<｜DSML｜parameter", lookAlikes: ["<parameter", "<｜DSML｜ parameter"] }, key: { attribute: "name" }, close: { text: "</｜DSML｜parameter>\n", lookAlikes: ["</parameter>", "</｜DSML｜ parameter>"] }, typeMark: { attribute: "string", raw: ["true"] }, otherMark: "false" }, values: "raw-or-json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<｜end▁of▁sentence｜>"], suffix: "none", results: { open: "<function_results>\n", item: "<result>{content}</result>", close: "\n</function_results>", role: "user" }, write: true };
/** `dsml4`. */
export const dsml4Dialect: Dialect = /* @__PURE__ */ whole(dsml4, { models: ["DeepSeek-V4*"], evidence: "parser", example: { text: "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"get_weather\">\n<｜DSML｜parameter name=\"city\" string=\"true\">SF</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name=\"ping\">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
