import { joinedCalls } from "./joined-calls.ts";
import { namedCalls } from "./named-calls.ts";

/** What finds each call in a text, where one of each format is not enough. */
export interface CallSearch {
  /** Returns what finds the calls of tools by their names and parameters, whatever stands around them. */
  named: typeof namedCalls;
  /** Returns the calls that marks are of. */
  join: typeof joinedCalls;
}

/** For grammars of calls whose own marks may be damaged. */
export const everyCall: CallSearch = { named: namedCalls, join: joinedCalls };
