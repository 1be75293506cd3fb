import { fold } from "../../src/edit/fold.ts";
import type { FileTextEdit } from "../../src/edit/types.ts";

/** An edit of a file as it was meant: the find stands there exactly once. */
export interface Hunk {
  file: string;
  after: string;
  find: string;
  replace: string;
}

/** The same as it comes from somebody: other characters in the call, or in the file. Undefined: it would be the same. */
type Disturb = (hunk: Hunk) => Hunk | undefined;

const perLine = (text: string, change: (line: string, at: number) => string): string =>
  text.split("\n").map(change).join("\n");
const behindIndentation = (text: string, change: (line: string) => string): string =>
  perLine(text, (line) => line.replace(/^([ \t]*)(.*)$/s, (_, indentation, rest) => indentation + change(rest)));
const both =
  (change: (text: string) => string): Disturb =>
  (hunk) => ({ ...hunk, find: change(hunk.find), replace: change(hunk.replace) });
const findOnly =
  (change: (text: string) => string): Disturb =>
  (hunk) => ({ ...hunk, find: change(hunk.find) });
const inFile =
  (change: (text: string) => string): Disturb =>
  (hunk) => ({ ...hunk, file: change(hunk.file), after: change(hunk.after) });
/** In another unit; whoever writes so writes whole levels. */
const indentation = (unit: RegExp, other: string) => (text: string) =>
  perLine(text, (line) =>
    line.replace(/^[ \t]+/, (all) => {
      if (/\S/.test(line) && all.replace(unit, "") !== "") throw new RangeError();
      return all.replace(unit, other);
    }),
  );
const common = (text: string): string => {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const all = lines.map((line) => /^[ \t]*/.exec(line)?.[0] ?? "");
  return all.reduce((one, other) => {
    let length = 0;
    while (length < one.length && one[length] === other[length]) length++;
    return one.slice(0, length);
  }, all[0] ?? "");
};
/** Takes so much off each line that find's lines share. */
const dedented =
  (changes: (shared: string) => Disturb): Disturb =>
  (hunk) => {
    const shared = common(hunk.find);
    return shared === "" ? undefined : changes(shared)(hunk);
  };
const without = (shared: string) => (text: string) => {
  if (text.split("\n").some((line) => line.trim() !== "" && !line.startsWith(shared))) throw new RangeError();
  return perLine(text, (line) => line.slice(Math.min(shared.length, line.length)));
};
const alternating =
  (from: string, [open, close]: readonly [string, string]) =>
  (text: string) =>
    perLine(text, (line) => {
      let at = 0;
      return line.replaceAll(from, () => (at++ % 2 === 0 ? open : close));
    });
const whole = (text: string): boolean => /(?:^|\n)$/.test(text);

