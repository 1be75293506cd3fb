// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
import type { Dialect, DialectRow } from "../types.ts";
import { whole } from "../whole.ts";

/** What reads and writes `cohere5`. */
export const cohere5: DialectRow = { id: "cohere5", engine: "tags", open: [{ text: "<cofl:tool_calls>" }], close: [{ text: "</cofl:tool_calls>" }], call: { open: { text: "<cofl:tool_call" }, name: { at: "attribute", attribute: "name" }, id: { attribute: "id", counted: true }, close: { text: "</cofl:tool_call>" } }, arguments: { open: { text: "<cofl:value" }, key: { attribute: "name" }, close: { text: "</cofl:value>" }, typeMark: { attribute: "type", raw: ["raw"] }, otherMark: { number: "json", boolean: "json", null: "json", array: "list", object: "dict" } }, values: "tree", entities: true, reasoning: [{ open: "<|START_THINKING|>", close: "<|END_THINKING|>" }], stops: ["<|END_OF_TURN_TOKEN|>"], suffix: "none", results: { open: "", item: "<tool_response>\n{content}\n</tool_response>", close: "", role: "user" }, write: true };
/** `cohere5`. */
export const cohere5Dialect: Dialect = /* @__PURE__ */ whole(cohere5, { models: ["command-a-plus*", "command-a+*"], evidence: "parser", example: { text: "<cofl:tool_calls><cofl:tool_call id=\"0\" name=\"get_weather\"><cofl:value name=\"city\" type=\"raw\">SF</cofl:value><cofl:value name=\"o\" type=\"dict\"><cofl:value name=\"l\" type=\"list\"><cofl:value type=\"json\">1</cofl:value></cofl:value></cofl:value></cofl:tool_call><cofl:tool_call id=\"1\" name=\"ping\"></cofl:tool_call></cofl:tool_calls>", calls: [{ name: "get_weather", input: { city: "SF", o: { l: [1] } }, id: "0" }, { name: "ping", input: {}, id: "1" }] } });
