import { defined } from "@toolglot/internal";
import { localError } from "../errors.ts";
import { inMessage } from "../messages.ts";
import { readRegex } from "./regex.ts";
import { asksFor, asksForLineEnd, knowsScripts, mayCrossLines, type RegexUse, regexSource } from "./regex-source.ts";
import type { Regex } from "./regex-tree.ts";

/** What is searched for, in a form that can be handed to a thread. */
export interface Pattern {
  /** A text to be found as it stands, or a regular expression. */
  literal?: string;
  source?: string;
  flags?: string;
  /** The expression for a text of many lines: it fits wherever the one for a line fits, and never continues in the next line. */
  lines?: string;
  /** The same two for text of ASCII alone, where they differ. */
  ascii?: { source: string; lines?: string };
  /** The expression asks for line ends: a file is one text to it. */
  isWhole?: boolean;
  /** It asks for carriage returns: those of line ends count. */
  isRaw?: boolean;
  /** Texts of which every line that fits holds at least one; undefined when there are none that are sure. Case counts unless `i` is a flag. */
  needles?: readonly string[];
  /** A note for the model on how its pattern was read. */
  note?: string;
  /** Why it is no regular expression. */
  fault?: string;
  /** To be searched for where this one is nowhere: it may ask for more than one line. */
  otherwise?: Pattern;
}

const maxPatternLength = 10_000;

/** Reads a pattern as ripgrep does, with look-arounds and back references; what is no expression is a text as it stands. Nothing runs. */
export function readPattern(text: string): Pattern {
  if (text === "") throw localError("InvalidPattern", "The pattern is empty: every line would fit.");
  if (text.length > maxPatternLength) {
    throw localError(
      "InvalidPattern",
      `The pattern is longer than ${maxPatternLength.toLocaleString("en-US")} characters.`,
    );
  }
  if (!/[\\^$.*+?()[\]{}|]/.test(text)) return readLiterally(text);
  try {
    return patternOf(readRegex(text));
  } catch (error) {
    const fault = inMessage(error instanceof Error ? error.message : "unknown");
    return { ...readLiterally(text), fault, note: `no regular expression (${fault}), searched for as it stands` };
  }
}

const wholeNote = "it has a line end: each file was searched as one text, and the line is shown where a match begins";
const furtherNote =
  "no line fits it by itself; each file was searched as one text, and the line is shown where a match begins";

function patternOf(regex: Regex): Pattern {
  const common = { ...defined({ needles: needles(regex) }), ...(asksFor(regex, 13) ? { isRaw: true } : {}) };
  const on = (use: RegexUse): Regexp => {
    const made = regexSource(regex, use);
    // What the engine can't take is no expression.
    if (made !== undefined) new RegExp(made.source, made.flags);
    return made;
  };
  const whole = (note: string): Pattern => ({ ...on({ on: "text" }), ...common, isWhole: true, note });
  if (asksForLineEnd(regex)) return whole(wholeNote);
  const use = (ascii: boolean) => ({ ...on({ ascii }), ...defined({ lines: on({ ascii, on: "lines" })?.source }) });
  const { source, flags, lines } = use(false);
  const ascii = knowsScripts(regex) ? use(true) : undefined;
  return {
    ...common,
    ...defined({ source, flags, lines }),
    ...(ascii?.source === undefined ? {} : { ascii: { source: ascii.source, ...defined({ lines: ascii.lines }) } }),
    ...(mayCrossLines(regex) ? { otherwise: whole(furtherNote) } : {}),
  };
}

type Regexp = ReturnType<typeof regexSource>;

/** Reads a pattern as a text to be found as it stands. */
export function readLiterally(text: string): Pattern {
  const literal = text.replaceAll("\r\n", "\n");
  const longest = literal.split("\n").reduce((best, line) => (line.length > best.length ? line : best), "");
  return { literal, ...(isSure(longest) ? { needles: [longest] } : {}) };
}

