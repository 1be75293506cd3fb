import type { ParseResult } from "@toolglot/core";
import { type ExplainDialectOptions, explainWith } from "./explain-with.ts";
import { dialects } from "./table/all.ts";
import { dialectOf } from "./table/dialect-of.ts";
import type { DialectId } from "./table/ids.ts";
import type { DialectBlock } from "./types.ts";
import { writeCalls } from "./write/serialize.ts";

/**
 * Returns what the model should know about its own mistakes, as text; undefined when there is nothing to explain: no finding beyond `info`,
 * and the one block can run, or the text is a plain answer. Each finding names its code, its place and what to write instead; the form of
 * a call in the model's dialect stands at the end.
 *
 * @throws `TypeError` for unknown options, and for an unknown dialect.
 */
export function explain(result: ParseResult<DialectBlock>, options: ExplainDialectOptions = {}): string | undefined {
  const { dialect, ...rest } = options;
  const own = result.blocks[0]?.dialect ?? "hermes";
  // Of a host's own dialect, nothing is known but its id.
  const row = dialect === undefined ? dialects[own as DialectId] : dialectOf("explain", dialect);
  return explainWith(result, row, rest, writeCalls);
}
