/** ToolsXML: tool calls as XML elements with raw bodies. */
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
