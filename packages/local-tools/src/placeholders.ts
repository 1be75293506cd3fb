import { localError } from "./errors.ts";

/**
 * `$KARYI{NAME}`, and with a second `$` before it the literal text. Whatever stands in the braces, and when they are never closed:
 * bash would read `$KARYI` as an unset variable, and send the rest.
 */
const placeholder = /\$(\$?)KARYI\{[^}\n]{0,200}\}?/g;

/** The placeholders that a call asks to be filled in, as they are written, anywhere in its texts and keys. */
export function placeholdersIn(input: unknown): string[] {
  const found: string[] = [];
  mapTexts(input, (text) => {
    for (const [whole, escaped] of text.matchAll(placeholder)) if (escaped === "") found.push(whole);
    return text;
  });
  return [...new Set(found)];
}

/** The call with `$$KARYI{NAME}` as the literal text that it stands for. */
export function unescapePlaceholders<Input>(input: Input): Input {
  return fillPlaceholders(input, (written) => written);
}

/** The call with each placeholder replaced, and `$$KARYI{NAME}` as the literal text. Once: what is filled in is not read again. */
export function fillPlaceholders<Input>(input: Input, fill: (written: string) => string): Input {
  return mapTexts(input, (text) =>
    text.replace(placeholder, (whole, escaped: string) => (escaped === "" ? fill(whole) : whole.slice(1))),
  ) as Input;
}

/** What a call means: throws `UnknownValue` for a placeholder, since nobody fills any in, and undoes the doubled dollars. */
export function withoutPlaceholders<Input>(input: Input): Input {
  const unknown = placeholdersIn(input);
  if (unknown.length > 0) {
    throw localError("UnknownValue", `There is no value for ${unknown.join(", ")}. Nothing was run.`, {
      hint: "Write $$KARYI{…} where the text itself is meant.",
    });
  }
  return unescapePlaceholders(input);
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
