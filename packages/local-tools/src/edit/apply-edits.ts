import { undoNeutralize } from "@toolglot/core";
import { eachOccurrence, lineCounter, linesOf } from "../files/text.ts";
import { inMessage } from "../messages.ts";
import type { TextChange } from "./changes.ts";
import { cutIndentation, fittedNote, fittingHalves } from "./fitting-halves.ts";
import { type FoldedText, fold } from "./fold.ts";
import { type FlatText, flatten, type Made, splice, type VisitPlace, withLf } from "./line-ends.ts";
import { whenMissing } from "./missing-find.ts";
import { type EditProblem, maxCounted, maxNamedLines, type Problem, sayPlaces, tooLarge } from "./problem-text.ts";
import type { FileTextEdit } from "./types.ts";

/** Result of a file's pairs. With a problem, `text` is what the pairs without one made, and must not be written. */
export interface AppliedEdits {
  text: string;
  /** The same, as changes of the text: those of each pair, of what the pairs before it left. */
  changes: (readonly TextChange[])[];
  replacements: number;
  notes: string[];
  problems: EditProblem[];
}

export interface ApplyOptions {
  /** UTF-16 units that the text may grow to. Default 8 Mi. */
  maxChars?: number;
  /** How messages call a pair, given from 0. Default: "pair 1" for the first. */
  nameOf?: (pair: number) => string;
  /** Whether a `find` that is not there is looked for without what no reader sees. Default false. */
  lenient?: boolean;
}

/**
 * Makes replacements in a text, in order: each pair sees what those before it left. `find` must occur exactly once (overlapping
 * occurrences count), or at least once with `all`; line ends aside: an LF of `find` stands for the CRLF of a file, and the
 * replacement gets the file's ends. What results add to fences and tags is taken off. A `find` that is not there is looked for
 * once more without what no reader sees (`lenient`), and with another common indentation. Nothing else is guessed. Pairs behind
 * one with a problem are tried, too, so that one message reports all problems.
 */
export function applyEdits(
  text: string,
  edits: readonly FileTextEdit[],
  { maxChars = 8 * 1024 * 1024, nameOf = (pair) => `pair ${pair + 1}`, lenient = false }: ApplyOptions = {},
): AppliedEdits {
  const notes = new Set<string>();
  const problems: EditProblem[] = [];
  const changes: (readonly TextChange[])[] = [];
  let replacements = 0;
  let now = flatten(text);
  const meant: FileTextEdit[] = [];
  // Made once for each state of the text, and only when needed.
  let folding: FoldedText | undefined;
  const folded = (): FoldedText => {
    folding = folding?.source === now.flat ? folding : fold(now.flat);
    return folding;
  };
  edits.forEach((written, pair) => {
    const edit = withoutMarks(now, written);
    if (edit !== written) notes.add(marksNote);
    meant.push(edit);
    const fitting = lenient ? fittingHalves(now.flat, edit) : edit;
    const whenElsewhere = (): Made | Problem => {
      const found = whenMissing({
        now,
        edits: meant,
        pair,
        problems,
        maxChars,
        nameOf,
        folded: lenient ? folded : undefined,
        removerOf: (find) => whoRemoved(text, meant.slice(0, pair), find, maxChars),
      });
      return fitting === undefined && "type" in found ? cutIndentation : found;
    };
    if (fitting !== undefined && fitting !== edit && !("type" in fitting)) {
      notes.add(`The replacement of ${nameOf(pair)} ${fittedNote}`);
    }
    const made =
      whenLeftOut(now, edit) ??
      (fitting === undefined || "type" in fitting ? fitting : applyOne(now, fitting, maxChars)) ??
      whenElsewhere();
    if ("type" in made) {
      const moved =
        made.lines !== undefined && replacements > 0 ? " (lines as the pairs before it leave the file)" : "";
      problems.push({ ...made, message: made.message + moved, pair });
      return;
    }
    replacements += made.count;
    changes.push(made.changes);
    for (const note of made.notes) notes.add(note);
    if (made.text !== now.raw) now = flatten(made.text);
  });
  return { text: now.raw, changes, replacements, notes: [...notes], problems };
}

const marksNote =
  "Zero-width spaces were taken off that results hold where the file has none (they take the power from marks such as fences).";

/**
 * Returns a pair as it was meant, when it was copied from a result: results have a zero-width space in fences and tags, so that no text of
 * a file can act. A file that has them itself, where `find` has them too, is edited as written.
 */
