import { cdataEnd, cdataStart } from "./body-text.ts";
import { type ShellText, shellTexts } from "./shell-text.ts";

/** A tag in a body, or what may have been meant for one, as indices. */
interface FoundTag {
  start: number;
  end: number;
  name: string;
  closes: boolean;
  /** Alone it is something else: a type, as in `Array<File>`, or a redirection, as in `sort <input >output`. */
  alone?: boolean;
}

const restOfTag = /[^<>]{0,300}>/y;
const behindName = /[ \t\r\n]{0,8}>?/y;
const lineBreak = "[\\n\\r\\u2028\\u2029]";
/**
 * A tag; a closing one in square brackets or without its bracket; and an opening one like that which begins a line. Each begins with a
 * unit of its own, so that most places of a text are passed over at once.
 */
const [tags, shortTags] = [3, 1].map((least) => {
  const word = `([^\\s<>/="'!?&;(){}[\\],|\`$\\\\＜＞〈〉／]{${least},64})`;
  return new RegExp(
    `<!\\[CDATA\\[|<!--|[<＜〈][ \\t]{0,8}([/／\\\\]?)[ \\t]{0,8}${word}` +
      `|\\[?([/／\\\\])(?<![<.~"'=/-].)${word}[\\]>＞]|(?:${lineBreak}|^)[ \\t]{0,99}(\\[?)${word}[\\]>＞]`,
    "g",
  );
}) as [RegExp, RegExp];
const behindBreak = new RegExp(`(?<=${lineBreak})`, "y");
/** Words that were compared with the names are remembered up to this number. */
const remembered = 1000;
/** So many names are looked through; of more, a word is compared with those of its length. */
const few = 40;

/**
 * Looks for what shows that a body took in its neighbour: tags of the grammar around it, and near misses of them, that don't
 * balance within the body. A model that loses or misspells a tag leaves such a one behind, whatever the layout.
 */
export class LooseTags {
  readonly #names: ReadonlySet<string>;
  readonly #others: ReadonlySet<string>;
  readonly #own: ReadonlySet<string>;
  /** A near miss of a name has three letters at least. */
  readonly #pattern: RegExp;
  readonly #near = new Map<string, boolean>();
  /** Of many names: a word is compared with the few that it may have been meant for. */
  #many: NameIndex | undefined;

  /**
   * `own`: names of elements that hold raw bodies here. `around`: those of the elements around them. `others`: names that are
   * no near misses, since something else has them.
   */
  constructor(own: readonly string[], around: readonly string[], others: readonly string[] = []) {
    this.#names = new Set([...own, ...around]);
    this.#others = new Set(others);
    this.#own = new Set(own);
    this.#pattern = [...this.#names].some(({ length }) => length < 3) ? shortTags : tags;
  }

  /**
   * Returns the first one in a body that does not balance, as indices, or a bracket that its own tag may have twice. What stands in a
   * script's quotes and heredocs need not balance.
   */
  find(body: string, script = false): Pick<FoundTag, "start" | "end"> | undefined {
    const doubled = doubledBracket(body);
    if (doubled) return doubled;
    const open: FoundTag[] = [];
    let texts: ShellText[] | undefined;
    let lined: ShellText | undefined;
    for (const tag of this.#all(body, !script)) {
      if (script) {
        texts ??= shellTexts(body) ?? [];
        const text = textAt(texts, tag.start);
        if (text && !text.lined) continue;
        // A quote over several lines may reach from one script to the next: what is in it has to balance.
        if (lined !== text && open.length > 0) break;
        lined = text;
      }
      if (!tag.closes) open.push(tag);
      else {
        let last = open.pop();
        while (last?.alone && last.name !== tag.name) last = open.pop();
        if (last?.name !== tag.name) return tag;
      }
    }
    return open.find(({ alone }) => !alone);
  }

  /** Whether a body holds any such tag. */
  isIn(body: string): boolean {
    return this.#all(body, true).length > 0;
  }

