// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `qwen-xml`. */
export const qwenXml: DialectRow = { id: "qwen-xml", engine: "tags", open: [{ text: "<tool_call>\n", optional: true }], close: [{ text: "\n</tool_call>", optional: true }], separator: "\n", wrapsEach: true, call: { open: { text: "<function=" }, name: { at: "text", until: [{ text: ">\n" }] }, close: { text: "</function>" } }, arguments: { open: { text: "<parameter=" }, key: { text: ">" }, close: { text: "</parameter>\n" }, pad: "one-lf" }, values: "raw-or-json", reasoning: [{ open: "<think>", close: "</think>" }], stops: ["<|im_end|>", "<|endoftext|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `qwen-xml`. */
export const qwenXmlDialect: Dialect = /* @__PURE__ */ whole(qwenXml, { models: ["Qwen3-Coder*", "Qwen3.*", "Qwen4*", "Nemotron-3*", "MiMo-V2.5*", "Step-3.5*", "Trinity*"], evidence: "template", example: { text: "<tool_call>\n<function=get_weather>\n<parameter=city>\nSF\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=ping>\n</function>\n</tool_call>", calls: [{ name: "get_weather", input: { city: "SF" } }, { name: "ping", input: {} }] } });
