// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `seed-oss`. */
export const seedOss: DialectRow = { id: "seed-oss", engine: "tags", open: [{ text: "<seed:tool_call>\n", special: true }], close: [{ text: "\n</seed:tool_call>", special: true }], separator: "\n", wrapsEach: true, call: { open: { text: "<function=" }, name: { at: "text", until: [{ text: ">\n" }] }, close: { text: "</function>" } }, arguments: { open: { text: "<parameter=" }, key: { text: ">" }, close: { text: "</parameter>\n" }, pad: "read-one-lf" }, values: "raw-or-json", reasoning: [{ open: "<seed:think>", close: "</seed:think>" }], stops: ["<seed:eos>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `seed-oss`. */
export const seedOssDialect: Dialect = /* @__PURE__ */ whole(seedOss, { models: ["Seed-OSS*"], evidence: "template", example: { text: "<seed:tool_call>\n<function=get_weather>\n<parameter=city>SF</parameter>\n</function>\n</seed:tool_call>", calls: [{ name: "get_weather", input: { city: "SF" } }] } });
