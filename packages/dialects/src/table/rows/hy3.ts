// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `hy3`. */
export const hy3: DialectRow = { id: "hy3", engine: "tags", open: [{ prefix: "<tool_calls", suffix: ">\n", variable: 16, lead: ":" }], close: [{ prefix: "</tool_calls", suffix: ">", variable: 16, lead: ":" }], call: { open: { prefix: "<tool_call", suffix: ">", variable: 16, lead: ":" }, name: { at: "text", until: [{ prefix: "<tool_sep", suffix: ">\n", variable: 16, lead: ":" }] }, close: { prefix: "</tool_call", suffix: ">\n", variable: 16, lead: ":" } }, arguments: { open: { prefix: "<arg_key", suffix: ">", variable: 16, lead: ":" }, keyClose: { prefix: "</arg_key", suffix: ">\n", variable: 16, lead: ":" }, key: { prefix: "<arg_value", suffix: ">", variable: 16, lead: ":" }, close: { prefix: "</arg_value", suffix: ">\n", variable: 16, lead: ":" } }, values: "raw-or-json", reasoning: [{ open: "<think>", close: "</think>" }], stops: [], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `hy3`. */
export const hy3Dialect: Dialect = /* @__PURE__ */ whole(hy3, { models: ["Hunyuan-3*", "Hy3*"], evidence: "parser", example: { text: "<tool_calls>\n<tool_call>get_weather<tool_sep>\n<arg_key>city</arg_key>\n<arg_value>SF</arg_value>\n</tool_call>\n</tool_calls>", calls: [{ name: "get_weather", input: { city: "SF" } }] } });