/** Ways in which calls come otherwise than meant. */
export const disturbances: Readonly<Record<string, Disturb>> = {
  "no-break spaces within lines, on both sides": both((text) =>
    behindIndentation(text, (line) => line.replaceAll(" ", "\u00a0")),
  ),
  "no-break spaces everywhere, on both sides": both((text) => text.replaceAll(" ", "\u00a0")),
  "no-break spaces in find": findOnly((text) => behindIndentation(text, (line) => line.replaceAll(" ", "\u00a0"))),
  "no-break spaces in every third place, on both sides": both((text) => text.replace(/(\S) (\S+ \S+)/g, "$1\u00a0$2")),
  "ideographic spaces, on both sides": both((text) =>
    behindIndentation(text, (line) => line.replaceAll(" ", "\u3000")),
  ),
  "thin spaces in find": findOnly((text) => behindIndentation(text, (line) => line.replaceAll(" ", "\u2009"))),
  "typographic double quotes, on both sides": both(alternating('"', ["“", "”"])),
  "typographic single quotes, on both sides": both(alternating("'", ["‘", "’"])),
  "all typographic quotes, on both sides": both((text) =>
    alternating("'", ["‘", "’"])(alternating('"', ["“", "”"])(text)),
  ),
  "typographic quotes in find": findOnly(alternating('"', ["“", "”"])),
  "typographic dashes, on both sides": both((text) => text.replaceAll("-", "–")),
  "ellipses, on both sides": both((text) => text.replaceAll("...", "…")),
  "zero-width spaces, on both sides": both((text) => text.replace(/(\w)(\w)/g, "$1\u200b$2")),
  "soft hyphens in find": findOnly((text) => text.replace(/(\w{3})(\w)/g, "$1\u00ad$2")),
  "decomposed characters, on both sides": both((text) => text.normalize("NFD")),
  "decomposed characters in the file": inFile((text) => text.normalize("NFD")),
  "white space at line ends, on both sides": both((text) => text.replace(/(\S)\n/g, "$1  \n")),
  "white space at line ends in find": findOnly((text) => text.replace(/(\S)\n/g, "$1 \n")),
  "white space at line ends in the file": inFile((text) => text.replace(/(\S)\n/g, "$1 \n")),
  "white space in empty lines of the file": inFile((text) => text.replace(/\n\n/g, "\n  \n")),
  "no-break spaces in the file": inFile((text) => text.replaceAll(" = ", "\u00a0= ")),
  "typographic quotes in the file": inFile(alternating('"', ["“", "”"])),
  "CRLF in the call": both((text) => text.replaceAll("\n", "\r\n")),
  "CRLF in the file": inFile((text) => text.replaceAll("\n", "\r\n")),
  "spaces for tabs, four each": both(indentation(/\t/g, "    ")),
  "spaces for tabs, two each": both(indentation(/\t/g, "  ")),
  "four spaces for two": both(indentation(/ {2}/g, "    ")),
  "two spaces for four": both(indentation(/ {4}/g, "  ")),
  "tabs for two spaces": both(indentation(/ {2}/g, "\t")),
  "tabs for four spaces": both(indentation(/ {4}/g, "\t")),
  "spaces for tabs in find": findOnly(indentation(/\t/g, "    ")),
  "four spaces for two in find": findOnly(indentation(/ {2}/g, "    ")),
  "tabs for four spaces in find": findOnly(indentation(/ {4}/g, "\t")),
  "shared indentation left out, on both sides": dedented((shared) => both(without(shared))),
  "shared indentation left out in find": dedented(
    (shared) => (hunk) =>
      // A find that is there, and is taken out, is taken out as it is written.
      hunk.replace.trim() === "" ? undefined : findOnly(without(shared))(hunk),
  ),
  "shared indentation left out in replace": dedented((shared) => (hunk) => ({
    ...hunk,
    replace: without(shared)(hunk.replace),
  })),
  "four spaces more, on both sides": both((text) => perLine(text, (line) => (line === "" ? "" : `    ${line}`))),
  "four spaces more in find": findOnly((text) => perLine(text, (line) => (line === "" ? "" : `    ${line}`))),
  "shared indentation left out, and another unit": dedented((shared) =>
    both((text) => indentation(/ {2}|\t/g, "    ")(without(shared)(text))),
  ),
  // With more than one level nobody can tell which is meant.
  "all indentation left out, on both sides": dedented(
    (shared) => (hunk) =>
      new RegExp(`^(?!${shared}\\S)(?=.)`, "m").test(hunk.replace)
        ? undefined
        : both((text) => perLine(text, (line) => line.trimStart()))(hunk),
  ),
  "white space around find and replace left out": both((text) => text.trim()),
  "white space before find left out": (hunk) =>
    /^[ \t]*/.exec(hunk.find)?.[0] === /^[ \t]*/.exec(hunk.replace)?.[0]
      ? { ...hunk, find: hunk.find.replace(/^[ \t]+/, "") }
      : undefined,
  "blank lines around both": both((text) => `\n${text}${whole(text) ? "\n" : "\n\n"}`),
  "full-width signs, on both sides": both((text) => text.replaceAll("(", "（").replaceAll(")", "）")),
  "code left out": (hunk) => {
    const lines = hunk.replace.split("\n");
    if (lines.length < 5) return undefined;
    return {
      ...hunk,
      replace: [...lines.slice(0, 2), "    // ... existing code ...", ...lines.slice(-2)].join("\n"),
      after: "refused",
    };
  },
  "quotes, blanks and dedented at once": dedented(
    (shared) => (hunk) =>
      !hunk.find.includes('"') || !hunk.find.trim().includes("\n")
        ? undefined
        : both((text) =>
            behindIndentation(alternating('"', ["“", "”"])(without(shared)(text)), (line) =>
              line.replaceAll(" ", "\u00a0"),
            ),
          )(hunk),
  ),
};

