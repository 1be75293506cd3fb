/** ATTP, the Agentic TOML Tool-use Protocol: TOML answers whose code calls tools. */
export type { FormatResultsOptions } from "@toolglot/core/results";
export { type RenderStubsOptions, renderPythonStubs } from "@toolglot/core/stubs";
export type { AttpDiagnosticCode, AttpRepairCode } from "./diagnostics.ts";
export { type ExplainOptions, explain } from "./explain.ts";
export { createParser, parse } from "./parse.ts";
export { type AttpProtocolOptions, attpProtocol } from "./protocol.ts";
export { formatResults } from "./results.ts";
export { serialize } from "./serialize.ts";
export { AttpParserStream, parseStream } from "./stream.ts";
export type { AttpDocument, AttpEvent, AttpParseOptions, AttpParserOptions, AttpToolCall } from "./types.ts";
