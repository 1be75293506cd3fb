/**
 * A range of the whole text, in UTF-16 code units from its start (0), `end` exclusive.
 * Spans drop into `text.slice(start, end)` and into editors unchanged.
 */
export interface Span {
  start: number;
  end: number;
}