/** What became of disturbed edits: made as meant, refused, or made otherwise. */
export interface Tally {
  exact: number;
  refused: number;
  wrong: { name: string; hunk: Hunk; text: string }[];
}

/** Makes each hunk in each way. `apply` gives the text, or undefined where it is refused. */
export function tallyOf(
  hunks: readonly Hunk[],
  apply: (file: string, edit: FileTextEdit) => string | undefined,
): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const [name, disturb] of Object.entries(disturbances)) {
    const tally: Tally = { exact: 0, refused: 0, wrong: [] };
    tallies.set(name, tally);
    for (const hunk of hunks) {
      let disturbed: Hunk | undefined;
      try {
        disturbed = disturb(hunk);
      } catch (error) {
        // Lines that this can't be done to.
        if (!(error instanceof RangeError)) throw error;
      }
      // A find that is there is no matter of tolerance: its replacement is written as it is.
      if (disturbed === undefined || isSame(disturbed, hunk)) continue;
      if (disturbed.file.includes(disturbed.find) && !/(before find|code) left out$|left out in find$/.test(name))
        continue;
      const text = apply(disturbed.file, disturbed);
      if (text === undefined) tally.refused++;
      else if (text === disturbed.after || (disturbed.file !== hunk.file && isAlike(text, disturbed.after)))
        tally.exact++;
      else tally.wrong.push({ name, hunk: disturbed, text });
    }
  }
  return tallies;
}

/** Characters that take part in disturbing: where the meant text has them, nobody can tell them from those that came by accident. */
const special = /[\u00a0\u00ad\u2000-\u206f\u3000]/;

function isSame(one: Hunk, other: Hunk): boolean {
  return (
    one.file === other.file && one.find === other.find && (one.replace === other.replace || one.after === other.after)
  );
}

/** New lines have the characters of the call, where those of the file are disturbed. */
function isAlike(text: string, after: string): boolean {
  return fold(text.replaceAll("\r\n", "\n")).folded === fold(after.replaceAll("\r\n", "\n")).folded;
}

/** Alignment beside levels is a level to nobody. */
const isAligned = /^\t+ /m;

/** Edits of other people's sources, as a model makes them: a line changed, added, taken out, or put into a block of its own. */
export function hunksOf(source: string, count: number, random: () => number): Hunk[] {
  const lines = source.split("\n");
  const level = lines.some((line) => line.startsWith("\t"))
    ? "\t"
    : lines.some((line) => /^ {2}\S/.test(line))
      ? "  "
      : "    ";
  const hunks: Hunk[] = [];
  for (let tries = 0; hunks.length < count && tries < 50 * count; tries++) {
    const from = Math.floor(random() * lines.length);
    const before = lines.slice(from, from + 1 + Math.floor(random() * 8));
    const at = Math.floor(random() * before.length);
    const line = before[at] as string;
    const indentation = /^[ \t]*/.exec(line)?.[0] ?? "";
    const changed = line.replace(/\w+/, (word) => `${word}Next`);
    const [kept, behind] = [before.slice(0, at), before.slice(at + 1)];
    const ways = [
      [...kept, changed, ...behind],
      [...kept, line, changed, ...behind],
      [...kept, ...behind],
      [...kept, `${indentation}if (ready && "x - y" !== 'z') {`, `${level}${line}`, `${indentation}}`, ...behind],
    ];
    const [find, replace] = [before, ways[Math.floor(random() * ways.length)] as string[]].map((all) =>
      all.map((one) => `${one}\n`).join(""),
    );
    const place = source.indexOf(find as string);
    const isOnce =
      place !== -1 &&
      source.indexOf(find as string, place + 1) === -1 &&
      changed !== line &&
      place + (find as string).length <= source.length;
    if (
      !isOnce ||
      special.test(source) ||
      find === undefined ||
      replace === undefined ||
      find.includes("...") ||
      isAligned.test(find)
    )
      continue;
    hunks.push({
      file: source,
      find,
      replace,
      after: source.slice(0, place) + replace + source.slice(place + find.length),
    });
  }
  return hunks;
}
