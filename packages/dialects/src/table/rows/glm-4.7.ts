// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `glm-4.7`. */
export const glm4_7: DialectRow = { id: "glm-4.7", engine: "tags", open: [{ text: "<tool_call>" }], close: [{ text: "</tool_call>" }], wrapsEach: true, call: { name: { at: "text", until: [] } }, arguments: { open: { text: "<arg_key>" }, key: { text: "</arg_key><arg_value>" }, close: { text: "</arg_value>" } }, values: "raw-or-json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<|observation|>", "<|user|>", "<|endoftext|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "tool" }, write: true };
/** `glm-4.7`. */
export const glm4_7Dialect: Dialect = /* @__PURE__ */ whole(glm4_7, { models: ["GLM-4.7*", "GLM-5*", "Laguna*", "Ling-3*"], evidence: "template", example: { text: "<tool_call>get_weather<arg_key>city</arg_key><arg_value>SF</arg_value></tool_call><tool_call>ping</tool_call>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
