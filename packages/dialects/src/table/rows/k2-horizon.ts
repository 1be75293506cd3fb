// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `k2-horizon`. */
export const k2Horizon: DialectRow = { id: "k2-horizon", engine: "tags", open: [{ text: "<ifm|tool_calls>\n", optional: true }], close: [{ text: "</ifm|tool_calls>", optional: true }], call: { open: { text: "<ifm|tool_call>" }, name: { at: "text", until: [{ text: "\n" }] }, close: { text: "</ifm|tool_call>\n" }, json: true }, arguments: { open: { text: "<ifm|arg_key>" }, keyClose: { text: "</ifm|arg_key>\n" }, key: { text: "<ifm|arg_value>" }, close: { text: "</ifm|arg_value>\n" }, typeMark: { element: "ifm|arg_type", raw: ["string"] } }, values: "raw-or-json", reasoning: [{ open: "<ifm|think>", close: "</ifm|think>" }, { open: "<ifm|think_fast>", close: "</ifm|think_fast>" }, { open: "<ifm|think_faster>", close: "</ifm|think_faster>" }], stops: ["<|ifm|im_end|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `k2-horizon`. */
export const k2HorizonDialect: Dialect = /* @__PURE__ */ whole(k2Horizon, { models: ["K2-Horizon*"], evidence: "parser", example: { text: "<ifm|tool_calls>\n<ifm|tool_call>get_weather\n<ifm|arg_key>city</ifm|arg_key>\n<ifm|arg_value>SF</ifm|arg_value>\n</ifm|tool_call>\n</ifm|tool_calls>", calls: [{ name: "get_weather", input: { city: "SF" } }] } });
