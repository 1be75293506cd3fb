/** The types of a block, for both entries. */
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
} from "./types.ts";
