// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `minicpm5`. */
export const minicpm5: DialectRow = { id: "minicpm5", engine: "tags", open: [], separator: "\n", call: { open: { text: "<function" }, name: { at: "attribute", attribute: "name" }, close: { text: "</function>" } }, arguments: { open: { text: "<param" }, key: { attribute: "name" }, close: { text: "</param>" }, cdata: true }, values: "raw-or-json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<|im_end|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `minicpm5`. */
export const minicpm5Dialect: Dialect = /* @__PURE__ */ whole(minicpm5, { models: ["MiniCPM5*"], evidence: "template", example: { text: "<function name=\"get_weather\"><param name=\"city\">SF</param></function>\n<function name=\"ping\"></function>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
