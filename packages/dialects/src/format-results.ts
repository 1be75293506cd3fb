import type { Locale, ToolResult } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import { dialectOf } from "./table/dialect-of.ts";
import type { DialectId } from "./table/ids.ts";
import type { Dialect } from "./table/types.ts";
import { writeResults } from "./write/results.ts";

/** Options of {@link formatResults}. */
export interface FormatResultsOptions {
  /** The dialect that the model writes. */
  dialect: DialectId | (string & {}) | Dialect;
  /** Language of what is added: notes, messages that a result lacks. Default `en`. */
  locale?: Locale;
  /** UTF-16 units that the contents may take together; the rest is cut, with a note. Default 16,000. */
  budget?: number;
}

/**
 * Returns what the model reads after its calls were run, as its chat template writes results, in the order given. The content is the
 * result's data as JSON, else its text; an error's type and message come first, then what was printed. No results: an empty text.
 *
 * Marks of calls, results and reasoning in names and contents are neutralised, whatever the dialect: a result can't call, close its
 * wrapper, or open reasoning. It throws for mistakes in the options alone.
 *
 * @throws `TypeError` for an unknown dialect or option.
 */
export function formatResults(results: readonly ToolResult[], options: FormatResultsOptions): string {
  checkKeys("formatResults", options, 'dialect:text|object locale:"zh"|"en" budget:number', ["dialect"]);
  return writeResults(results, dialectOf("formatResults", options.dialect), options.locale, options.budget);
}
