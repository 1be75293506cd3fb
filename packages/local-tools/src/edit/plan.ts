import type { FileText } from "../files/text.ts";
import type { FileChange } from "../journal/types.ts";
import type { Place } from "../roots/roots.ts";
import { hasScripts, scriptReason } from "../runs-later.ts";
import type { AppliedEdits } from "./apply-edits.ts";
import { withLf } from "./line-ends.ts";
import type { FileProblem } from "./problem-text.ts";
import type { FileTextEdit } from "./types.ts";

/** One file of a set, however often and by whatever names it was given. */
export interface Target {
  place: Place;
  sources: string[];
  /** Why it is risky; undefined when it isn't. */
  risk: string | undefined;
  edits: FileTextEdit[];
  /** For each pair, how to call it: where a file is named more than once, pairs are counted anew each time. */
  origins: string[];
}

/** A target with what its pairs made of it. */
export interface Plan extends Target {
  before: FileText | undefined;
  applied: AppliedEdits;
  /** Undefined: the file stays as it is. */
  after: Uint8Array | undefined;
  /** Where a copy of the old content was kept. */
  backup?: string;
}

/** Why the rule for a path applies to a file: a link may have another name than the file that it leads to. */
export function reasonFor({ place, sources }: Target, rule: (path: string) => string | undefined): string | undefined {
  for (const path of [place.shown, ...sources]) {
    const reason = rule(path);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Whether it depends on the content what a change of the file makes run later. */
export function mayHoldScripts({ place, sources }: Target): boolean {
  return [place.shown, ...sources].some(hasScripts);
}

/** What the planned change of such a file makes run later. */
export function scriptOf(plan: Plan): string | undefined {
  if (plan.after === undefined || !mayHoldScripts(plan)) return undefined;
  return scriptReason(plan.before?.text ?? "{}", plan.applied.text);
}

export function problemsOf({ place, risk, edits, origins, applied }: Plan): FileProblem[] {
  return applied.problems.map(({ searched, pair, ...problem }) => {
    // A message must not reveal what a protected file holds.
    const missing =
      searched === undefined || risk !== undefined
        ? {}
        : { missing: { find: withLf((edits[pair] as FileTextEdit).find), text: searched } };
    return { ...problem, ...missing, path: place.shown, pair: origins[pair] as string };
  });
}

export function changeOf({ place, before, after, risk }: Plan): FileChange {
  return {
    path: place.path,
    before: before?.bytes ?? null,
    after: after ?? null,
    ...(before === undefined && risk !== undefined ? { mode: 0o600 } : {}),
  };
}