function withoutMarks(text: FlatText, edit: FileTextEdit): FileTextEdit {
  const plain = { ...edit, find: undoNeutralize(edit.find), replace: undoNeutralize(edit.replace) };
  if (plain.find === edit.find && plain.replace === edit.replace) return edit;
  return plain.find !== edit.find && searchFor(text, edit.find) !== undefined ? edit : plain;
}

/** Returns the problem of a replacement that refers to code instead of having it: it would delete that code. */
function whenLeftOut({ flat }: FlatText, { find, replace }: FileTextEdit): Problem | undefined {
  const line = find === "" ? undefined : leftOutLine(replace, find, () => flat);
  if (line === undefined) return undefined;
  return {
    type: "InvalidInput",
    message: `replace has ${inMessage(line)} for code that is left out, which neither find nor the file has: write the lines, or make two smaller edits`,
  };
}

/** Undefined: `find` is not there. */
function applyOne(
  text: FlatText,
  { find, replace, all = false }: FileTextEdit,
  maxChars: number,
): Made | Problem | undefined {
  const invalid = invalidText(find, "find") ?? invalidText(replace, "replace");
  if (invalid !== undefined) return invalid;
  if (find === "") {
    if (text.raw !== "") {
      return { type: "EmptyFind", message: "find is empty, which is for new and empty files only; this one has text" };
    }
    return replace.length > maxChars
      ? tooLarge(maxChars)
      : { text: replace, changes: [{ from: 0, to: 0, text: replace }], count: 1, notes: [] };
  }
  const search = searchFor(text, find);
  if (search === undefined) return undefined;
  if (!all) {
    const problem = ambiguous(search);
    if (problem !== undefined) return problem;
  }
  return splice(text, (visit) => eachPlace(search, visit), { find, replace }, maxChars);
}

/** Text to search and text to find, which is found at least once. */
interface Search {
  searched: string;
  wanted: string;
  toRaw(offset: number): number;
}

/** As written if `find` holds a CR and is there so, else line ends aside. */
function searchFor({ raw, flat, toRaw }: FlatText, find: string): Search | undefined {
  if (find.includes("\r") && occurs(raw, find)) return { searched: raw, wanted: find, toRaw: (offset) => offset };
  const wanted = withLf(find);
  return occurs(flat, wanted) ? { searched: flat, wanted, toRaw } : undefined;
}

/** Visits each occurrence, none overlapping another, by its place in the raw text. */
function eachPlace({ searched, wanted, toRaw }: Search, visit: VisitPlace): void {
  eachOccurrence(searched, wanted, false, (at) => visit(toRaw(at), toRaw(at + wanted.length)));
}

/** Returns the earlier pair after which a text that the file had was gone. Undefined: the file never had it. */
function whoRemoved(
  original: string,
  edits: readonly FileTextEdit[],
  find: string,
  maxChars: number,
): { by: number | undefined; line: number } | undefined {
  let now = flatten(original);
  if (!occurs(now.flat, find)) return undefined;
  const line = lineCounter(now.flat)(now.flat.indexOf(find));
  for (const [by, edit] of edits.entries()) {
    const made = applyOne(now, edit, maxChars);
    if (made === undefined || "type" in made) continue;
    now = flatten(made.text);
    if (!occurs(now.flat, find)) return { by, line };
  }
  return { by: undefined, line };
}

function occurs(text: string, find: string): boolean {
  let found = false;
  eachOccurrence(text, find, false, () => {
    found = true;
    return false;
  });
  return found;
}

/** Undefined when there is one occurrence only. */
function ambiguous({ searched, wanted }: Search): Problem | undefined {
  const places: number[] = [];
  let count = 0;
  eachOccurrence(searched, wanted, true, (at) => {
    if (count < maxNamedLines) places.push(at);
    return ++count < maxCounted;
  });
  if (count === 1) return undefined;
  const lines = new Set(places.map(lineCounter(searched)));
  return {
    type: "FindAmbiguous",
    count,
    lines: [...lines],
    message: `find occurs ${sayPlaces(count, [...lines])}: add text around it until it occurs once, or set all`,
  };
}

function invalidText(text: string, name: string): Problem | undefined {
  if (/\p{Surrogate}/u.test(text)) {
    return { type: "InvalidInput", message: `${name} holds half of a surrogate pair, which no file of text can hold` };
  }
  if (text.includes("\0")) {
    return { type: "InvalidInput", message: `${name} holds a NUL character, which would make the file binary` };
  }
  return undefined;
}

