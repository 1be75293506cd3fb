// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect } from "../types.ts";

/** `minicpm5`. */
export const minicpm5: Dialect = { id: "minicpm5", engine: "tags", models: ["MiniCPM5*"], evidence: "template", example: { text: "<function name=\"get_weather\"><param name=\"city\">SF</param></function>\n<function name=\"ping\"></function>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] }, open: [], separator: "\n", call: { open: { text: "<function" }, name: { at: "attribute", attribute: "name" }, close: { text: "</function>" } }, arguments: { open: { text: "<param" }, key: { attribute: "name" }, close: { text: "</param>" }, cdata: true }, values: "raw-or-json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<|im_end|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
