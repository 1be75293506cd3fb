// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `hy4`. */
export const hy4: DialectRow = { id: "hy4", engine: "tags", open: [{ prefix: "<tool_calls", suffix: ">", variable: 16, lead: ":" }], close: [{ prefix: "</tool_calls", suffix: ">", variable: 16, lead: ":" }], call: { open: { prefix: "<tool_call", suffix: ">", variable: 16, lead: ":" }, name: { at: "text", until: [] }, close: { prefix: "</tool_call", suffix: ">", variable: 16, lead: ":" } }, arguments: { open: { prefix: "<arg_key", suffix: ">", variable: 16, lead: ":" }, keyClose: { prefix: "</arg_key", suffix: ">", variable: 16, lead: ":" }, key: { prefix: "<arg_value", suffix: ">", variable: 16, lead: ":" }, close: { prefix: "</arg_value", suffix: ">", variable: 16, lead: ":" } }, values: "raw-or-json", reasoning: [{ open: "<think>", close: "</think>" }], stops: [], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `hy4`. */
export const hy4Dialect: Dialect = /* @__PURE__ */ whole(hy4, { models: ["Hy4*", "Hunyuan-4*"], evidence: "parser", example: { text: "<tool_calls><tool_call>get_weather<arg_key>city</arg_key><arg_value>SF</arg_value></tool_call><tool_call>ping</tool_call></tool_calls>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
