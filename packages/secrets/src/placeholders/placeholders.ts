import { isName } from "../name-and-value.ts";
import type { Placeholder } from "./word-reader.ts";

/**
 * `$KARYI{NAME}`, and with a second `$` before it the literal text. Whatever stands in the braces, and when they are never closed:
 * bash would read `$KARYI` as an unset variable, and send the rest.
 */
const pattern = /\$(\$?)KARYI\{([^}\n]{0,200}\}?)/g;

/** The placeholders of a call: where each stands in a text, and how it is written. */
export interface FoundPlaceholder extends Placeholder {
  written: string;
}

/** Returns a name as a placeholder: `$KARYI{NAME}`. */
export function placeholder(name: string): string {
  return `$KARYI{${name}}`;
}

/** Finds the placeholders of a text, in order. One whose name can't be one has an empty name. */
export function placeholdersOf(text: string): FoundPlaceholder[] {
  if (!text.includes("KARYI{")) return [];
  return [...text.matchAll(pattern)].map(({ 0: written, 1: dollar, 2: rest = "", index: start }) => {
    const name = dollar === "" ? nameOf(rest) : undefined;
    return { start, end: start + written.length, name, written };
  });
}

/** Finds the placeholders that a call asks to be filled in, anywhere in its texts and keys, and the names of their values. */
export function namesIn(input: unknown): { name: string; written: string }[] {
  const found: { name: string; written: string }[] = [];
  mapTexts(input, (text) => {
    for (const { name, written } of placeholdersOf(text)) if (name !== undefined) found.push({ name, written });
    return text;
  });
  return found;
}

/** Returns a copy with each placeholder of its texts as `fill` returns it, and `$$KARYI{NAME}` as the literal text that it stands for. */
export function fillTexts<Input>(input: Input, fill: (name: string, written: string) => string): Input {
  return mapTexts(input, (text) =>
    text.replace(pattern, (written: string, dollar: string, rest: string) =>
      dollar === "" ? fill(nameOf(rest), written) : written.slice(1),
    ),
  ) as Input;
}

/** Returns the call with `$$KARYI{NAME}` as the literal text that it stands for. */
export function unescapePlaceholders<Input>(input: Input): Input {
  return fillTexts(input, (_name, written) => written);
}

/** Returns the name in what stands behind `KARYI{`; empty when it can't be one. */
function nameOf(rest: string): string {
  const name = rest.slice(0, -1);
  return rest.endsWith("}") && isName(name) ? name : "";
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return value.includes("KARYI{") ? change(value) : value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.create(Object.getPrototypeOf(value)) as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) {
    Object.defineProperty(copy, key.includes("KARYI{") ? change(key) : key, {
      value: mapTexts(item, change),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return copy;
}
