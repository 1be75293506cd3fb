// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `gemma4`. */
export const gemma4: DialectRow = { id: "gemma4", engine: "keyed", open: [{ text: "<|tool_call>", special: true }], close: [{ text: "<tool_call|>", special: true }], wrapsEach: true, call: { open: { text: "call:", optional: true, lookAlikes: [":call:", ":"] }, name: { at: "text", until: [{ text: "{" }] }, close: { text: "}" } }, arguments: {}, values: "gemma", stringDelimiters: [["<|\"|>", "<|\"|>"]], sorted: true, reasoning: [{ open: "<|channel>thought\n", close: "<channel|>", channel: true }], stops: ["<turn|>", "<|tool_response>"], suffix: "none", results: { open: "", item: "<|tool_response>response:{name}{value:{content}}<tool_response|>", close: "", role: "tool", separator: "", as: "gemma" }, write: true, bare: "known-names" };
/** `gemma4`. */
export const gemma4Dialect: Dialect = /* @__PURE__ */ whole(gemma4, { models: ["gemma-4*"], evidence: "template", example: { text: "<|tool_call>call:get_weather{city:<|\"|>SF<|\"|>,l:[1,2],n:3,o:{k:<|\"|>v<|\"|>},ok:true}<tool_call|><|tool_call>call:ping{}<tool_call|>", calls: [{ name: "get_weather", input: { city: "SF", l: [1, 2], n: 3, o: { k: "v" }, ok: true } }, { name: "ping", input: {} }] } });
