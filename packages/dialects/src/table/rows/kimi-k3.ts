// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `kimi-k3`. */
export const kimiK3: DialectRow = { id: "kimi-k3", engine: "messages", open: [{ text: "<|open|>tools<|sep|>", special: true }], close: [{ text: "<|close|>tools<|sep|>", special: true }], call: { open: { text: "<|open|>call", special: true }, name: { at: "attribute", attribute: "tool" }, index: { attribute: "index", from: 1 }, openEnd: "<|sep|>", close: { text: "<|close|>call<|sep|>", special: true } }, arguments: { open: { text: "<|open|>argument", special: true }, key: { attribute: "key" }, openEnd: "<|sep|>", close: { text: "<|close|>argument<|sep|>", special: true }, typeMark: { attribute: "type", raw: ["string"] }, otherMark: { number: "number", boolean: "boolean", null: "null", array: "array", object: "object" } }, values: "raw-or-json", entities: true, prose: [{ open: "<|open|>response<|sep|>", close: "<|close|>response<|sep|>" }], reasoning: [{ open: "<|open|>think<|sep|>", close: "<|close|>think<|sep|>", channel: true }], stops: ["<|close|>message<|sep|>", "<|end_of_msg|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `kimi-k3`. */
export const kimiK3Dialect: Dialect = /* @__PURE__ */ whole(kimiK3, { models: ["Kimi-K3*"], evidence: "template", example: { text: "<|open|>tools<|sep|><|open|>call tool=\"get_weather\" index=\"1\"<|sep|><|open|>argument key=\"city\" type=\"string\"<|sep|>SF<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>", calls: [{ name: "get_weather", input: { city: "SF" } }] } });
