/** Diagnostics for people: places in a text, and frames with carets. Apart from the root, which stays small. */
export { type FormatDiagnosticOptions, formatDiagnostic } from "./frame.ts";
export { LineCounter, type LinePosition } from "./line-counter.ts";
