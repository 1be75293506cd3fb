/** `$KARYI{NAME}`, and with a second `$` before it the literal text. */
const placeholder = /\$(\$?)KARYI\{([^}\n]{0,200})\}/g;

/** The names of the values that a call asks for, anywhere in its texts and keys. */
export function valueNames(input: unknown): string[] {
  const names: string[] = [];
  mapTexts(input, (text) => {
    for (const [, escaped, name = ""] of text.matchAll(placeholder)) if (escaped === "") names.push(name);
    return text;
  });
  return [...new Set(names)];
}

/** The call with `$$KARYI{NAME}` as the literal text that it stands for. */
export function unescapeValues(input: unknown): unknown {
  return mapTexts(input, (text) =>
    text.replace(placeholder, (whole, escaped: string) => (escaped === "" ? whole : whole.slice(1))),
  );
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
