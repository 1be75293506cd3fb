type Severity = "error" | "warning" | "info";
type Affects = "none" | "structure" | "value";

/** Text of a code: severity, what it affects, the message, and a hint where one helps. */
export type DiagnosticText = readonly [Severity, Affects, string, string?];

/** Changes of a diagnostic in its own words. */
export interface DiagnosticChange {
  severity?: Severity;
  affects?: Affects;
  message?: string | undefined;
  hint?: string;
}
