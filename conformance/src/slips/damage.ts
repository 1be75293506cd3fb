import type { Random } from "./random.ts";
import type { Written } from "./slip.ts";

/** Signs in other families of brackets and quotes. */
const families: readonly Readonly<Record<string, string>>[] = [
  { "<": "＜", ">": "＞", "/": "／", "[": "［", "]": "］", "=": "＝", ":": "：", "'": "＇", '"': "＂", "|": "｜" },
  { "<": "[", ">": "]", "[": "<", "]": ">", "'": '"', '"': "'", "»": "«", "«": "»" },
  { "<": "&lt;", ">": "&gt;", "'": "’", '"': "”", "»": ">>", "«": "<<" },
];

const translated = (text: string, signs: Readonly<Record<string, string>>): string =>
  [...text].map((unit) => signs[unit] ?? unit).join("");

/** What can be wrong with a delimiter: a tag, a mark, a key. */
const damages: Readonly<Record<string, (delimiter: string) => string>> = {
  lost: () => "",
  "first half only": (text) => text.slice(0, Math.ceil(text.length / 2)),
  "second half only": (text) => text.slice(Math.ceil(text.length / 2)),
  "first sign lost": (text) => text.slice(1),
  "last sign lost": (text) => text.slice(0, -1),
  "first sign twice": (text) => text.charAt(0) + text,
  "last sign twice": (text) => text + text.slice(-1),
  "a letter lost": (text) => text.replace(/(\w)\w(?=\w*\W*$)/, "$1"),
  "letters swapped": (text) => text.replace(/(\w)(\w)(?=\w*\W*$)/, "$2$1"),
  "a letter too many": (text) => text.replace(/(\w)(?=\W*$)/, "$1s"),
  twice: (text) => text + text,
  "misspelt, then right": (text) => text.replace(/(\w)\w(?=\w*\W*$)/, "$1") + text,
  "slash or none": (text) => (text.includes("/") ? text.replace("/", "") : text.replace("<", "</")),
  "a slash that points back": (text) => text.replace("/", "\\"),
  "full-width signs": (text) => translated(text, families[0] ?? {}),
  "other signs": (text) => translated(text, families[1] ?? {}),
  "signs of print": (text) => translated(text, families[2] ?? {}),
  "signs lost": (text) => text.replace(/[^\w\s=" ]/g, ""),
  "spaces in it": (text) => text.replace(/(\W)(\w)/, "$1 $2"),
  "a line break in it": (text) => text.replace(/(\w)(\W*)$/, "$1\n$2"),
};

/** A delimiter with one damage that changes it. */
export function damageOne(delimiter: string, random: Random): { what: string; text: string } {
  const possible = Object.entries(damages).flatMap(([what, damage]) => {
    const text = damage(delimiter);
    return text === delimiter ? [] : [{ what, text }];
  });
  return random.pick(possible);
}

/** The text with one of its delimiters damaged, a number of times. */
export function damagedIn({ text, values }: Written, count: number, random: Random): { what: string; text: string }[] {
  const own = [...text.matchAll(/[^\s\w]*\w+[^\s\w]*|[^\s\w]+/g)].filter(
    ({ 0: all, index }) => !values.some(([start, end]) => index < end && index + all.length > start),
  );
  return Array.from({ length: own.length > 0 ? count : 0 }, () => {
    const { 0: delimiter, index } = random.pick(own);
    const { what, text: put } = damageOne(delimiter, random);
    return { what: `${what}, ${index}`, text: text.slice(0, index) + put + text.slice(index + delimiter.length) };
  });
}
