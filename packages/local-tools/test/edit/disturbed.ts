import { undoNeutralize } from "@toolglot/core";
import { fold } from "../../src/edit/fold.ts";
import type { FileTextEdit } from "../../src/edit/types.ts";
import type { Hunk } from "./edits.ts";

/** A change of a text; undefined: this text can't be changed so. It knows the other half, and where both stand. */
type Change = (text: string, hunk: Hunk) => string | undefined;

const perLine =
  (change: (line: string, at: number) => string): Change =>
  (text) =>
    text.split("\n").map(change).join("\n");
const indentationOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? "";
const behindIndentation = (change: (line: string) => string): Change =>
  perLine((line) => indentationOf(line) + change(line.slice(indentationOf(line).length)));
/** In another unit; whoever writes so writes whole levels. */
const inUnits =
  (unit: RegExp, other: string): Change =>
  (text) =>
    text.split("\n").some((line) => line.trim() !== "" && indentationOf(line).replace(unit, "") !== "")
      ? undefined
      : perLine((line) => line.replace(/^[ \t]+/, (all) => all.replace(unit, other)))(text, {} as Hunk);
/** What all lines with content begin with. */
const common = (text: string): string => {
  const all = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [indentationOf(line)]));
  return all.reduce((one, other) => {
    let length = 0;
    while (length < one.length && one[length] === other[length]) length++;
    return one.slice(0, length);
  }, all[0] ?? "");
};
const dedented: Change = (text, { find }) => {
  const shared = common(find);
  if (text.split("\n").some((line) => line.trim() !== "" && !line.startsWith(shared))) return undefined;
  return perLine((line) => line.slice(Math.min(shared.length, line.length)))(text, {} as Hunk);
};
const alternating = (from: string, [open, close]: readonly [string, string]): Change =>
  perLine((line) => {
    let at = 0;
    return line.replaceAll(from, () => (at++ % 2 === 0 ? open : close));
  });
const doubleQuotes = alternating('"', ["“", "”"]);
const singleQuotes = alternating("'", ["‘", "’"]);
const inTurn =
  (...changes: Change[]): Change =>
  (text, hunk) =>
    changes.reduce<string | undefined>((now, change) => (now === undefined ? now : change(now, hunk)), text);
const numbered =
  (write: (number: number) => string): Change =>
  (text, { file, find }) => {
    const first = file.slice(0, file.indexOf(find)).split("\n").length;
    return perLine((line, at) => write(first + at) + line)(text.replace(/\n$/, ""), {} as Hunk);
  };
/** A line in the middle stands for what was there. */
const leftOut =
  (mark: string): Change =>
  (text) => {
    const lines = text.split("\n");
    return lines.length < 5 ? undefined : [...lines.slice(0, 2), mark, ...lines.slice(-2)].join("\n");
  };
/** Lines that both halves begin, or end, with: half of them is not there. */
const halfOf =
  (side: "start" | "end"): Change =>
  (text, { find, replace }) => {
    const [one, other] = [find, replace].map((half) => half.split("\n")) as [string[], string[]];
    const at = (lines: string[], index: number): string | undefined => lines.at(side === "start" ? index : -1 - index);
    let count = 0;
    while (count < Math.min(one.length, other.length) && at(one, count) === at(other, count)) count++;
    const gone = Math.ceil(count / 2);
    const lines = text.split("\n");
    const left = side === "start" ? lines.slice(gone) : lines.slice(0, lines.length - gone);
    return gone === 0 || left.join("").trim() === "" ? undefined : left.join("\n");
  };
/** Two letters change places, in the longest word of find. */
const typo: Change = (text, { find }) => {
  const [word = ""] = (find.match(/[A-Za-z]{4,}/g) ?? []).sort((one, other) => other.length - one.length);
  const wrong = `${word.slice(0, 1)}${word[2]}${word[1]}${word.slice(3)}`;
  return word === "" || wrong === word || !text.includes(word) ? undefined : text.replace(word, wrong);
};

