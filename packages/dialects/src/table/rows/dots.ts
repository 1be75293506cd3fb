// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `dots`. */
export const dots: DialectRow = { id: "dots", engine: "tags", open: [{ text: "<dots_function_call>\n" }], close: [{ text: "</dots_function_call>" }], call: { open: { text: "<invoke" }, name: { at: "attribute", attribute: "name" }, openEnd: ">\n", close: { text: "</invoke>\n" } }, arguments: { open: { text: "<parameter" }, key: { attribute: "name" }, close: { text: "</parameter>\n" } }, values: "raw-or-json", reasoning: [{ open: "<think>", close: "</think>" }], stops: [], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `dots`. */
export const dotsDialect: Dialect = /* @__PURE__ */ whole(dots, { models: ["dots*"], evidence: "parser", example: { text: "<dots_function_call>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">SF</parameter>\n</invoke>\n<invoke name=\"ping\">\n</invoke>\n</dots_function_call>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
