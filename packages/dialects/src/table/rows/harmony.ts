// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `harmony`. */
export const harmony: DialectRow = { id: "harmony", engine: "messages", open: [], separator: "<|start|>assistant", call: { open: { text: "<|channel|>commentary to=", special: true }, name: { at: "text", until: [{ text: " <|constrain|>json<|message|>", special: true }] }, close: { text: "<|call|>", special: true, optional: true }, prefix: "functions." }, arguments: {}, values: "json", compact: true, prose: [{ open: "<|channel|>final<|message|>", close: "<|end|>" }, { open: "<|channel|>commentary<|message|>", close: "<|end|>" }], reasoning: [{ open: "<|channel|>analysis<|message|>", close: "<|end|>", channel: true }], stops: ["<|call|>", "<|return|>", "<|end|>"], suffix: "none", results: { open: "", item: "<|start|>functions.{name} to=assistant<|channel|>commentary<|message|>{content}<|end|>", close: "", role: "tool", separator: "" }, write: true };
/** `harmony`. */
export const harmonyDialect: Dialect = /* @__PURE__ */ whole(harmony, { models: ["gpt-oss*"], evidence: "template", example: { text: "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{\"city\":\"SF\"}<|call|><|start|>assistant<|channel|>commentary to=functions.ping <|constrain|>json<|message|>{}<|call|>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
