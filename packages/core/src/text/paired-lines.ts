/** Signs that open and close by their direction. */
const mirrored = "()[]{}<>«»“”‘’「」『』《》【】〔〕";

/** Signs as they close what they open: the last one first, each bracket turned round. */
function closing(signs: string): string {
  let text = "";
  for (const sign of signs) {
    const at = mirrored.indexOf(sign);
    text = (at < 0 ? sign : mirrored.charAt(at ^ 1)) + text;
  }
  return text;
}

const turned = (text: string): string => [...text].reverse().join("");
const isOpening = (sign: string): boolean => mirrored.indexOf(sign) % 2 === 0;
/** The brackets among signs that close something. */
const closers = (signs: string): string => [...signs].filter((sign) => mirrored.indexOf(sign) % 2 === 1).join("");

/** Whether signs stand in others in their order, all of the closing brackets and at least half of all. */
function isMostOf(signs: string, others: string): boolean {
  let at = -1;
  for (const sign of signs) {
    at = others.indexOf(sign, at + 1);
    if (at < 0) return false;
  }
  const brackets = closers(others);
  return brackets === "" ? signs.length * 2 >= others.length : closers(signs) === brackets;
}

/** Ends a line behind which a text stands that is deeper: YAML, reStructuredText. */
const opensDeeper = /[:=-][ \t]{1,9}[|>][-+\d]{0,2}$|::$|^[ \t]*\.\.[ \t]/;
/** A line of a quotation of Markdown: a line right behind it belongs to it too. */
const quotation = /^[ \t]{0,3}(?:>[ \t]?)+[\p{L}\p{N}*_"“「]/u;

/** Whether what comes behind a text, up to a line's content, belongs to something of it that ends by its layout. */
export function isContinued(before: string): boolean {
  const end = before.lastIndexOf("\n");
  const depth = before.length - end - 1;
  if (quotation.test(before.slice(before.lastIndexOf("\n", end - 1) + 1, Math.max(0, end)))) return true;
  if (depth === 0) return false;
  const lines = before.split("\n").slice(0, -1);
  const above = lines.findLast((line) => /\S/.test(line) && line.search(/\S/) < depth);
  return above !== undefined && opensDeeper.test(above.trimEnd());
}

/** What a line of any text begins with: signs of lists, of headings, of the comments that something stands in. */
const layout = /^(?:(?:[-*+>;%]|#{1,6}|\/\/|--|\d{1,3}[.)])[ \t]+){0,3}/;
/** Tables, fences and what divides a text of Markdown open nothing and end nothing. */
const isLayout = /^(?:\|[\s:-]|`{3}|~{3}|[-*_]{3}$|\.{3}$)/;
/** These may underline a heading. */
const underlines = /^(?:-+|\*+|_+|=+|#+)$/;
/** A line of a language whose lines begin with a sign and a word: roff, TeX, documentation of Perl, Texinfo, armour. */
const control = /^(?:\.(?=\p{L}{1,2}(?:\s|$))|[\\@=%](?=\p{L}[\p{L}\d]*(?:[\s{[:]|$))|-{4,}(?=\p{L}))/u;
const attributes = /^\[[^[\]]*\]$/;
const isSentence = /[.!?。！？]$/;

const signsFirst = /^[^\s\p{L}\p{N}_]{0,16}/u;
/** The same sign several times, or several signs. */
const lead = /^(?:([^\s\p{L}\p{N}_])\1{2,20}|[^\s\p{L}\p{N}_]{0,16})/u;
const trail = /[^\s\p{L}\p{N}_]{1,16}$/u;
/** Ends no phrase, is no picture, and opens something. */
const opens = /[^.,:;!?…、。，：；！？)\]}>»”’」』》】〕\p{So}\p{M}\p{Cf}]|([.,:;!?])\1\1/u;
/** A line without such a sign opens nothing by its signs. */
const mayOpen = /[^\s\p{L}\p{N}_.,:;!?]|([.,:;!?])\1\1/u;
const words = /^(\p{L}+)[ \t]+[\p{L}\p{N}]/u;
const mayEnd = /\s:|;$/;
const balanced = /\(\)|\[\]|\{\}|<>/g;
const hereDocument = /(?:<<[-~<]?[ \t]{0,3}["'\\]?|\p{L}")(\w{1,40})/u;
/** Tags and comments of HTML are looked for by others. */
const html = /^<[/!]?[a-z-]/i;
/** What begins or ends a line that opens something by a word with a sign. */
const marks = /^(?:[{\\%#@=:$^]|<[^a-z/!\s]|[[【][^[\]【】]+[\]】]$|--)|\s[$:%@{][\p{L}\p{N}_]+[$}]?$/u;

/** Signs that end something: not one of Markdown alone, and not those of phrases. */
const endsBySigns = /^(?![-*+>#|_~]$)(?=.*[^.,:;!?…]|(.)\1\1)/u;
/** Behind an assignment they are a value, such as an empty string: it begins, and ends, by itself. */
const signsLast = /[^\s=:(,[{][ \t]{1,9}([^\s\p{L}\p{N}_]{2,12})$/u;
/** Signs, a word for an end, and a word. */
const endsByWord =
  /^((?:[^\s\p{L}\p{N}_]|[ \t](?=[^\s\p{L}\p{N}_])){1,16})[ \t]?(end|stop)?[ \t_{([]?([\p{L}\p{N}_]{0,40})/iu;
const endingWord = /^(?:en(?=(def)$)|end(?=(\p{L}{2,})$))\p{L}+$/u;
const token = /^[^\s\p{L}\p{N}_]+[\p{L}\p{N}_]+[^\s\p{L}\p{N}_;,]*/u;
/** Signs of Markdown, and those that begin names: a word with one of them is no end because it stands there twice. */
const plain = /^(?:[([*_#`~+>|<!.@:&]|-(?!-))/;
/** What goes on behind the end of a string, and no prose. */
const isCode = /^(?:[ \t]*[^\s\p{L}\p{N}]|[^\n]*[;{]$|$)/u;

/** A line that may have opened something. */
interface Opener {
  at: number;
  text: string;
  /** What its signs are closed with: the first, the last, all of them. */
  closedBy: string[];
  /** Ends its here document. */
  word: string | undefined;
  /** It underlines a heading, unless a block stands between it and the next such line. */
  underlines: boolean;
}
type Test = (open: Opener) => boolean;

/** As many lines are looked at for what a line ends. */
const reach = 64;

/**
 * Follows lines that open something and lines that end it, in any language. A line that ends something says nothing that the line
 * which began it does not: its words stand there too, or are turned round, or say "end"; so do its signs.
 */
export class PairedLines {
  readonly #open: Opener[] = [];
  /** By sign: what was given to {@link read} at the first line of a language that begins its lines so. */
  readonly #controls = new Map<string, number>();
  /** By first word: the same, at the last line without signs. */
  readonly #words = new Map<string, number>();
  #isBehindText = false;
  #isBehindRuler = false;

  /** Reads a line. `at` is kept where it opens something; returned is what was kept where the thing began that it ends. */
  read(written: string, at: number, isBehindBlock = false): number | undefined {
    const whole = written.length > 400 ? "" : written.trim();
    const word = sentenceWord(whole);
    if (word !== undefined) {
      this.#isBehindText = true;
      this.#isBehindRuler = false;
      this.#keepWord(word, at);
      return undefined;
    }
    const isBehindText = this.#isBehindText || isBehindBlock;
    // Attributes are no heading.
    this.#isBehindText = whole !== "" && !attributes.test(whole);
    if (whole === "" && this.#isBehindRuler) this.#open.pop();
    this.#isBehindRuler = false;
    if (whole === "" || isLayout.test(whole)) return undefined;
    const text = whole.replace(layout, "").toLowerCase();
    const sign = isSentence.test(whole) ? undefined : control.exec(whole)?.[0];
    const begun = this.#take(text, isBehindText, isBehindBlock);
    if (begun === undefined) this.#push(text, at, isBehindText);
    const first = sign === undefined ? undefined : this.#controls.get(sign);
    if (sign !== undefined && first === undefined) this.#controls.set(sign, at);
    return first ?? begun;
  }

  /** Takes out the line that a line ends, and returns what was kept at it. */
  #take(text: string, isBehindText: boolean, isBehindBlock: boolean): number | undefined {
    const [, short, end] = endingWord.exec(text) ?? [];
    const word = end ?? short ?? (/^\p{L}{2,}$/u.test(text) ? turned(text) : "");
    const begun = word === text ? undefined : this.#words.get(word);
    if (begun !== undefined) {
      this.#words.delete(word);
      return begun;
    }
    if (this.#open.length === 0) return undefined;
    const tests = underlines.test(text)
      ? [(open: Opener) => open.text === text && (open.underlines ? isBehindBlock : isBehindText)]
      : endsOf(text, isBehindBlock);
    if (tests.length === 0) return undefined;
    for (let index = this.#open.length - 1; index >= Math.max(0, this.#open.length - reach); index -= 1) {
      const open = this.#open[index] as Opener;
      if (tests.some((test) => test(open))) return this.#open.splice(index, 1)[0]?.at;
    }
    return undefined;
  }

  #push(text: string, at: number, isBehindText: boolean): void {
    const open: Opener = {
      at,
      text,
      closedBy: closersOf(text),
      word: hereDocument.exec(text)?.[1],
      underlines: isBehindText && underlines.test(text),
    };
    if (open.closedBy.length > 0 || open.word !== undefined || marks.test(text)) {
      this.#open.push(open);
      this.#isBehindRuler = underlines.test(text);
    }
    this.#keepWord(/^\p{L}+/u.exec(text)?.[0] ?? "", at);
    if (this.#open.length > 4 * reach) this.#open.splice(0, 3 * reach);
  }

  #keepWord(word: string, at: number): void {
    for (const begun of word === "" ? [] : [word, word.slice(0, 3)]) this.#words.set(begun, at);
  }
}

/** Returns the first word of a line of prose, which opens nothing and ends nothing. */
function sentenceWord(line: string): string | undefined {
  const [, word] = words.exec(line) ?? [];
  if (word === undefined || mayOpen.test(line) || mayEnd.test(line)) return undefined;
  const lower = word.toLowerCase();
  return lower.length === word.length ? lower : undefined;
}

/** Returns what closes the signs of a line, unless the line does so itself. */
function closersOf(text: string): string[] {
  if (!mayOpen.test(text)) return [];
  const [first = ""] = lead.exec(text) ?? [];
  const last = trail.exec(text)?.[0].replace(/(?<=.)[.,:;!?。，：；！？…]+$/, "") ?? "";
  const found = new Set<string>();
  const add = (signs: string, rest: string): void => {
    const left = signs.replace(balanced, "");
    if (left !== "" && opens.test(left) && !rest.includes(closing(left))) found.add(closing(left));
  };
  if (!html.test(text) && (first === text || !underlines.test(first))) add(first, text.slice(first.length));
  if (!(html.test(text) && text.endsWith(">"))) add(last, text.slice(0, text.lastIndexOf(last)));
  const all = /\s|.{40}/.test(text)
    ? ""
    : text
        .replace(/[\p{L}\p{N}_]/gu, "")
        .replace(balanced, "")
        .replace(balanced, "");
  if (/[([{<]/.test(all) && closers(all) === "") add(all, "");
  return [...found];
}

/** Returns what tells whether a line ends what another one opened: nothing if it can't. */
function endsOf(text: string, isBehindBlock: boolean): Test[] {
  const tests: Test[] = [];
  // Signs, and no prose behind them.
  for (const found of new Set([lead.exec(text)?.[0] ?? "", signsFirst.exec(text)?.[0] ?? ""])) {
    const signs = found.replace(/(?<=[^;,.])[;,.]+$/, "");
    const behind = text.slice(found.length);
    if (!endsBySigns.test(signs) || isOpening(signs.charAt(0))) continue;
    if (isCode.test(behind) || signs.length > 4)
      tests.push(({ closedBy }) =>
        closedBy.some((others) => isMostOf(signs, others) || isMostOf(signs, turned(others))),
      );
    else if (isBehindBlock && /^\s/.test(behind))
      tests.push(({ closedBy }) => closedBy.some((others) => signs.startsWith(others)));
  }
  const last = signsLast.exec(text)?.[1];
  if (last) tests.push(({ closedBy }) => closedBy.includes(last));
  const bare = /^\w{1,40}/.exec(text)?.[0];
  if (bare && isCode.test(text.slice(bare.length))) tests.push(({ word }) => word === bare);
  return html.test(text) ? tests : [...tests, ...wordEndsOf(text)];
}

/** The same for lines that end something by a word with signs. */
function wordEndsOf(text: string): Test[] {
  const tests: Test[] = [];
  const [all = "", signs = "", end, word = ""] = endsByWord.exec(text) ?? [];
  if (signs === "" || /^[<>/\s]+$/.test(signs) || !isCode.test(text.slice(all.length))) return tests;
  if (end || /^[^/*]+\/[^/]*$/.test(signs))
    tests.push((open) => open.text.startsWith(signs.charAt(0)) && open.text.includes(word));
  if (end && word === "") tests.push((open) => open.text.endsWith(` ${text}`));
  if (turned(word) !== word) tests.push((open) => open.text.startsWith(signs + turned(word)));
  const written = token.exec(text)?.[0] ?? "";
  const begun = signs + word;
  if (end || word === "" || !written.startsWith(begun)) return tests;
  if (!plain.test(signs) && /^[\s;,)]*$|;$/.test(text.slice(written.length)))
    tests.push(
      (open) =>
        (open.text.startsWith(begun) && !/[\p{L}\p{N}_]/u.test(open.text.charAt(begun.length))) ||
        open.text.endsWith(` ${written}`),
    );
  if (/^[)\]}"']/.test(signs))
    tests.push((open) => open.closedBy.some((others) => others.startsWith(signs)) && open.text.includes(word));
  return tests;
}
