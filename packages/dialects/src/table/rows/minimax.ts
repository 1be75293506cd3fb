// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `minimax`. */
export const minimax: DialectRow = { id: "minimax", engine: "tags", open: [{ text: "<minimax:tool_call>\n", special: true }], close: [{ text: "</minimax:tool_call>", special: true }], call: { open: { text: "<invoke" }, name: { at: "attribute", attribute: "name" }, openEnd: ">\n", close: { text: "</invoke>\n" } }, arguments: { open: { text: "<parameter" }, key: { attribute: "name" }, close: { text: "</parameter>\n" } }, values: "raw-or-json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["[e~["], suffix: "none", results: { open: "", item: "<response>{content}</response>", close: "", role: "tool" }, write: true };
/** `minimax`. */
export const minimaxDialect: Dialect = /* @__PURE__ */ whole(minimax, { models: ["MiniMax-M2*"], evidence: "template", example: { text: "<minimax:tool_call>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">SF</parameter>\n</invoke>\n<invoke name=\"ping\">\n</invoke>\n</minimax:tool_call>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
