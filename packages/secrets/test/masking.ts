import fc from "fast-check";
import { type Masker, MaskStream } from "../src/mask/masker.ts";
import { SoughtValues } from "../src/mask/sought-values.ts";

/** A masker for these values, by name. */
export function maskerFor(values: Readonly<Record<string, string>>): () => Masker {
  const sought = new SoughtValues();
  for (const [name, value] of Object.entries(values)) sought.add(name, value);
  return () => new MaskStream(sought, ({ names }) => [...names].sort()[0] ?? "");
}

/** A whole text at once. */
export function masked(text: string, values: Readonly<Record<string, string>>): string {
  const masker = maskerFor(values)();
  return masker.write(text) + masker.end();
}

const pieces = [
  "'",
  '"',
  "\\",
  "$",
  "`",
  "$(touch x)",
  "%",
  "&",
  "<",
  ">",
  "/",
  "+",
  " ",
  "\n",
  "\t",
  "é",
  "漢",
  "😀",
  "\u001b",
  "!",
  "#",
  "~",
  "=",
];

/** Values with whatever programs write in another way. */
export const awkwardValues: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(..."abcXYZ0189_-.") },
      { weight: 2, arbitrary: fc.constantFrom(...pieces) },
    ),
    {
      minLength: 6,
      maxLength: 60,
    },
  )
  .map((parts) => parts.join(""))
  .filter((value) => value.length >= 6);

/** The longest part of a value that stands in a text, in characters; at most `most` are looked for. */
export function longestShown(value: string, text: string, most = 12): number {
  for (let length = Math.min(most, value.length); length > 0; length--) {
    for (let at = 0; at + length <= value.length; at++) if (text.includes(value.slice(at, at + length))) return length;
  }
  return 0;
}
