import { coerceText, type JsonSchema } from "@toolglot/core";
import type { TamTypeHint } from "./types.ts";

/** Result of reading a text under a type hint: its value, or in a few words why there is none. */
export type HintedValue = { value: unknown } | { problem: string };

/** Anything but a string: what `coerceText` reads from text. */
const noString: JsonSchema = { type: ["object", "array", "number", "boolean", "null"] };

/**
 * Reads a text by its hint: `json` as JSON, `number` and `boolean` as core's `coerceText` does, `base64` (also the URL
 * alphabet, white space allowed) as `Uint8Array`. Nothing is lost: a number that no double holds is a problem.
 */
export function readHinted(text: string, hint: TamTypeHint): HintedValue {
  switch (hint) {
    case "json":
      return readJson(text);
    case "number":
    case "boolean": {
      const read = coerceText(text, { type: hint });
      return read.success ? { value: read.value } : { problem: read.issue.message };
    }
    case "base64":
      return readBase64(text);
    default:
      return { value: text };
  }
}

/** Returns the text that a JSON string holds; undefined for all else. */
export function readJsonString(text: string): string | undefined {
  if (!text.trimStart().startsWith('"')) return undefined;
  const read = readJson(text);
  return "value" in read && typeof read.value === "string" ? read.value : undefined;
}

function readJson(text: string): HintedValue {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const at = jsonFault(text);
    const before = text.slice(0, at).split("\n");
    const place = `position ${at} (line ${before.length}, column ${(before.at(-1) ?? "").length + 1})`;
    return { problem: `not valid JSON at ${place}: ${unexpected(text, at)}` };
  }
  if (typeof value === "string") return { value };
  // Else numbers would be rounded in silence.
  const exact = coerceText(text, noString);
  return exact.success ? { value } : { problem: exact.issue.message };
}

const unexpected = (text: string, at: number): string =>
  at >= text.length
    ? "it ends too early"
    : `unexpected ${JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))}`;

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a JSON string can't hold.
const openString = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-f]{4})[^"\\\u0000-\u001f]*)*/iy;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Returns where a text stops being JSON; engines don't say it alike, or at all. */
function jsonFault(text: string): number {
  let at = 0;
  const open: string[] = [];
  /** What may come: a value, a key, a colon; after a value a comma or the end of what is open. `first`: also its end. */
  let next: "value" | "key" | "colon" | "after" = "value";
  let first = false;
  for (;;) {
    while (/[ \t\n\r]/.test(text.charAt(at))) at += 1;
    const mark = text.charAt(at);
    const close = open.at(-1) ?? "";
    if (mark === close && close !== "" && (first || next === "after")) {
      open.pop();
      next = "after";
    } else if (next === "after") {
      if (mark !== "," || close === "") return at;
      next = close === "}" ? "key" : "value";
    } else if (next === "colon") {
      if (mark !== ":") return at;
      next = "value";
    } else if (mark === '"') {
      openString.lastIndex = at;
      openString.test(text);
      at = openString.lastIndex;
      if (text.charAt(at) !== '"') return at;
      next = next === "key" ? "colon" : "after";
    } else if (next === "key") {
      return at;
    } else if (mark === "{" || mark === "[") {
      open.push(mark === "{" ? "}" : "]");
      next = mark === "{" ? "key" : "value";
    } else {
      scalar.lastIndex = at;
      if (!scalar.test(text)) return at;
      at = scalar.lastIndex - 1;
      next = "after";
    }
    first = mark === "{" || mark === "[";
    at += 1;
  }
}

function readBase64(text: string): HintedValue {
  const wrong = /[^\w+/\-\s=]|=(?=\s*[^=\s])/.exec(text);
  if (wrong) return { problem: `not base64 at position ${wrong.index}: ${unexpected(text, wrong.index)}` };
  const plain = text
    .replace(/[\s=]+/g, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  if (plain.length % 4 === 1) return { problem: "not base64: it ends too early" };
  return { value: Uint8Array.from(atob(plain), (character) => character.charCodeAt(0)) };
}
