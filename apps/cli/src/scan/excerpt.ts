import { attempt } from "@toolglot/internal";
import { maskShapes } from "./mask-shapes.ts";

/** Characters of an excerpt. */
const length = 200;
/** Characters before the place of a finding that are shown, and around an excerpt that are read for secrets that it cuts. */
const before = 80;
const around = 4_000;

/** Returns the first characters of a text, or those around a place that is farther behind; secrets are masked by their shape. */
export function excerptOf(text: string, at = 0): string {
  const start = at < length - before ? 0 : at - before;
  const left = maskShapes(text.slice(Math.max(0, start - around), start));
  const window = maskShapes(text.slice(Math.max(0, start - around), start + length + around));
  // What is the same on the left was not masked over the edge.
  const from = start === 0 ? 0 : sharedLength(left, window);
  const shown = window.slice(from, from + length).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
  return `${start > 0 ? "…" : ""}${shown}${window.length > from + length ? "…" : ""}`;
}

function sharedLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/** Returns the beginning of a call's arguments as text: the text that the model wrote, or JSON with its long values cut. */
export function inputText(input: unknown): string {
  if (typeof input === "string") return input;
  const short = (_: string, value: unknown): unknown => {
    if (typeof value === "string") return value.slice(0, around);
    return Array.isArray(value) ? value.slice(0, length) : value;
  };
  // What is nested too deep to be written has no text.
  return attempt(() => JSON.stringify(input, short)) ?? "";
}
