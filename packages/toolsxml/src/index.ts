/** ToolsXML: tool calls as XML elements with raw bodies. */
export type { ToolsXmlDiagnosticCode, ToolsXmlRepairCode } from "./diagnostics.ts";
export { createParser, parse } from "./parse.ts";
export { type SerializeOptions, serialize } from "./serialize.ts";
export { parseStream, ToolsXmlParserStream } from "./stream.ts";
export type {
  CommandCall,
  CtrlCall,
  CustomCall,
  EditCall,
  GetValueCall,
  InputCall,
  McpCall,
  ReadCall,
  TextEdit,
  ToolsXmlBlock,
  ToolsXmlCall,
  ToolsXmlComment,
  ToolsXmlEvent,
  ToolsXmlParseOptions,
  ToolsXmlParserOptions,
  TruncatedCall,
} from "./types.ts";
