import { attempt, defined } from "@toolglot/internal";
import { decodeForm } from "../encodings/codecs.ts";
import { demandEncoding, encodingNamed, isSameEncoding, type TextForm, utf8 } from "../encodings/encodings.ts";
import type { EncodedText, FileEncodings } from "../encodings/file-encodings.ts";
import { localError, localErrorType } from "../errors.ts";
import type { Place } from "../files/roots.ts";
import { encodeText } from "../files/text.ts";
import type { FileChange } from "../journal/types.ts";
import { hasScripts, scriptReason } from "../policy.ts";
import type { AppliedEdits } from "./apply-edits.ts";
import { withLf } from "./line-ends.ts";
import type { FileProblem } from "./problem-text.ts";
import { encodeChanged, encodeNew } from "./recode.ts";
import type { FileOutcome, FileTextEdit } from "./types.ts";
import { type UnifiedDiff, type UnifiedDiffOptions, unifiedDiff } from "./unified-diff.ts";

/** One file of a set, however often and by whatever names it was given. */
export interface Target {
  place: Place;
  sources: string[];
  /** Why it is risky; undefined when it isn't. */
  risk: string | undefined;
  /** The encoding that the call names for it. */
  encoding?: string;
  edits: FileTextEdit[];
  /** For each pair, how to call it: where a file is named more than once, pairs are counted anew each time. */
  origins: string[];
}

/** A target with what its pairs made of it. */
export interface Plan extends Target {
  before: EncodedText | undefined;
  applied: AppliedEdits;
  /** How the file is encoded, before and after. */
  form: TextForm;
  /** Undefined: the file stays as it is. */
  after: Uint8Array | undefined;
  backup?: string;
}

