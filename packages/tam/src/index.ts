/** TAM, the Tavern Action Manifest: tool calls as delimited fields, in plans of several steps. */
export type {
  TamBlock,
  TamComment,
  TamEvent,
  TamParseOptions,
  TamParserOptions,
  TamStep,
  TamTypeHint,
} from "./types.ts";
