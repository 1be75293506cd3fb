// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `cohere`. */
export const cohere: DialectRow = { id: "cohere", engine: "json", open: [{ text: "<|START_ACTION|>", special: true }], close: [{ text: "<|END_ACTION|>", special: true }], list: true, call: { name: { at: "key", keys: ["tool_name", "name"] }, id: { key: "tool_call_id", counted: true } }, arguments: { keys: ["parameters", "arguments"] }, values: "json", prose: [{ open: "<|START_RESPONSE|>", close: "<|END_RESPONSE|>" }, { open: "<|START_TEXT|>", close: "<|END_TEXT|>" }], reasoning: [{ open: "<|START_THINKING|>", close: "<|END_THINKING|>" }], stops: ["<|END_OF_TURN_TOKEN|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `cohere`. */
export const cohereDialect: Dialect = /* @__PURE__ */ whole(cohere, { models: ["command-r7b*", "c4ai-command-r7b*", "command-a-03*", "c4ai-command-a-03*", "command-a-reasoning*", "command-a-vision*", "North-*"], evidence: "parser", example: { text: "<|START_ACTION|>[{\"tool_call_id\": \"0\", \"tool_name\": \"get_weather\", \"parameters\": {\"city\": \"SF\"}}, {\"tool_call_id\": \"1\", \"tool_name\": \"ping\", \"parameters\": {}}]<|END_ACTION|>", calls: [{ name: "get_weather", input: { city: "SF" }, id: "0" }, { name: "ping", input: {}, id: "1" }] } });