/** Returns why the rule for a path applies to a file: a link may have another name than the file that it leads to. */
export function reasonFor({ place, sources }: Target, rule: (path: string) => string | undefined): string | undefined {
  for (const path of new Set([place.shown, ...sources])) {
    const reason = rule(path);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Checks whether it depends on the content what a change of the file makes run later. */
export function mayHoldScripts({ place, sources }: Target): boolean {
  return [place.shown, ...sources].some(hasScripts);
}

/** Returns what the planned change of such a file makes run later. */
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

/** Notes the encoding that a mention of a file names; the problem when it is none, or another one than before. */
export function namedBy(target: Target, encoding: string | undefined): FileProblem | undefined {
  if (encoding === undefined) return undefined;
  const { place, encoding: earlier } = target;
  target.encoding ??= encoding;
  try {
    const asked = demandEncoding(encoding, place.shown);
    if (earlier === undefined || isSameEncoding(demandEncoding(earlier, place.shown), asked)) return undefined;
    const message = `${place.shown} is named with two encodings, ${earlier} and ${encoding}.`;
    return { type: "InvalidInput", path: place.shown, message };
  } catch (error) {
    const type = localErrorType(error);
    if (type === undefined) throw error;
    return { type, path: place.shown, message: (error as Error).message };
  }
}

/** Returns how a file is encoded after its edits. One that is new, or empty, gets the encoding that is named, and UTF-16 a mark. */
export function formAfter({ encoding }: Target, before: EncodedText | undefined): TextForm {
  const isNew = before === undefined || before.bytes.length === 0;
  const named = encoding === undefined ? undefined : encodingNamed(encoding);
  if (!isNew || named === undefined) return before?.form ?? { encoding: utf8, guessed: false, mark: 0 };
  const mark = named.width === 2 ? 2 : named === utf8 && /bom/i.test(encoding as string) ? 3 : 0;
  return { encoding: named, guessed: false, mark };
}

/** Returns the bytes of a file after its edits. Throws `NotEncodable`. */
export function encodeAfter(
  { place, edits }: Target,
  before: EncodedText | undefined,
  { text, changes }: AppliedEdits,
  form: TextForm,
): Uint8Array {
  if (form.encoding === utf8) return encodeText(text, form.mark > 0);
  const writing = { path: place.shown, text };
  if (before === undefined || before.bytes.length === 0) return encodeNew(writing, form);
  if (form.guessed && edits.some(({ replace }) => /[^\0-\x7f]/.test(replace))) {
    const { name } = form.encoding;
    throw localError(
      "NotEncodable",
      `${place.shown} may be ${name}, which is a guess, and replace has characters beyond ASCII: they could be written wrongly.`,
      {
        hint: `If the file as you read it is right, name its encoding: encoding="${name}" beside src; else the one it is in.`,
      },
    );
  }
  return encodeChanged(before, changes, writing);
}

/** Returns what is said of a file that was written in another encoding than UTF-8. */
export function formNote(form: TextForm): string | undefined {
  if (form.encoding === utf8) return undefined;
  const { name } = form.encoding;
  return form.guessed
    ? `The file may be ${name}, which is a guess: only the changed bytes were written.`
    : `The file is ${name}, and stays in it.`;
}

/** Both texts of a change, in one encoding where that is possible; `null` stays; undefined: no text. `named`: what an edit named. */
export async function textsForDiff(
  encodings: FileEncodings,
  { path, named }: { path: string; named: string | undefined },
  ...contents: [before: Uint8Array | null, after: Uint8Array | null]
): Promise<(string | null | undefined)[]> {
  const both = contents.map((bytes) => bytes && Buffer.from(bytes));
  const forms: (TextForm | undefined)[] = [];
  for (const bytes of both) {
    const found = bytes && encodings.formOf(bytes, { path, called: path, named }).catch(() => undefined);
    forms.push((await found) ?? undefined);
  }
  const rank = ({ encoding, guessed }: TextForm): number => (guessed ? 2 : encoding === utf8 ? 1 : 0);
  const ranked = forms.filter((form) => form !== undefined).sort((one, other) => rank(one) - rank(other));
  const decoded = (form: TextForm): (string | null | undefined)[] =>
    both.map((bytes) => bytes && attempt(() => decodeForm(bytes, form)));
  const shared = ranked.map(decoded).find((texts) => !texts.includes(undefined));
  return shared ?? both.map((bytes, index) => bytes && forms[index] && decodeForm(bytes, forms[index]));
}

/** Characters of all diffs of one outcome, and the least for each. */
const allDiffChars = 60_000;
const minDiffChars = 600;
const maxDiffChars = 12_000;
const maxDiffLines = 300;
/** Milliseconds for all comparisons of one outcome, and the least for each. */
const allDiffMs = 2_000;
const minDiffMs = 20;

export type DiffRoom = Required<Pick<UnifiedDiffOptions, "maxChars" | "timeoutMs">>;

/** Returns what came of a plan. */
export function outcomeOf(plan: Plan, room: DiffRoom): FileOutcome {
  const { place, sources, before, applied, after, risk, backup, form } = plan;
  const { text, added, removed } =
    after === undefined
      ? { text: "", added: 0, removed: 0 }
      : diffOf(place.shown, before?.text ?? null, applied.text, risk !== undefined, room);
  return {
    path: place.shown,
    sources,
    created: before === undefined,
    ...(form.encoding === utf8 ? {} : { encoding: form.encoding.name }),
    replacements: applied.replacements,
    diff: text,
    added,
    removed,
    ...defined({ backup }),
    notes: applied.notes,
  };
}

/** Of a protected file only the changed lines are shown, not those around them. */
export function diffOf(
  path: string,
  before: string | null,
  after: string | null,
  isProtected: boolean,
  room: DiffRoom,
): UnifiedDiff {
  return unifiedDiff(path, before, after, { maxLines: maxDiffLines, ...room, ...(isProtected ? { context: 0 } : {}) });
}

/** Returns what one diff of so many may take. */
export function diffRoom(files: number): DiffRoom {
  const share = (all: number): number => Math.floor(all / Math.max(1, files));
  return {
    maxChars: Math.min(maxDiffChars, Math.max(minDiffChars, share(allDiffChars))),
    timeoutMs: Math.max(minDiffMs, share(allDiffMs)),
  };
}
