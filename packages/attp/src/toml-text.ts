/**
 * A text as a TOML string, on as many lines as it has: literal (`'''`) where TOML allows, else basic (`"""`) with
 * escapes. Reads back as the same text, but for lone surrogates, which TOML can't hold: they become U+FFFD.
 */
export function tomlText(text: string): string {
  const whole = text.replace(/\p{Cs}/gu, "\ufffd");
  // A line end right after the opening delimiter is no part of the value.
  const lead = whole.includes("\n") ? "\n" : "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a literal string can't hold.
  if (!/'''|'$|[\u0000-\u0008\u000b-\u001f\u007f]/.test(whole)) return `'''${lead}${whole}'''`;
  const escaped = whole
    .replaceAll("\\", "\\\\")
    .replace(/"(?="|$)/g, '\\"')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a basic string must escape.
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, escapeControl);
  return `"""${lead}${escaped}"""`;
}

/** A text as a one-line basic string. */
export function tomlLine(text: string): string {
  return JSON.stringify(text.replace(/\p{Cs}/gu, "\ufffd")).replaceAll("\u007f", "\\u007f");
}

function escapeControl(character: string): string {
  return character === "\r" ? "\\r" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
