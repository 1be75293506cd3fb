/**
 * Writes a text as a TOML string, on as many lines as it has: literal (`'''`) where TOML allows, else basic (`"""`) with
 * escapes. Reads back as the same text, but for lone surrogates, which TOML can't hold: they become U+FFFD.
 */
export function tomlText(text: string): string {
  const whole = text.replace(/\p{Cs}/gu, "\ufffd");
  // A line end right after the opening delimiter is no part of the value.
  const lead = whole.includes("\n") ? "\n" : "";
  if (!hasControl(whole) && !/'''|'$/.test(whole)) return `'''${lead}${whole}'''`;
  const escaped = escapeControl(whole.replaceAll("\\", "\\\\").replace(/"(?="|$)/g, '\\"'));
  return `"""${lead}${escaped}"""`;
}

/** Writes a text as a one-line basic string. */
export function tomlLine(text: string): string {
  return JSON.stringify(text.replace(/\p{Cs}/gu, "\ufffd")).replaceAll("\u007f", "\\u007f");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for.
const control = /[\u0000-\u0008\u000b-\u001f]/;

/** Whether a unit stands in a text that TOML forbids in strings. One class for all of them would take twice as long. */
export function hasControl(text: string): boolean {
  return control.test(text) || text.includes("\u007f");
}

/** Writes those units as TOML's basic strings do. */
export function escapeControl(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a basic string must escape.
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (unit) => (unit === "\r" ? "\\r" : escapeUnit(unit)));
}

/** Returns a unit as an escape of basic strings. */
export const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
