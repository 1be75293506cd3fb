// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `kimi-k2`. */
export const kimiK2: DialectRow = { id: "kimi-k2", engine: "json", open: [{ text: "<|tool_calls_section_begin|>", special: true, optional: true }], close: [{ text: "<|tool_calls_section_end|>", special: true, optional: true }], call: { open: { text: "<|tool_call_begin|>", special: true }, name: { at: "text", until: [{ text: "<|tool_call_argument_begin|>", special: true }] }, close: { text: "<|tool_call_end|>", special: true }, idPattern: "^(?:functions\\.)?([\\s\\S]*):\\d+$", prefix: "functions." }, arguments: {}, values: "json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<|im_end|>"], suffix: "none", results: { open: "", item: "## Return of {callId}\n{content}", close: "", role: "tool" }, write: true, bare: "known-names" };
/** `kimi-k2`. */
export const kimiK2Dialect: Dialect = /* @__PURE__ */ whole(kimiK2, { models: ["Kimi-K2*"], evidence: "template", example: { text: "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{\"city\": \"SF\"}<|tool_call_end|><|tool_call_begin|>functions.ping:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>", calls: [{ name: "get_weather", input: { city: "SF" }, id: "functions.get_weather:0" }, { name: "ping", input: {}, id: "functions.ping:1" }] } });
