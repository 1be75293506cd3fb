// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `minimax-m3`. */
export const minimaxM3: DialectRow = { id: "minimax-m3", engine: "tags", open: [{ text: "]<]minimax[>[<tool_call>\n", special: true }], close: [{ text: "]<]minimax[>[</tool_call>", special: true }], call: { open: { text: "]<]minimax[>[<invoke", special: true }, name: { at: "attribute", attribute: "name" }, close: { text: "]<]minimax[>[</invoke>\n", special: true } }, arguments: { open: { text: "]<]minimax[>[<", special: true }, key: "tag", close: { text: "]<]minimax[>[</", special: true } }, values: "tree", reasoning: [{ open: "<think>", close: "</think>" }, { open: "]<]minimax[>[<think>", close: "]<]minimax[>[</think>" }], stops: ["[e~["], suffix: "none", results: { open: "", item: "<response>{content}</response>", close: "", role: "tool" }, write: true };
/** `minimax-m3`. */
export const minimaxM3Dialect: Dialect = /* @__PURE__ */ whole(minimaxM3, { models: ["MiniMax-M3*"], evidence: "parser", example: { text: "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"get_weather\">]<]minimax[>[<city>SF]<]minimax[>[</city>]<]minimax[>[</invoke>\n]<]minimax[>[<invoke name=\"ping\">]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
