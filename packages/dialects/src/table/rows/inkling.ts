// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `inkling`. */
export const inkling: DialectRow = { id: "inkling", engine: "messages", open: [], call: { open: { text: "<|message_model|>", special: true, optional: true }, name: { at: "text", until: [{ text: "<|content_invoke_tool_json|>", special: true }] }, nameKey: "name", close: { text: "<|end_message|>", special: true, optional: true } }, arguments: { keys: ["args", "arguments"] }, values: "json", compact: true, prose: [{ open: "<|message_model|>", close: "<|end_message|>" }, { open: "<|content_text|>", close: "<|end_message|>" }], reasoning: [{ open: "<|content_thinking|>", close: "<|end_message|>", channel: true }], stops: ["<|end_message|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `inkling`. */
export const inklingDialect: Dialect = /* @__PURE__ */ whole(inkling, { models: ["Inkling*"], evidence: "parser", example: { text: "<|message_model|>get_weather<|content_invoke_tool_json|>{\"name\":\"get_weather\",\"args\":{\"city\":\"SF\"}}<|end_message|>", calls: [{ name: "get_weather", input: { city: "SF" } }] } });
