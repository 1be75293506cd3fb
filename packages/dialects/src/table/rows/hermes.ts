// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `hermes`. */
export const hermes: DialectRow = { id: "hermes", engine: "json", open: [{ text: "<tool_call>\n" }], close: [{ text: "\n</tool_call>" }], separator: "\n", wrapsEach: true, call: { name: { at: "key", keys: ["name"] } }, arguments: { keys: ["arguments", "parameters"] }, values: "json", prose: [{ open: "<response>", close: "</response>" }], reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<|im_end|>", "<|endoftext|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true, bare: "known-names" };
/** `hermes`. */
export const hermesDialect: Dialect = /* @__PURE__ */ whole(hermes, { models: ["Hermes-2*", "Hermes-3*", "Hermes-4*", "Nous-Hermes-2*", "Qwen2.5*", "Qwen3*", "QwQ*", "SmolLM3*", "ERNIE-4.5*", "granite-4*"], evidence: "template", example: { text: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"SF\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"ping\", \"arguments\": {}}\n</tool_call>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
