import { allDialects } from "./book.ts";
import { type Chunks, type Recovered, type RecoverOptions, recoverWith } from "./recover.ts";
import type { DialectTool } from "./types.ts";

/**
 * Recovers the tool calls that a model wrote into its text, in any dialect of the table. Total: bad text is data. Throws `TypeError` for
 * options that can't be meant.
 *
 * @param tools Their schemas type the values, and calls that lost their marks are found by their names. Default: none.
 *
 * @example
 * ```ts
 * const { calls, text } = recoverToolCalls('One moment.\n[TOOL_CALLS]search[ARGS]{"query": "tea"}');
 * // calls[0]: { name: "search", input: { query: "tea" }, … }; text: "One moment."
 * ```
 */
export function recoverToolCalls(text: string, tools?: readonly DialectTool[], options?: RecoverOptions): Recovered;
export function recoverToolCalls(
  stream: Chunks,
  tools?: readonly DialectTool[],
  options?: RecoverOptions,
): Promise<Recovered>;
export function recoverToolCalls(
  source: string | Chunks,
  tools?: readonly DialectTool[],
  options: RecoverOptions = {},
): Recovered | Promise<Recovered> {
  return recoverWith(allDialects, source, tools, options);
}