  /** Returns everything in a body that counts. */
  #all(body: string, cites: boolean): FoundTag[] {
    const found: FoundTag[] = [];
    const next = { "]]>": 0, "-->": 0, "\n": 0 };
    const find = (what: keyof typeof next, from: number): number => {
      // What was found ahead, or found missing, is not looked for again.
      if (next[what] >= 0 && next[what] < from) next[what] = body.indexOf(what, from);
      return next[what];
    };
    for (let at = 0; ; ) {
      // What begins a line begins with the break before it.
      behindBreak.lastIndex = at;
      this.#pattern.lastIndex = behindBreak.test(body) ? at - 1 : at;
      const match = this.#pattern.exec(body);
      if (!match) return found;
      const [all, slash, name = "", bareSlash, bareClosed, bracket, bareOpened] = match;
      const start = match.index + (all.length - all.trimStart().length);
      const end = match.index + all.length;
      at = end;
      if (all === cdataStart) {
        const close = find(cdataEnd, end);
        if (close >= 0) at = close + cdataEnd.length;
      } else if (all === "<!--") {
        const close = find("-->", end);
        const line = find("\n", end);
        if (close >= 0 && (line < 0 || close < line)) at = close + 3;
      } else if (bareSlash || bareOpened) {
        const word = (bareClosed ?? bareOpened ?? "").toLowerCase();
        // It balances with its like only.
        if (this.#own.has(word) && (bracket !== "[" || all.endsWith("]")))
          found.push({ start, end, name: `?${word}`, closes: bareSlash !== undefined });
      } else if (this.#counts(name, slash !== "")) {
        const closes = slash !== "";
        let alone = false;
        if (closes) {
          behindName.lastIndex = end;
          behindName.test(body);
          at = behindName.lastIndex;
        } else {
          restOfTag.lastIndex = end;
          const { 0: rest } = restOfTag.exec(body) ?? [];
          if (!rest || rest.endsWith("/>")) continue;
          const type = rest === ">" && /^[A-Z]/.test(name) && /\w/.test(body.charAt(start - 1));
          alone = type || (!cites && this.#others.has(name) && !this.#own.has(name));
          at = end + rest.length;
        }
        const written = (body.charCodeAt(start) === 60 ? "" : "?") + name.toLowerCase();
        if (!cites || !isCited(body, start, at)) found.push({ start, end: at, name: written, closes, alone });
      }
    }
  }

  /** Whether a word is one of the names, or was meant for one. */
  #counts(word: string, closes: boolean): boolean {
    const lower = word.toLowerCase();
    if (this.#names.has(lower)) return true;
    // Who writes another word begins it as its language does.
    if (word !== lower || this.#others.has(lower)) return false;
    const key = closes ? `/${word}` : word;
    let near = this.#near.get(key);
    if (near === undefined) {
      near = this.#isNearAny(word, closes);
      if (this.#near.size < remembered) this.#near.set(key, near);
    }
    return near;
  }

  /** Whether a word is a near miss of a name; of a closing tag, the beginning of one is enough. */
  #isNearAny(word: string, closes: boolean): boolean {
    if (this.#names.size > few) return this.#isNearOfMany(word, closes);
    for (const name of this.#names) if (isNear(word, name) || (closes && isBegun(word, name))) return true;
    return false;
  }

  #isNearOfMany(word: string, closes: boolean): boolean {
    this.#many ??= indexOf(this.#names);
    const { sorted, byLength } = this.#many;
    let low = 0;
    for (let high = sorted.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] as string) < word) low = middle + 1;
      else high = middle;
    }
    if (closes && isBegun(word, sorted[low] ?? "")) return true;
    for (let length = word.length - 1; length <= word.length + 1; length += 1)
      if (byLength.get(length)?.some((name) => isNear(word, name))) return true;
    return false;
  }
}

/** Names in order, and by their length. */
interface NameIndex {
  sorted: readonly string[];
  byLength: ReadonlyMap<number, readonly string[]>;
}

function indexOf(names: Iterable<string>): NameIndex {
  const sorted = [...names].sort();
  const byLength = new Map<number, string[]>();
  for (const name of sorted) {
    const list = byLength.get(name.length);
    if (list) list.push(name);
    else byLength.set(name.length, [name]);
  }
  return { sorted, byLength };
}

/**
 * Returns a bracket at an end of a body that its tag may have twice. With a blank between it and the rest (`> a quotation`, `if (a <`)
 * it is the body's.
 */
function doubledBracket(body: string): Pick<FoundTag, "start" | "end"> | undefined {
  if (/^[>＞](?![ \t])/.test(body)) return { start: 0, end: 1 };
  const last = body.length - 1;
  return /[<＜]$/.test(body) ? { start: last, end: last + 1 } : undefined;
}

/** Whether a word of three letters or more begins a name. */
const isBegun = (word: string, name: string): boolean => word.length > 2 && name.startsWith(word);

/** Whether a letter is missing, too many, another one, or has changed places. */
function isNear(word: string, name: string): boolean {
  if (name.length < 4 || Math.abs(word.length - name.length) > 1) return false;
  let same = 0;
  while (same < word.length && word[same] === name[same]) same += 1;
  const [a, b] = [word.slice(same), name.slice(same)];
  if (a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1)) return true;
  return a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2);
}

/** Whether a tag stands alone in quotes or backticks that open before it on its line. */
function isCited(body: string, start: number, end: number): boolean {
  const mark = body.charAt(start - 1);
  if ((mark !== "`" && mark !== '"' && mark !== "'") || body.charAt(end) !== mark) return false;
  const before = body.slice(Math.max(0, start - 200), start);
  return before.slice(before.lastIndexOf("\n") + 1).split(mark).length % 2 === 0;
}

/** Returns the piece that an index lies in. */
function textAt(texts: readonly ShellText[], at: number): ShellText | undefined {
  let low = 0;
  let high = texts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((texts[middle] as ShellText).end <= at) low = middle + 1;
    else high = middle;
  }
  const found = texts[low];
  return found && found.start <= at ? found : undefined;
}
