/** TAM, the Tavern Action Manifest: tool calls as delimited fields, in plans of several steps. */
export type { ExplainOptions } from "@toolglot/core/explain";
export type { RenderManualOptions } from "@toolglot/core/manual";
export type { FormatResultsOptions } from "@toolglot/core/results";
export { bindPlan } from "./bind-plan.ts";
export type { TamDiagnosticCode, TamRepairCode } from "./diagnostics.ts";
export { renderManual } from "./manual.ts";
export { createParser, parse } from "./parse.ts";
export { type TamProtocolOptions, tamProtocol } from "./protocol.ts";
export { explain, formatResults } from "./results.ts";
export { serialize, type TamContent } from "./serialize.ts";
export { parseStream, TamParserStream } from "./stream.ts";
export type {
  TamBlock,
  TamComment,
  TamEvent,
  TamParseOptions,
  TamParserOptions,
  TamStep,
  TamTypeHint,
} from "./types.ts";
