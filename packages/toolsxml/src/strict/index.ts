/** ToolsXML that is well-formed XML: reading and building it through fast-xml-parser. */
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
  ToolsXmlParseOptions,
  TruncatedCall,
} from "../types.ts";
export { type BuildOptions, build } from "./build.ts";
export { isWellFormed, parseStrict, type StrictDiagnosticCode } from "./parse-strict.ts";
