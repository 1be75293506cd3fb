// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `anthropic-xml`. */
export const anthropicXml: DialectRow = { id: "anthropic-xml", engine: "tags", open: [{ text: "<function_calls>\n", lookAlikes: ["<antml:function_calls>"] }], close: [{ text: "</function_calls>", lookAlikes: ["</antml:function_calls>"] }], call: { open: { text: "<invoke", lookAlikes: ["<antml:invoke"] }, name: { at: "attribute", attribute: "name" }, openEnd: ">\n", close: { text: "</invoke>\n", lookAlikes: ["</antml:invoke>"] } }, arguments: { open: { text: "<parameter", lookAlikes: ["<antml:parameter"] }, key: { attribute: "name" }, close: { text: "</parameter>\n", lookAlikes: ["</antml:parameter>"] } }, values: "raw-or-json", reasoning: [{ open: "<think>", close: "</think>" }], stops: [], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `anthropic-xml`. */
export const anthropicXmlDialect: Dialect = /* @__PURE__ */ whole(anthropicXml, { models: [], evidence: "parser", example: { text: "<function_calls>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">SF</parameter>\n</invoke>\n<invoke name=\"ping\">\n</invoke>\n</function_calls>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
