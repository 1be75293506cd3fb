import fc from "fast-check";
import { formsOf } from "../src/mask/forms.ts";

/** A value as something writes it. */
export interface WrittenForm {
  name: string;
  kind: "text" | "base64" | "hex" | "dump";
  text: string;
  /** What of it must not be seen, where that is not all of it. */
  hidden?: readonly string[];
}

/** What counts of a text that is in such a form: the digits, not what stands between them. */
export function counting({ kind }: Pick<WrittenForm, "kind">, text: string): string {
  if (kind === "base64") return text.replaceAll("=", "");
  return kind === "hex" ? text.toLowerCase().replace(/0x|[^0-9a-f]/g, "") : text;
}

/** Everything that shells, encoders and people trip over. */
const characters = [
  ..."abcdefghijkmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWYZ0123456789_-.:/+=@",
  ..."'\"\\$`!#%&<>|;*?()[]{}^~, ",
  ..."\n\n\täßéł漢字😀👩🏽",
  "$(touch x)",
  "$".concat("{IFS}"),
];

const lengths = fc.oneof(fc.constant(6), fc.integer({ min: 6, max: 40 }), fc.integer({ min: 40, max: 400 }));

/** Values of which no part of five characters stands in a text by chance. */
export const anyValue: fc.Arbitrary<string> = lengths
  .chain((length) => fc.array(fc.constantFrom(...characters), { minLength: length, maxLength: length, size: "max" }))
  .map((parts) => parts.join(""))
  .filter((value) => value.length >= 6 && !hasDullPart(value));

/** A part of four characters of which two are the same is nothing to know a value by. */
function hasDullPart(value: string): boolean {
  for (let at = 0; at + 5 <= value.length; at++) {
    if (new Set(value.slice(at, at + 5)).size < 4) return true;
  }
  return false;
}

/** A value in all forms that are looked for, as text. */
export function writtenForms(value: string): WrittenForm[] {
  const bytes = Buffer.from(value);
  // Half a character, as in a text that was reversed by units, can't be written to a file.
  const isText = (text: string): boolean => Buffer.from(text).toString() === text;
  const forms: WrittenForm[] = formsOf(value).flatMap(({ alphabet, digits }) =>
    alphabet === "text" && isText(digits) ? [{ name: "a spelling", kind: "text" as const, text: digits }] : [],
  );
  const add = (name: string, text: string, kind: WrittenForm["kind"] = "hex"): void => {
    forms.push({ name, kind, text });
  };
  for (const before of ["", "u", "u:"]) {
    // Of a value of six bytes too little stands by itself in the other two alignments.
    if (before !== "" && bytes.length < 9) continue;
    const encoded = Buffer.concat([Buffer.from(before), bytes]);
    const base64 = encoded.toString("base64").slice(before === "" ? 0 : before.length + 1);
    add(`base64 behind ${before.length} bytes`, base64, "base64");
    add(
      `URL-safe base64 behind ${before.length} bytes`,
      base64.replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, ""),
      "base64",
    );
  }
  const hex = bytes.toString("hex");
  const pairs = hex.match(/../g) ?? [];
  add("hexadecimal", hex);
  add("hexadecimal with colons", pairs.join(":"));
  add("hexadecimal with blanks", pairs.join(" ").toUpperCase());
  add("hexadecimal escapes", pairs.map((pair) => `\\x${pair}`).join(""));
  add("bytes of a program", pairs.map((pair) => `0x${pair}`).join(", "));
  add("percent signs", pairs.map((pair) => `%${pair.toUpperCase()}`).join(""));
  const rows = dumpRows(bytes);
  const dump = rows.map(({ offset, words, letters }) => `${offset}  ${words.padEnd(48)}  |${letters}|\n`).join("");
  const hidden = rows.flatMap(({ words, letters }) => [words, letters]);
  forms.push({ name: "a dump", kind: "dump", text: dump, hidden });
  return forms;
}

/** As `hexdump -C` prints them. */
function dumpRows(bytes: Buffer): { offset: string; words: string; letters: string }[] {
  return Array.from({ length: Math.ceil(bytes.length / 16) }, (_, row) => {
    const at = row * 16;
    const line = [...bytes.subarray(at, at + 16)];
    const words = [line.slice(0, 8), line.slice(8)].map((half) =>
      half.map((byte) => byte.toString(16).padStart(2, "0")).join(" "),
    );
    const letters = line.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    return { offset: at.toString(16).padStart(8, "0"), words: words.join("  ").trim(), letters };
  });
}
