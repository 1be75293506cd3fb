/** The system prompt that teaches a model ToolsXML, tool calls as XML elements with raw bodies. */
export { toolsxmlPrompt } from "./prompt.ts";
