import { parseJson } from "@toolglot/internal";

/** What a text was repaired of. */
export type JsonRepair = "code fence" | "trailing comma" | "Python word" | "control character";

/** A value, with its text as JSON and what had to be repaired for that; or why the text can't be read. */
export type LenientReading = { value: unknown; text: string; repairs: JsonRepair[] } | { fault: string };

const words: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };
const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f" };
/** A string, a comma with what closes behind it, a word. */
const tokens = /"(?:[^"\\]|\\[\s\S])*"|,(?=\s*[\]}])|\b(?:True|False|None)\b/g;

/**
 * Reads JSON with slips that change no value: a code fence around it, commas in front of a closer, Python's words, control characters in
 * strings. A text that was cut off is never completed. Linear.
 */
export function readLeniently(text: string): LenientReading {
  const repairs = new Set<JsonRepair>();
  const repair = (what: JsonRepair, by: string): string => {
    repairs.add(what);
    return by;
  };
  const trimmed = text.trim();
  const lineEnd = trimmed.indexOf("\n");
  const isFenced = /^```[\w-]*\s*$/.test(trimmed.slice(0, Math.max(0, lineEnd))) && trimmed.endsWith("```");
  const bare = isFenced ? repair("code fence", trimmed.slice(lineEnd, -3)) : text;
  const repaired = bare.replace(tokens, (token) => {
    if (token === ",") return repair("trailing comma", "");
    const word = words[token];
    if (word !== undefined) return repair("Python word", word);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    return token.replace(/[\u0000-\u001f]/g, (unit) =>
      repair("control character", escapes[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
    );
  });
  const value = parseJson(repaired);
  if (value !== undefined) return { value, text: repaired, repairs: [...repairs] };
  try {
    JSON.parse(text);
  } catch (error) {
    // Engines quote the text in their message; only the position is of use.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    return { fault: position === undefined ? "it ends too early" : `the fault is at character ${position}` };
  }
  return { fault: "it is no JSON" };
}
