// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `glm`. */
export const glm: DialectRow = { id: "glm", engine: "tags", open: [{ text: "<tool_call>" }], close: [{ text: "</tool_call>" }], separator: "\n", wrapsEach: true, call: { name: { at: "text", until: [{ text: "\n" }] } }, arguments: { open: { text: "<arg_key>" }, key: { text: "</arg_key>\n<arg_value>" }, close: { text: "</arg_value>\n" } }, values: "raw-or-json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<|observation|>", "<|user|>", "<|endoftext|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "tool" }, write: true };
/** `glm`. */
export const glmDialect: Dialect = /* @__PURE__ */ whole(glm, { models: ["GLM-4.5*", "GLM-4.6*"], evidence: "template", example: { text: "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>SF</arg_value>\n</tool_call>\n<tool_call>ping\n</tool_call>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
