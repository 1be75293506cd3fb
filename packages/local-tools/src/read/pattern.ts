import { defined } from "@toolglot/internal";
import { localError } from "../errors.ts";
import { inMessage } from "../messages.ts";
import { needles } from "./needles.ts";
import { type Regex, readRegex } from "./regex.ts";
import { asksFor, knowsScripts, mayCrossLines, type RegexUse, regexSource } from "./regex-source.ts";

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

/**
 * Reads a pattern as a regular expression of ripgrep's, and with look-arounds and back references. What is none is a text to be found as it
 * stands. Nothing runs here.
 */
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
  if (asksFor(regex, 10)) return whole(wholeNote);
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