/** Words that say that something is left out, or stays, and words that stand beside them. Chinese ones are found within a text, too. */
const saysLeftOut =
  /\b(?:existing|rest|remaining|remainder|unchanged|omitted|previous|original|same|skipped|truncated|elided|snip(?:ped)?|others?)\b|其余|其他|剩余|现有|已有|原有|原来|之前|余下|不变|省略|略去|保持|同上|此处略/iu;
/** Words of a comment that is nothing but a place for code, beside the words above. */
const fillers =
  /\b(?:the|of|this|that|these|all|your|my|our|is|are|as|it|in|to|and|from|with|for|by|here|there|above|below|before|brevity|clarity|goes|stays?|remains?|keeps?|kept|leave|left|out|code|codes|file|files|class|classes|function|functions|method|methods|module|component|implementation|implementations|logic|body|content|contents|lines?|imports?|exports?|fields?|properties|props|tests?|cases?|handlers?|helpers?|routes?|types?|definitions?|declarations?|section|part|parts|etc)\b|代码|部分|逻辑|内容|实现|方法|函数|文件|的|与|和|均|都|为|是|在|此处|这里|以上|以下|上面|下面|上述|未|改|变|动|修|略|省|保|持|与|前|同|相|样|其|它|不|了|留/giu;

/** Beginnings and ends of comment lines in the usual languages. */
const opening =
  /^(?:[{[(]\s*)?(?:\/\/+|\/\*+|\*+(?!\w)|#+|--+(?:\[\[)?|<!--+|<%--|\{\{!(?:--)?|%+|;+|\(\*|\{-|@\*|(?:['!]|REM|dnl)(?=\s))/i;
const closing = /(?:\*+\/|--+>|--%>|(?:--)?\}\}|\*\)|-\}|\*@|\]\])?\s*[}\])]?$/;
const dots = "(?:\\.{3,}|…+|\\. \\. \\.)";
const [dotsBefore, dotsBehind] = [new RegExp(`^[\\s(\\[<{]*${dots}`), new RegExp(`${dots}[\\s)\\]>}]*$`)];

/** Returns the first line of a replacement that stands for code which was left out ("// ... existing code ..."), and that neither find nor the file has. */
function leftOutLine(replace: string, find: string, text: () => string): string | undefined {
  if (!hint.test(replace)) return undefined;
  let known: Set<string> | undefined;
  for (const line of linesOf(replace)) {
    const trimmed = line.trim();
    if (trimmed.length > 200 || !isLeftOut(trimmed)) continue;
    known ??= new Set([...linesOf(find), ...linesOf(text())].map((one) => one.trim()));
    if (!known.has(trimmed)) return trimmed;
  }
  return undefined;
}

const hint = new RegExp(`${dots}|${saysLeftOut.source}`, "iu");

function isLeftOut(line: string): boolean {
  const mark = opening.exec(line)?.[0];
  const said = mark === undefined ? line : line.slice(mark.length).replace(closing, "").trim();
  const [before, behind] = [dotsBefore.test(said), dotsBehind.test(said)];
  const words = said
    .replace(dotsBefore, "")
    .replace(dotsBehind, "")
    .replace(/[()[\]<>{},.:;!。，、（）【】-]/gu, " ")
    .trim();
  // Three dots alone are code in Python; one character of its own is code nowhere.
  if (words === "") return (mark !== undefined && before) || /^…+$/.test(line);
  const says = saysLeftOut.test(words);
  const isOnlyThat = words.replace(new RegExp(saysLeftOut, "giu"), "").replace(fillers, "").trim() === "";
  // Without a comment's mark, what comes close behind the dots may be code.
  if (mark === undefined)
    return says && ((before && behind) || (/^(?:\.{3}|…)\s/.test(said) && isOnlyThat && /\s/.test(words)));
  if (before && behind) return true;
  if (before || behind) return says && (isOnlyThat || startsSo.test(words));
  return isOnlyThat && withoutDots.test(words);
}

/** Without dots, a comment of these words may be one of its own ("Other imports"), unless it speaks of code, or of what stays. */
const withoutDots =
  /\b(?:existing|remaining|previous|original|same|other)\b.*\bcode\b|\brest of\b|\S\s+(?:\w+ )*(?:unchanged|omitted|truncated|skipped|elided|the same)\b|不变|省略|略去|(?:其余|其他|剩余|现有|已有|原有|余下).*代码/iu;
const startsSo = new RegExp(`^(?:${saysLeftOut.source})`, "iu");
