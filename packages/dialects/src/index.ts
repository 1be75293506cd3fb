/** The formats in which open models emit tool calls: read, streamed, written, and recovered from text. */
export { dialectFor, type ModelFacts } from "./dialect-for.ts";
export { explain } from "./explain.ts";
export { type FormatResultsOptions, formatResults } from "./format-results.ts";
export { createParser, parse } from "./parse.ts";
export { dialectProtocol } from "./protocol.ts";
export type * from "./public-types.ts";
export { recoverToolCalls } from "./recover-tool-calls.ts";
export { type RenderToolsOptions, renderTools } from "./render-tools.ts";
export { serialize } from "./serialize.ts";
export { DialectParserStream, parseStream } from "./stream.ts";
export { dialects } from "./table/all.ts";
export { dialectIds } from "./table/ids.ts";