/** Checks whether a text is in a file's bytes whenever it is in the file's text. */
function isSure(text: string): boolean {
  return text.length > 0 && !/[\r\ufeff\ufffd\p{Cs}]/u.test(text);
}

/** More alternatives than this are no help. */
const maxNeedles = 16;

/** What a part of an expression is sure of. `exact`: it fits this text and nothing else. `some`: what fits holds one of these. */
type Sure = { exact: string } | { some: readonly string[] } | undefined;

/** Returns texts of which whatever an expression fits holds at least one, read off its source; undefined when none are sure. */
export function needles(source: string | Regex): readonly string[] | undefined {
  const sure = sureOf(typeof source === "string" ? readRegex(source) : source);
  const texts = sure === undefined ? undefined : "exact" in sure ? [sure.exact] : sure.some;
  // Letters and digits of ASCII and what stands between them: their case and their bytes hold no surprises.
  return texts?.every((text) => /^[ -~]+$/.test(text)) ? texts : undefined;
}

function sureOf(regex: Regex): Sure {
  if (regex.kind === "any") return sureOfAny(regex.parts);
  if (regex.kind === "all") return sureOfAll(regex.parts);
  if (regex.kind === "group") return sureOf(regex.body);
  // Anchors and lookarounds take no text.
  if (regex.kind === "at" || regex.kind === "look") return { exact: "" };
  if (regex.kind === "repeat") return sureOfAll([regex]);
  if (regex.kind !== "char" || regex.isEscape || regex.i || regex.code === 10) return undefined;
  return { exact: String.fromCodePoint(regex.code) };
}

function sureOfAny(parts: readonly Regex[]): Sure {
  const texts: string[] = [];
  for (const one of parts.map(sureOf)) {
    if (one === undefined || ("exact" in one && one.exact === "")) return undefined;
    texts.push(...("exact" in one ? [one.exact] : one.some));
  }
  return texts.length > maxNeedles ? undefined : { some: texts };
}

function sureOfAll(parts: readonly Regex[]): Sure {
  const sets: (readonly string[])[] = [];
  let [run, isExact] = ["", true];
  const endRun = (): void => {
    if (run !== "") sets.push([run]);
    run = "";
  };
  for (const part of parts) {
    const { body, min, max } = part.kind === "repeat" ? part : { body: part, min: 1, max: 1 };
    const sure = sureOf(body);
    if (min === 1 && max === 1 && sure !== undefined && "exact" in sure) {
      run += sure.exact;
      continue;
    }
    isExact = false;
    if (min > 0 && sure !== undefined && "exact" in sure) run += sure.exact;
    endRun();
    if (min > 0 && sure !== undefined && "some" in sure) sets.push(sure.some);
  }
  if (isExact) return { exact: run };
  endRun();
  const best = sets.reduce<readonly string[] | undefined>(
    (a, b) => (a !== undefined && worth(a) >= worth(b) ? a : b),
    undefined,
  );
  return best === undefined ? undefined : { some: best };
}

/** Returns a needle's rank: the more there is to find, the fewer files have it. */
function worth(texts: readonly string[]): number {
  return Math.min(...texts.map((text) => text.length)) * 4 - texts.length;
}

/** Finds the next place in a text, from an offset on, around which a line may fit; -1: there is none. */
export type LineFinder = (text: string, from: number) => number;

/** Returns a quick way to the lines that an expression may fit, which passes none of them: by texts that such lines hold, or many lines at once. */
export function lineFinder({ flags = "", lines, needles }: Pattern): LineFinder {
  const [only] = needles ?? [];
  if (only !== undefined && needles?.length === 1 && !flags.includes("i"))
    return (text, from) => text.indexOf(only, from);
  const quick = needles?.map((text) => text.replace(/[\\^$.|?*+()[\]{}/]/g, "\\$&")).join("|") ?? lines;
  if (quick === undefined) return (text, from) => (from < text.length ? from : -1);
  const regex = new RegExp(quick, `${flags}gm`);
  return (text, from) => {
    regex.lastIndex = from;
    return regex.exec(text)?.index ?? -1;
  };
}
