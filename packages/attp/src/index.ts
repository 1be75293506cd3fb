/** ATTP, the Agentic TOML Tool-use Protocol: TOML answers whose code calls tools. */
export { createParser, parse } from "./parse.ts";
export type { AttpDocument, AttpEvent, AttpParseOptions, AttpParserOptions, AttpToolCall } from "./types.ts";
