// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `deepseek-v3`. */
export const deepseekV3: DialectRow = { id: "deepseek-v3", engine: "json", open: [{ text: "<｜tool▁calls▁begin｜>", special: true }], close: [{ text: "<｜tool▁calls▁end｜>", special: true }], separator: "\n", call: { open: { text: "<｜tool▁call▁begin｜>function<｜tool▁sep｜>", special: true }, name: { at: "text", until: [{ text: "\n```json\n", optional: true }, { text: "\n" }] }, close: { text: "\n```<｜tool▁call▁end｜>", special: true } }, arguments: {}, values: "json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<｜end▁of▁sentence｜>"], suffix: "none", results: { open: "<｜tool▁outputs▁begin｜>", item: "<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>", close: "<｜tool▁outputs▁end｜>", role: "tool", separator: "" }, write: true };
/** `deepseek-v3`. */
export const deepseekV3Dialect: Dialect = /* @__PURE__ */ whole(deepseekV3, { models: ["DeepSeek-V3", "DeepSeek-V3-0324", "DeepSeek-R1*", "cogito*"], evidence: "template", example: { text: "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{\"city\": \"SF\"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>ping\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
