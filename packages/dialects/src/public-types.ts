// Types of every entry.
export type { DialectDiagnosticCode, DialectRepairCode } from "./diagnostics.ts";
export type { ExplainDialectOptions } from "./explain-with.ts";
export type { OneDialect } from "./only.ts";
export type { DialectProtocolOptions, OneDialectProtocolOptions } from "./protocol-options.ts";
export type { DialectParserOptions } from "./readers.ts";
export type { Chunks, Recovered, RecoverOptions } from "./recover.ts";
export type { DialectId } from "./table/ids.ts";
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
