// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `glm-5.3`. */
export const glm5_3: DialectRow = { id: "glm-5.3", engine: "json", open: [{ text: "<tool_call>" }], close: [{ text: "</tool_call>", optional: true, unwritten: true }], wrapsEach: true, call: { name: { at: "text", until: [{ text: ">" }] } }, arguments: {}, values: "json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<|observation|>", "<|user|>", "<|endoftext|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "tool" }, write: true };
/** `glm-5.3`. */
export const glm5_3Dialect: Dialect = /* @__PURE__ */ whole(glm5_3, { models: [], evidence: "parser", example: { text: "<tool_call>get_weather>{\"city\": \"SF\"}<tool_call>ping>{}", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
