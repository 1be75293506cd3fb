import { defined } from "@toolglot/internal";
import { localError } from "../errors.ts";
import { posixClasses } from "../files/glob.ts";
import { inMessage } from "../messages.ts";
import { needles } from "./needles.ts";

/** What is searched for, in a form that can be handed to a thread. */
export interface Pattern {
  /** A text to be found as it stands, or a regular expression. */
  literal?: string;
  source?: string;
  flags?: string;
  /** Texts of which every line that fits holds at least one; undefined when there are none that are sure. Case counts unless `i` is a flag. */
  needles?: readonly string[];
  /** A note for the model on how its pattern was read. */
  note?: string;
}

const longestPattern = 10_000;

/** POSIX classes, and those that other dialects have besides. */
const classes: ReadonlyMap<string, string> = new Map([...posixClasses, ["space", "\\s"], ["word", "\\w"]]);

/**
 * Reads a pattern as a regular expression of JavaScript's, with what models write in other dialects: `(?i)` in front, `(?P<name>…)`,
 * `\A`, `\z`, `[[:alpha:]]`. What is none is a text to be found as it stands. Nothing runs here.
 */
export function readPattern(text: string): Pattern {
  if (text === "") throw localError("InvalidPattern", "The pattern is empty: every line would fit.");
  if (text.length > longestPattern) {
    throw localError(
      "InvalidPattern",
      `The pattern is longer than ${longestPattern.toLocaleString("en-US")} characters.`,
    );
  }
  if (!/[\\^$.*+?()[\]{}|]/.test(text)) return readLiterally(text);
  const front = /^\(\?([imsux]+)\)/.exec(text);
  const given = front?.[1] ?? "";
  const source = inJavaScript(text.slice(front?.[0].length ?? 0));
  const flags = `s${given.includes("i") ? "i" : ""}`;
  try {
    if (given.includes("x")) throw new SyntaxError("(?x) is not supported");
    const unicode = compiles(source, `${flags}u`);
    if (!unicode) new RegExp(source, flags);
    return { source, flags: unicode ? `${flags}u` : flags, ...defined({ needles: needles(source) }) };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^.*\/[a-z]*: /s, "") : "unknown";
    return { ...readLiterally(text), note: `no regular expression (${inMessage(why)}), searched for as it stands` };
  }
}

/** Reads a pattern as a text to be found as it stands. */
export function readLiterally(text: string): Pattern {
  const literal = text.replaceAll("\r\n", "\n");
  const longest = literal.split("\n").reduce((best, line) => (line.length > best.length ? line : best), "");
  return { literal, ...(isSure(longest) ? { needles: [longest] } : {}) };
}

/** Whether a text is in a file's bytes whenever it is in the file's text. */
function isSure(text: string): boolean {
  return text.length > 0 && !/[\r\ufeff\ufffd\p{Cs}]/u.test(text);
}

function compiles(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

/** Other dialects' spellings; in a class only the classes of POSIX. */
function inJavaScript(source: string): string {
  let inClass = false;
  return source.replace(/\\[\s\S]|\[:\^?[a-z]+:\]|\(\?P<|[[\]]/g, (token) => {
    if (token.startsWith("[:")) {
      const set = inClass ? classes.get(token.slice(2, -2)) : undefined;
      if (set !== undefined) return set;
      inClass = true;
      return token;
    }
    if (token === "[") inClass = true;
    else if (token === "]") inClass = false;
    else if (inClass) return token;
    else if (token === "\\A") return "^";
    else if (token === "\\z" || token === "\\Z") return "$";
    else if (token === "(?P<") return "(?<";
    return token;
  });
}
