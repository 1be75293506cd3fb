// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `lfm2`. */
export const lfm2: DialectRow = { id: "lfm2", engine: "python", arguments: {}, values: "python", suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true, open: [{ text: "<|tool_call_start|>", special: true }], close: [{ text: "<|tool_call_end|>", special: true }], list: true, call: { name: { at: "text", until: [{ text: "(" }] }, close: { text: ")" }, json: true }, plainSingleQuotes: true, reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<|im_end|>"], bare: "known-names" };
/** `lfm2`. */
export const lfm2Dialect: Dialect = /* @__PURE__ */ whole(lfm2, { models: ["LFM2*"], evidence: "template", example: { text: "<|tool_call_start|>[get_weather(city='SF', days=3), ping()]<|tool_call_end|>", calls: [{ name: "get_weather", input: { city: "SF", days: 3 } }, { name: "ping", input: {} }] } });
