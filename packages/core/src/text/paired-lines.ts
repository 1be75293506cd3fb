/** Signs that open and close by their direction. */
const mirrored = "()[]{}<>«»“”‘’「」『』《》【】〔〕";

/** A text of signs, with each bracket turned round. */
function turned(signs: string): string {
  let text = "";
  for (const sign of signs) {
    const at = mirrored.indexOf(sign);
    text += at < 0 ? sign : mirrored.charAt(at ^ 1);
  }
  return text;
}

/** What opens a quotation at the end of a text: signs that follow no word, or quotes. What closes one comes first behind. */
const opensQuote = /(?:^|[\s=(,:[{])([^\s\p{L}\p{N}]{1,20})\s*$|(["'`]{1,3}|[[({<]{1,3})\s*$/u;
const closesQuote = /^\s*([^\s\p{L}\p{N}]{1,20})/u;
/** Ends as words and sentences do; a blank line is behind it or not. */
const endsSentence = /[\w,.:;!?\u4e00-\u9fff。：！？]\n?$/;
const ruler = /^([-*_=#~.+$])\1*$/;
const firstLine = /^\n?[ \t]*(\S+)[ \t\r]*(?:\n|$)/;

/**
 * Whether a text ends with signs that open something, and the next one begins with those that close it. Rulers and underlined headings divide
 * a text; those that Markdown does not have open something where no blank line parts them from what is between.
 */
export function isQuotedBy(before: string, behind: string): boolean {
  const found = endsSentence.test(before) ? null : opensQuote.exec(before);
  const open = found?.[1] ?? found?.[2];
  const close = closesQuote.exec(behind)?.[1];
  if (!open || !close) return isRuled(before, behind);
  if (ruler.test(open)) return isRuled(before, behind);
  // What ends with a closing bracket opens nothing.
  if (mirrored.indexOf(open.slice(-1)) % 2 === 1) return false;
  const [first, last] = [turned(open.charAt(0)), turned(open.slice(-1))];
  return last === close.charAt(0) || first === close.slice(-1) || close.startsWith(turned(open));
}

function isRuled(before: string, behind: string): boolean {
  const line = /(?:^|\n)[ \t]*(\S{3,})$/.exec(before)?.[1] ?? "";
  return ruler.test(line) && !/^[-*_]{3}$/.test(line) && firstLine.exec(behind)?.[1] === line;
}

/** Ends a line behind which a text stands that is deeper: YAML, reStructuredText. */
const opensDeeper = /[:=][ \t]{1,9}[|>][+-]?$|::$|^[ \t]*\.\.[ \t]/;

/** Whether a text that ends before a line's content is in a block of text that ends by its indentation. */
export function isDeeper(before: string): boolean {
  const lines = before.split("\n");
  const depth = lines.pop()?.length ?? 0;
  const above = lines.findLast((line) => /\S/.test(line) && line.search(/\S/) < depth);
  return above !== undefined && opensDeeper.test(above.trimEnd());
}

/**
 * Lines that open something by a word or by signs, and lines that end it; both with what they have in common. The last ones of a pair
 * show that it is one, so few words have to be known.
 */
const pairs: readonly (readonly [open: RegExp, close: RegExp])[] = [
  // `[code]`, `\begin{verbatim}`, `{% raw %}`, `#+BEGIN_SRC`, `#if`, `@example`, `{{#if}}`
  [
    /^((?:[[\\%#@【]|\{(?=[%{<#\p{L}]))(?=\S))(?:\{?[%<#+-]{0,3}[ \t]?)(?:begin[_ {]?)?(\p{L}[\p{L}\d]{0,40})/iu,
    /^([[\\%#@【{])(?:\{?[%<+-]{0,3}[ \t]?)(?:\/[ \t]?|end[_ {]?)(\p{L}[\p{L}\d]{0,40})/iu,
  ],
  // Plain Old Documentation, and Ruby's
  [/^(=)(?!cut|end)\p{L}/u, /^(=)(?:cut|end)/],
  [/^(-{3,})[ \t]?begin\b/i, /^(-{3,})[ \t]?end\b/i],
  [/^(:{3,})[ \t]*[\p{L}{]/u, /^(:{3,})$/],
  [/^(\{\p{L}{1,20})(?::[^{}]{0,60})?\}$/u, /^(\{\p{L}{1,20})\}$/u],
  // A string of PostgreSQL; shorter ones are formulas.
  [/(\$\w{3,40}\$)$/, /^(\$\w{3,40}\$)[\s;,)]{0,9}$/],
  [/^[^$]{0,200}(\$\$)$/, /^(\$\$)[\s;,)]{0,9}$/],
  [/^(<{5,})(?!\1)/, /^(>{5,})(?!\1)/],
  // A string of a program
  [/[=(,:[{][ \t]{0,9}(["'`]{1,3})$/, /^(["'`]{1,3})[\s;,)\]}]{0,9}$/],
  // A here document
  [/<<[-~]?[ \t]{0,3}["'\\]?(\w{1,40})["']?[^\n]{0,60}$/, /^(\w{1,40})[;,)]{0,3}$/],
];

/** Follows such lines. */
export class PairedLines {
  /** By pair and what its lines have in common: what was given to {@link read} at each that is open. */
  readonly #open: Map<string, number[]>[] = pairs.map(() => new Map());
  #count = 0;

  /** Reads a line. `at` is kept where it opens something; returned is what was kept where the thing began that it ends. */
  read(line: string, at: number): number | undefined {
    const text = line.length > 400 ? "" : line.trim();
    if (text === "") return undefined;
    if (this.#count > 0)
      for (const [index, [, close]] of pairs.entries()) {
        const open = this.#open[index]?.size ? this.#open[index]?.get(keyOf(close.exec(text))) : undefined;
        const kept = open?.pop();
        if (kept === undefined) continue;
        this.#count -= 1;
        return kept;
      }
    for (const [index, [open]] of pairs.entries()) {
      const found = open.exec(text);
      if (!found) continue;
      const key = keyOf(found);
      const list = this.#open[index]?.get(key) ?? [];
      list.push(at);
      this.#open[index]?.set(key, list);
      this.#count += 1;
    }
    return undefined;
  }
}

const keyOf = (found: RegExpExecArray | null): string =>
  found ? `${turned(found[1] ?? "").replaceAll(">", "<")}${found[2] ?? ""}`.toLowerCase() : "\n";
