// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `deepseek-v3.1`. */
export const deepseekV3_1: DialectRow = { id: "deepseek-v3.1", engine: "json", open: [{ text: "<｜tool▁calls▁begin｜>", special: true }], close: [{ text: "<｜tool▁calls▁end｜>", special: true }], call: { open: { text: "<｜tool▁call▁begin｜>", special: true }, name: { at: "text", until: [{ text: "<｜tool▁sep｜>", special: true }] }, close: { text: "<｜tool▁call▁end｜>", special: true } }, arguments: {}, values: "json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<｜end▁of▁sentence｜>"], suffix: "none", results: { open: "<｜tool▁outputs▁begin｜>", item: "<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>", close: "<｜tool▁outputs▁end｜>", role: "tool", separator: "" }, write: true };
/** `deepseek-v3.1`. */
export const deepseekV3_1Dialect: Dialect = /* @__PURE__ */ whole(deepseekV3_1, { models: ["DeepSeek-V3.1*", "DeepSeek-V3.2-Exp*"], evidence: "template", example: { text: "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{\"city\": \"SF\"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>ping<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
