/** ToolsXML: tool calls as XML elements with raw bodies. */
export type { ExplainOptions } from "@toolglot/core/explain";
export type { RenderManualOptions } from "@toolglot/core/manual";
export type { FormatResultsOptions } from "@toolglot/core/results";
export type * from "./block-types.ts";
export type { ToolsXmlDiagnosticCode, ToolsXmlRepairCode } from "./diagnostics.ts";
export { renderManual } from "./manual.ts";
export { createParser, parse } from "./parse.ts";
export { type ToolsXmlProtocolOptions, toolsxmlProtocol } from "./protocol.ts";
export { explain, formatResults } from "./results.ts";
export { type SerializeOptions, serialize } from "./serialize.ts";
export { parseStream, ToolsXmlParserStream } from "./stream.ts";
export type { ToolsXmlEvent, ToolsXmlParserOptions } from "./types.ts";
