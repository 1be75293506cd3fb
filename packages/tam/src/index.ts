/** TAM, the Tavern Action Manifest: tool calls as delimited fields, in plans of several steps. */
export { bindPlan } from "./bind-plan.ts";
export { type ExplainOptions, explain } from "./explain.ts";
export { type FormatResultsOptions, formatResults } from "./results.ts";
export type {
  TamBlock,
  TamComment,
  TamEvent,
  TamParseOptions,
  TamParserOptions,
  TamStep,
  TamTypeHint,
} from "./types.ts";
