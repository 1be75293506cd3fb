/** The formats in which open models emit tool calls: read, streamed, written, and recovered from text. */
export { dialectFor, type ModelFacts } from "./dialect-for.ts";
export { dialects } from "./table/all.ts";
export { checkDialect } from "./table/check-dialect.ts";
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
} from "./types.ts";
export { type RenderToolsOptions, renderTools } from "./write/render-tools.ts";
export { type FormatResultsOptions, formatResults } from "./write/results.ts";
export { type SerializeOptions, serialize, type WrittenCall } from "./write/serialize.ts";
