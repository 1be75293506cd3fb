import { isHighSurrogate } from "../output/char-width.ts";

/** The classes of difference that no reader sees, by their name in a note. */
export const foldClasses = {
  ends: "white space at line ends",
  blanks: "no-break and other special spaces",
  quotes: "typographic quotes",
  dashes: "typographic dashes, minus signs or ellipses",
  hidden: "zero-width characters or soft hyphens",
  composed: "composed or decomposed characters (Unicode normalization)",
} as const;

export type FoldClass = keyof typeof foldClasses;

/** A text in which those differences are gone, and the way back. */
export interface FoldedText {
  readonly source: string;
  readonly folded: string;
  /** Whether no character's form is cut at an offset in `folded`: "é" and "…" are taken whole. */
  isBoundary(offset: number): boolean;
  /** Where the character starts in `source` whose form stands at an offset in `folded`; at its end, the source's end. */
  startOf(offset: number): number;
  /** Where the character ends in `source` whose form ends right before an offset in `folded`. */
  endOf(offset: number): number;
}

interface FoldOptions {
  /** A class that is left as it is, or all of them. */
  except?: FoldClass | "all" | undefined;
  /** Whether indentation is taken away, too. Default false. */
  bare?: boolean;
  /** Whether the text may stop within a line: the white space at its very end then stays. Default false. */
  isPart?: boolean;
}

/** What a character of one UTF-16 unit becomes; "" takes it away. */
const forms: ReadonlyMap<number, readonly [FoldClass, form: string]> = new Map([
  ...formsOf("blanks", " ", [0xa0], [0x1680], [0x2000, 0x200a], [0x202f], [0x205f], [0x3000]),
  ...formsOf("quotes", "'", [0x2018, 0x201b]),
  ...formsOf("quotes", '"', [0x201c, 0x201f]),
  ...formsOf("dashes", "-", [0x2010, 0x2015], [0x2212]),
  ...formsOf("dashes", "...", [0x2026]),
  ...formsOf("hidden", "", [0xad], [0x180e], [0x200b, 0x200d], [0x2060, 0x2064], [0xfeff]),
]);

function* formsOf(
  foldClass: FoldClass,
  form: string,
  ...ranges: readonly (readonly [from: number, to?: number])[]
): Generator<[number, readonly [FoldClass, string]]> {
  for (const [from, to = from] of ranges) for (let code = from; code <= to; code++) yield [code, [foldClass, form]];
}

/** Below the first, no character has a form of its own; below the second, none joins the one before it. */
const [firstSpecial, firstMark] = [0xa0, 0x300];
/** Scripts and emoji in which a joiner changes what is seen begin here. */
const firstJoining = 0x590;
const [lineFeed, nonJoiner, joiner] = [0x0a, 0x200c, 0x200d];

const hasMarks = /[\p{M}\u1160-\u11ff]/u;
/** A character with the marks and Hangul letters that may join it. Bounded, since sorting marks may take the square of their number. */
const cluster = /.[\p{M}\u1160-\u11ff]{0,30}/suy;

const decoder = new TextDecoder("utf-16le", { ignoreBOM: true });
/** Shorter ones are made without it, in less time. */
const shortText = 1_000;

/** Takes out of a text what no reader sees. Linear; the text has LF ends and no half of a surrogate pair. */
export function fold(source: string, { except, bare = false, isPart = false }: FoldOptions = {}): FoldedText {
  const folds = (foldClass: FoldClass): boolean => except !== "all" && except !== foldClass;
  const composes = folds("composed") && (hasMarks.test(source) || source.normalize("NFC") !== source);
  const clusterAt = (at: number): string => characterAt(source, at, composes);
  let units = new Uint16Array(source.length + 16);
  let starts = new Int32Array(source.length + 16);
  let [length, lineStart] = [0, 0];
  const putUnit = (unit: number, start: number): void => {
    if (length === units.length) {
      units = grown(units, new Uint16Array(2 * length));
      starts = grown(starts, new Int32Array(2 * length));
    }
    units[length] = unit;
    starts[length++] = start;
  };
  const endLine = (): void => {
    while (folds("ends") && length > lineStart && isWhite(units[length - 1] as number)) length--;
  };
  for (let at = 0; at < source.length; ) {
    const code = source.charCodeAt(at);
    if (code === lineFeed) {
      endLine();
      putUnit(code, at++);
      lineStart = length;
      continue;
    }
    if (bare && length === lineStart && (code === 0x20 || code === 0x09 || (folds("blanks") && isWhite(code)))) {
      at++;
      continue;
    }
    if (code < firstSpecial && !(source.charCodeAt(at + 1) >= firstMark)) {
      putUnit(code, at++);
      continue;
    }
    const whole = clusterAt(at);
    const special = whole.length === 1 ? forms.get(code) : undefined;
    const isFolded = special !== undefined && folds(special[0]) && !isVisibleJoiner(code, units[length - 1]);
    const form = isFolded ? special[1] : composes ? whole.normalize("NFC") : whole;
    for (let index = 0; index < form.length; index++) putUnit(form.charCodeAt(index), at);
    at += whole.length;
  }
  if (!isPart) endLine();
  return {
    source,
    folded:
      length < shortText
        ? String.fromCharCode(...units.subarray(0, length))
        : decoder.decode(units.subarray(0, length)),
    isBoundary: (offset) => offset === 0 || offset >= length || starts[offset] !== starts[offset - 1],
    startOf: (offset) => (offset >= length ? source.length : (starts[offset] as number)),
    endOf: (offset) => {
      const start = offset === 0 ? undefined : starts[offset - 1];
      return start === undefined ? 0 : start + (source.charCodeAt(start) === lineFeed ? 1 : clusterAt(start).length);
    },
  };
}

/** Returns the character at an offset, with what joins it if `withMarks`. */
function characterAt(source: string, at: number, withMarks: boolean): string {
  const code = source.charCodeAt(at);
  if (withMarks && (code >= firstSpecial || source.charCodeAt(at + 1) >= firstMark)) {
    cluster.lastIndex = at;
    return cluster.exec(source)?.[0] as string;
  }
  return source.slice(at, at + (isHighSurrogate(code) ? 2 : 1));
}

/** Returns what a character that is folded belongs to, and what it becomes. Undefined: it stays as it is. */
export function foldedForm(character: string): readonly [FoldClass, form: string] | undefined {
  const composed = character.normalize("NFC");
  return (
    (character.length === 1 ? forms.get(character.charCodeAt(0)) : undefined) ??
    (composed === character ? undefined : ["composed", composed])
  );
}

/** Joiners shape letters of some scripts and make one emoji of several; between others they are not seen. */
function isVisibleJoiner(code: number, before: number | undefined): boolean {
  return (code === nonJoiner || code === joiner) && before !== undefined && before >= firstJoining;
}

/** Checks for white space that may stand at a line's end, special spaces included. */
function isWhite(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0c && code !== lineFeed) || forms.get(code)?.[0] === "blanks";
}

function grown<Units extends Uint16Array | Int32Array>(from: Units, into: Units): Units {
  into.set(from);
  return into;
}
