type Severity = "error" | "warning" | "info";
type Affects = "none" | "structure" | "value";

/** What a code says: severity, what it affects, the message, and a hint where one helps. */
export type DiagnosticText = readonly [Severity, Affects, string, string?];

/** What a diagnostic may say in its own words. */
export interface DiagnosticChange {
  severity?: Severity;
  affects?: Affects;
  message?: string | undefined;
  hint?: string;
}

/** The diagnostic of a code, from its row in a table of texts. An end before the start counts as the start. */
export function makeDiagnostic<Code extends string>(
  source: string,
  code: Code,
  [severity, affects, message, hint]: DiagnosticText,
  start: number,
  end: number,
  change: DiagnosticChange = {},
): {
  code: Code;
  severity: Severity;
  affects: Affects;
  message: string;
  span: { start: number; end: number };
  source: string;
  hint?: string;
} {
  const ownHint = change.hint ?? hint;
  return {
    code,
    severity: change.severity ?? severity,
    affects: change.affects ?? affects,
    message: change.message ?? message,
    span: { start, end: Math.max(start, end) },
    source,
    ...(ownHint && { hint: ownHint }),
  };
}
