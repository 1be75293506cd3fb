/**
 * Text that may be shown in a terminal: control characters but line feeds and tabs, and characters that turn the
 * direction of writing, become `�`, so that what a model or a tool wrote can't act on the terminal.
 */
export function visible(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").replaceAll(forbidden, "�");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass.
const forbidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
