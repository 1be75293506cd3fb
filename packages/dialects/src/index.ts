/** The formats in which open models emit tool calls: read, streamed, written, and recovered from text. */
export type { DialectDiagnosticCode, DialectRepairCode } from "./diagnostics.ts";
export { dialectFor, type ModelFacts } from "./dialect-for.ts";
export { explain } from "./explain.ts";
export type { ExplainDialectOptions } from "./explain-with.ts";
export { type FormatResultsOptions, formatResults } from "./format-results.ts";
export { createParser, parse } from "./parse.ts";
export { dialectProtocol } from "./protocol.ts";
export type { DialectProtocolOptions, OneDialectProtocolOptions } from "./protocol-options.ts";
export type { DialectParserOptions } from "./readers.ts";
export type { Chunks, Recovered, RecoverOptions } from "./recover.ts";
export { recoverToolCalls } from "./recover-tool-calls.ts";
export { type RenderToolsOptions, renderTools } from "./render-tools.ts";
export { serialize } from "./serialize.ts";
export { DialectParserStream, parseStream } from "./stream.ts";
export { dialects } from "./table/all.ts";
export { type DialectId, dialectIds } from "./table/ids.ts";
export type { Dialect, Engine, Marker, NameRule, VariableMarker } from "./table/types.ts";
export type {
  DialectBlock,
  DialectCall,
  DialectEvent,
  DialectParseOptions,
  DialectTool,
  FunctionTool,
  RejectedCall,
  WrittenCall,
} from "./types.ts";
export type { SerializeOptions } from "./write/serialize.ts";
