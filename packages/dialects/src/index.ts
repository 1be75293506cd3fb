/** The formats in which open models emit tool calls: read, streamed, written, and recovered from text. */
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
