// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `nemotron-json`. */
export const nemotronJson: DialectRow = { id: "nemotron-json", engine: "json", open: [{ text: "<TOOLCALL>" }], close: [{ text: "</TOOLCALL>" }], list: true, call: { name: { at: "key", keys: ["name"] } }, arguments: { keys: ["arguments", "parameters"] }, values: "json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<SPECIAL_12>", "<|eot_id|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `nemotron-json`. */
export const nemotronJsonDialect: Dialect = /* @__PURE__ */ whole(nemotronJson, { models: ["Llama-3.*-Nemotron*", "Nemotron-Nano-9B-v2*", "NVIDIA-Nemotron-Nano-9B-v2*"], evidence: "template", example: { text: "<TOOLCALL>[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"SF\"}}, {\"name\": \"ping\", \"arguments\": {}}]</TOOLCALL>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