/** Ways in which one half of a call, or both, come otherwise than meant. */
const changes: Readonly<Record<string, Change>> = {
  "no-break spaces within lines": behindIndentation((line) => line.replaceAll(" ", "\u00a0")),
  "no-break spaces everywhere": (text) => text.replaceAll(" ", "\u00a0"),
  "no-break spaces in every third place": (text) => text.replace(/(\S) (\S+ \S+)/g, "$1\u00a0$2"),
  "ideographic spaces": behindIndentation((line) => line.replaceAll(" ", "\u3000")),
  "thin spaces": behindIndentation((line) => line.replaceAll(" ", "\u2009")),
  "typographic double quotes": doubleQuotes,
  "typographic single quotes": singleQuotes,
  "all typographic quotes": inTurn(doubleQuotes, singleQuotes),
  "typographic dashes": (text) => text.replaceAll("-", "–"),
  "typographic ellipses": (text) => text.replaceAll("...", "…"),
  "zero-width spaces": (text) => text.replace(/(\w)(\w)/g, "$1\u200b$2"),
  "soft hyphens": (text) => text.replace(/(\w{3})(\w)/g, "$1\u00ad$2"),
  "decomposed characters": (text) => text.normalize("NFD"),
  "white space added at line ends": (text) => text.replace(/(\S)\n/g, "$1  \n"),
  "white space at line ends left out": (text) => text.replace(/[ \t]+(?=\n|$)/g, ""),
  "CRLF for LF": (text) => text.replaceAll("\n", "\r\n"),
  "spaces for tabs, four each": inUnits(/\t/g, "    "),
  "spaces for tabs, two each": inUnits(/\t/g, "  "),
  "four spaces for two": inUnits(/ {2}/g, "    "),
  "two spaces for four": inUnits(/ {4}/g, "  "),
  "tabs for two spaces": inUnits(/ {2}/g, "\t"),
  "tabs for four spaces": inUnits(/ {4}/g, "\t"),
  "shared indentation left out": dedented,
  "shared indentation left out, and another unit": inTurn(dedented, inUnits(/ {2}|\t/g, "    ")),
  "all indentation left out": perLine((line) => line.trimStart()),
  "four spaces more": perLine((line) => (line === "" ? "" : `    ${line}`)),
  "one space more": perLine((line) => (line === "" ? "" : ` ${line}`)),
  "white space around left out": (text) => text.trim(),
  "white space before left out": (text) => text.replace(/^[ \t]+/, ""),
  "blank lines around": (text) => `\n${text}${/(?:^|\n)$/.test(text) ? "\n" : "\n\n"}`,
  "blank lines left out": (text) => text.replace(/\n(?:[ \t]*\n)+/g, "\n"),
  "several blank lines as one": (text) => text.replace(/\n(?:[ \t]*\n){2,}/g, "\n\n"),
  "full-width signs": (text) => text.replaceAll("(", "（").replaceAll(")", "）"),
  entities: (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  "entities for quotes": (text) => text.replaceAll('"', "&quot;").replaceAll("'", "&#39;"),
  "quotes escaped": (text) => text.replaceAll('"', '\\"'),
  "line numbers of a listing": numbered((number) => `${String(number).padStart(4)} | `),
  "line numbers before a tab": numbered((number) => `${String(number).padStart(6)}\t`),
  "a fence around": (text) => `\`\`\`\n${text.replace(/\n$/, "")}\n\`\`\`${text.endsWith("\n") ? "\n" : ""}`,
  "a comment for lines left out": leftOut("    // ... existing code ..."),
  "another comment for lines left out": leftOut("# rest of the code"),
  "an ellipsis for lines left out": leftOut("…"),
  "dots for lines left out": leftOut("..."),
  "half of the lines before missing": halfOf("start"),
  "half of the lines behind missing": halfOf("end"),
  "a typing error": typo,
  "quotes, blanks and no indentation": inTurn(
    dedented,
    doubleQuotes,
    behindIndentation((line) => line.replaceAll(" ", "\u00a0")),
  ),
};

/** What a file may have in another form than a call. */
const fileChanges: Readonly<Record<string, (text: string) => string>> = {
  "decomposed characters in the file": (text) => text.normalize("NFD"),
  "white space at line ends of the file": (text) => text.replace(/(\S)\n/g, "$1 \n"),
  "white space in empty lines of the file": (text) => text.replace(/\n\n/g, "\n  \n"),
  "no-break spaces in the file": (text) => text.replaceAll(" = ", "\u00a0= "),
  "typographic quotes in the file": (text) => doubleQuotes(text, {} as Hunk) as string,
  "CRLF in the file": (text) => text.replaceAll("\n", "\r\n"),
  "CRLF in every third line of the file": (text) => {
    let at = 0;
    return text.replace(/\n/g, () => (at++ % 3 === 0 ? "\r\n" : "\n"));
  },
};

type Disturb = (hunk: Hunk) => Hunk | undefined;

const onSides = (change: Change): Record<string, Disturb> => ({
  "in both": (hunk) => {
    const [find, replace] = [change(hunk.find, hunk), change(hunk.replace, hunk)];
    return find === undefined || replace === undefined ? undefined : { ...hunk, find, replace };
  },
  "in find": (hunk) => {
    const find = change(hunk.find, hunk);
    return find === undefined ? undefined : { ...hunk, find };
  },
  "in replace": (hunk) => {
    const replace = change(hunk.replace, hunk);
    return replace === undefined ? undefined : { ...hunk, replace };
  },
});

/** All ways, by name; the first is none. */
export const disturbances: Readonly<Record<string, Disturb>> = Object.fromEntries([
  ["as it was meant", (hunk: Hunk) => hunk],
  ...Object.entries(changes).flatMap(([name, change]) =>
    Object.entries(onSides(change)).map(([side, disturb]) => [`${name}, ${side}`, disturb] as const),
  ),
  ...Object.entries(fileChanges).map(([name, change]): [string, Disturb] => [
    name,
    (hunk) => ({ ...hunk, file: change(hunk.file), after: change(hunk.after) }),
  ]),
]);

/**
 * What became of a disturbed edit. `exact`: as meant, find stood there; `forgiven`: as meant, find did not stand there; `written`: find
 * stood there, and its replacement stands there just as the call has it, though it was meant otherwise.
 */
export type Outcome = "exact" | "forgiven" | "refused" | "written" | "wrong";

/** Makes a disturbed edit. `apply` gives the text, or undefined where it is refused. Undefined: nobody can tell what was meant. */
export function outcomeOf(
  hunk: Hunk,
  way: string,
  apply: (file: string, edit: FileTextEdit) => string | undefined,
): { outcome: Outcome; disturbed: Hunk; text: string | undefined } | undefined {
  const disturbed = disturbances[way]?.(hunk);
  if (disturbed === undefined || disturbed.find === "" || (isSame(disturbed, hunk) && way !== "as it was meant"))
    return undefined;
  if (isLost(hunk, disturbed, way)) return undefined;
  const text = apply(disturbed.file, disturbed);
  if (text === undefined) return { outcome: "refused", disturbed, text };
  const [file, find, replace] = [disturbed.file, disturbed.find, disturbed.replace].map(withLf) as [
    string,
    string,
    string,
  ];
  const place = file.indexOf(find);
  const isMeant = text === disturbed.after || (disturbed.file !== hunk.file && isAlike(text, disturbed.after));
  if (isMeant) return { outcome: place === -1 ? "forgiven" : "exact", disturbed, text };
  // A find that was not disturbed, or that has less around it, stands for what is there.
  const isFind = hunk.find.includes(find);
  const [head, tail] = [/^\n*/, /\n*$/].map((ends) => (/^\n|\n$/.test(replace) ? "" : (ends.exec(find)?.[0] ?? "")));
  const isWritten =
    isFind &&
    place !== -1 &&
    // What results add to marks is taken off again.
    [replace, `${head}${replace}${tail}`, undoNeutralize(replace)].some(
      (written) => withLf(text) === file.slice(0, place) + written + file.slice(place + find.length),
    );
  return { outcome: isWritten ? "written" : "wrong", disturbed, text };
}

const withLf = (text: string): string => text.replaceAll("\r\n", "\n");

/** Characters that take part in disturbing: where the meant text has them, nobody can tell them from those that came by accident. */
const special = /[\u00a0\u00ad\u2000-\u206f\u3000]/;

function isSame(one: Hunk, other: Hunk): boolean {
  return one.file === other.file && one.find === other.find && one.replace === other.replace;
}

/** What a way of disturbing, or an edit, may change alone. */
const kinds: readonly ((text: string) => string)[] = [
  (text) => text.replace(/[ \t]+$/gm, ""),
  (text) => fold(text).folded.replace(/^[ \t]+/gm, ""),
  (text) => text.trim().replace(/\n(?:[ \t]*\n)+/g, "\n"),
];
const linesOf = (text: string): string[] => text.split("\n");

/**
 * Whether what was meant can no longer be told, by anybody: lines or signs that were different are the same now, or the edit is of the
 * same kind as its disturbance.
 */
function isLost(hunk: Hunk, disturbed: Hunk, way: string): boolean {
  const [isFind, isReplace] = [disturbed.find !== hunk.find, disturbed.replace !== hunk.replace];
  if (disturbed.find === disturbed.replace) return true;
  if (disturbed.file !== hunk.file) return special.test(disturbed.file) && special.test(hunk.file + hunk.replace);
  // Signs that came with the disturbance, of which find has none, or which are there anyway.
  const countOf = (text: string, sign: string): number => text.split(sign).length;
  const news = [...new Set(disturbed.find + disturbed.replace)].filter(
    (sign) =>
      /[^\0-\x7f]/.test(sign) &&
      countOf(disturbed.find + disturbed.replace, sign) > countOf(hunk.find + hunk.replace, sign),
  );
  if (news.length > 0 && special.test(hunk.file + hunk.replace)) return true;
  if (isFind && news.some((sign) => !disturbed.find.includes(sign))) return true;
  if (!isFind) return false;
  // Blank lines that are there as well.
  const place = hunk.file.indexOf(disturbed.find);
  const meant = hunk.file.indexOf(hunk.find);
  // It stands somewhere else as it was not meant.
  if (place !== -1 && (place > meant + hunk.find.length || place + disturbed.find.length < meant)) return true;
  // It stands there as it was not meant.
  if (place !== -1 && !disturbed.find.startsWith("\n") && !hunk.find.includes(disturbed.find)) return true;
  if (/blank line/.test(way) && /^\s*\n|\n\s*\n$/.test(hunk.find)) return true;
  // Blank lines that are there as well.
  if (place > 0 && hunk.file[place - 1] === "\n" && /^\n[\s\S]*\n\n$/.test(disturbed.find) && /\n$/.test(hunk.replace))
    return true;
  if (hunk.find.trim() === disturbed.find.trim()) {
    // Line ends that came, or went, where the halves have other ones.
    const [ends = "", its = ""] = [hunk.find, hunk.replace].map((half) => /\s*$/.exec(half)?.[0] ?? "");
    if (ends !== its || /\n\s*\n/.test(ends) || /^\n/.test(hunk.find) || /^\n/.test(hunk.replace)) return true;
    // What the first line of a replacement lost, or had otherwise, and no line of find has.
    const [first = "", ...others] = linesOf(hunk.find);
    const [start = ""] = linesOf(hunk.replace);
    const isMoved = indentationOf(start) !== indentationOf(first);
    if (isMoved && !others.some((line) => line.trim() === start.trim())) return true;
    if (disturbed.replace.trim() === "") return true;
  }
  if (isReplace && hasLostLevels(hunk, disturbed)) return true;
  const [olds, now] = [new Set(linesOf(hunk.find)), new Set(linesOf(disturbed.find))];
  const own = linesOf(hunk.replace).filter((line) => !olds.has(line));
  const its = linesOf(disturbed.replace);
  if (
    isReplace &&
    its.length === linesOf(hunk.replace).length &&
    its.filter((line) => !now.has(line)).length < own.length
  )
    return true;
  return kinds.some((kind) => {
    const isOfKind = kind(disturbed.find) === kind(hunk.find) && kind(disturbed.replace) === kind(hunk.replace);
    const without = new Set(linesOf(kind(hunk.find)));
    const isSameKind = own.some((line) => without.has(kind(line))) || kind(hunk.find) === kind(hunk.replace);
    const isFolded = kind === kinds[1] && fold(disturbed.find).folded === fold(hunk.find).folded;
    const hasEnds = kind === kinds[0] && [...own, ...olds].some((line) => /[ \t]$/.test(line));
    // Where both halves are shifted alike, what they differ in stays.
    const isShift = isReplace && kind === kinds[1] && !/for (?:tabs|two|four)|unit/.test(way);
    return isOfKind && (isSameKind || hasEnds) && !isFolded && !isShift;
  });
}

/** Whether a level of new lines has become another one, which find has. */
function hasLostLevels(hunk: Hunk, disturbed: Hunk): boolean {
  const [olds, news, nowOlds, nowNews] = [hunk.find, hunk.replace, disturbed.find, disturbed.replace].map((half) =>
    linesOf(half).map((line) => (line.trim() === "" ? undefined : indentationOf(line))),
  ) as [string[], string[], string[], string[]];
  if (olds.length !== nowOlds.length || news.length !== nowNews.length) return false;
  const seen = new Map(nowOlds.map((level, row) => [level, olds[row]]));
  return news.some(
    (level, row) =>
      level !== undefined &&
      seen.has(nowNews[row] as string) &&
      seen.get(nowNews[row] as string) !== level &&
      !olds.includes(level),
  );
}

/** New lines have the characters of the call, where those of the file are disturbed. */
function isAlike(text: string, after: string): boolean {
  return fold(withLf(text)).folded === fold(withLf(after)).folded;
}
