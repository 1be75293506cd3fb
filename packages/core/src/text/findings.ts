import type { DiagnosticChange, DiagnosticText } from "@toolglot/internal";
import type { Affects, Diagnostic, Severity } from "../diagnostic.ts";

/** Returns the diagnostic of a code, from its row in a table of texts. An end before the start counts as the start. */
export function makeDiagnostic<Code extends string>(
  source: string,
  code: Code,
  [severity, affects, message, hint]: DiagnosticText,
  start: number,
  end: number,
  change: DiagnosticChange = {},
): Diagnostic<Code> {
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

/** Maximal number of findings of one code that are reported of a block. */
const findingsAtMost = 20;

const severities: readonly Severity[] = ["info", "warning", "error"];
const effects: readonly Affects[] = ["none", "structure", "value"];

/**
 * Findings, those of one code bounded: what is left of them is one finding, which spans them, counts them, and weighs as much as the
 * heaviest. The same slip a thousand times teaches no more than twenty times.
 */
export function boundFindings(findings: readonly Diagnostic[]): Diagnostic[] {
  if (findings.length <= findingsAtMost) return [...findings];
  const groups = new Map<string, { count: number; rest: Diagnostic | undefined }>();
  const kept: Diagnostic[] = [];
  for (const finding of findings) {
    const group = groups.get(finding.code) ?? { count: 0, rest: undefined };
    groups.set(finding.code, group);
    group.count += 1;
    const { rest } = group;
    if (group.count < findingsAtMost) kept.push(finding);
    else if (!rest) {
      group.rest = { ...finding, span: { ...finding.span } };
      kept.push(group.rest);
    } else {
      const heavier = <Word>(words: readonly Word[], one: Word, other: Word): Word =>
        words.indexOf(one) < words.indexOf(other) ? other : one;
      rest.severity = heavier(severities, rest.severity, finding.severity);
      rest.affects = heavier(effects, rest.affects, finding.affects);
      rest.span.start = Math.min(rest.span.start, finding.span.start);
      rest.span.end = Math.max(rest.span.end, finding.span.end);
    }
  }
  for (const { count, rest } of groups.values())
    if (rest && count > findingsAtMost)
      rest.message = `${rest.message} (And ${count - findingsAtMost} more like this.)`;
  return kept;
}
