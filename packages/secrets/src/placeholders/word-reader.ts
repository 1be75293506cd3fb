import type { Limit, Quoting, Range, Site, Word } from "./bash-syntax.ts";

/** A placeholder as it stands in the text. `name` is undefined for an escaped one, which is literal text. */
export interface Placeholder extends Range {
  name: string | undefined;
}

/** Where the operand of `${name…}` or an expansion stands: in nothing, in `"…"`, or in the body of a heredoc. */
type Around = "bare" | "double" | "heredoc";

const nameOrSpecial = /[A-Za-z_]\w*|\d+|[@*#?$!-]/y;
const variable = /[A-Za-z_]\w*|[\d@*#?$!-]/y;

/** Words of pattern characters that are what they are. */
const wordsThatStay: ReadonlySet<string> = new Set(["[", "[[", "{", "{}"]);

/** Characters that end a word that stands in nothing. */
const wordEnd = /[\s;&|()<>]/;

/**
 * Reads the words of a bash script: quotes, expansions, arithmetic. It goes through the text once, and notes where each placeholder
 * stands and what its value must be there. The commands that words are in, and those inside `$(…)`, are the subclass's.
 *
 * Where it is mistaken about a script (an alias may mean anything), a value can come out in a wrong place of the text, but its
 * text is never code: what stands in the script is only the name of a variable.
 */
export abstract class WordReader {
  readonly sites: Site[] = [];
  readonly limits: Limit[] = [];
  readonly assigned: (Range & { name: string })[] = [];
  protected readonly text: string;
  protected at = 0;
  readonly #placeholders: ReadonlyMap<number, Placeholder>;

  constructor(text: string, placeholders: readonly Placeholder[]) {
    this.text = text;
    this.#placeholders = new Map(placeholders.map((each) => [each.start, each]));
  }

  /** Reads the commands of `$(…)` or `<(…)`, from behind its parenthesis to behind the closing one. */
  protected abstract substitution(start: number): void;

  protected get char(): string {
    return this.text.charAt(this.at);
  }

  protected get atEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Reads what a sticky pattern finds here; the place moves behind it. */
  protected take(pattern: RegExp): string | undefined {
    const found = this.peek(pattern);
    if (found !== undefined) this.at += found.length;
    return found;
  }

  protected peek(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0];
  }

  protected limit(range: Range, allows: Limit["allows"], what: string): void {
    this.limits.push({ start: range.start, end: range.end, allows, what });
  }

  /** Notes that what began at `start` never ends. */
  protected unclosed(start: number, what: string): void {
    this.at = this.text.length;
    this.limit({ start, end: this.at }, "none", `${what} that is never closed`);
  }

  /** Passes over a placeholder that stands here. */
  protected placeholder(quoting: Quoting): boolean {
    const found = this.#placeholders.get(this.at);
    if (found === undefined) return false;
    const { start, end, name } = found;
    if (name !== undefined) this.sites.push({ start, end, name, quoting });
    this.at = end;
    return true;
  }

  /** Reads a word, up to a blank or an operator. */
  protected word(ends: RegExp = wordEnd): Word {
    const start = this.at;
    let text: string | undefined = "";
    const add = (more: string | undefined): void => {
      text = text === undefined || more === undefined ? undefined : text + more;
    };
    while (!this.atEnd) {
      const { char } = this;
      if (this.placeholder("bare")) add(undefined);
      else if (char === "\\") add(this.#escape());
      else if (char === "'") add(this.#single("single"));
      else if (char === '"') add(this.#double());
      else if (char === "$") add(this.#dollar("bare"));
      else if (char === "`") add(this.#backticks());
      else if (this.take(/[<>]\(/y) !== undefined) {
        this.substitution(this.at - 2);
        add(undefined);
      } else if (this.take(/[?*+@!]\(/y) !== undefined) {
        this.#group();
        add(undefined);
      } else if (ends.test(char)) break;
      else {
        // What patterns, braces and `~` become is known only to the shell.
        add(/[*?[{~]/.test(char) ? undefined : char);
        this.at++;
      }
    }
    const written = this.text.slice(start, this.at);
    return { start, end: this.at, written, text: wordsThatStay.has(written) ? written : text };
  }

  /** Reads `\x` outside of quotes; nothing for a line end. */
  #escape(): string {
    const next = this.text.charAt(this.at + 1);
    this.at = Math.min(this.text.length, this.at + 2);
    return next === "\n" ? "" : next;
  }

  /** Reads `'…'` or `$'…'`, from its quote on. */
  #single(quoting: "single" | "ansi"): string | undefined {
    const start = this.at++;
    let text: string | undefined = "";
    while (!this.atEnd) {
      if (this.placeholder(quoting)) text = undefined;
      else if (this.char === "'") {
        this.at++;
        return text;
      } else if (quoting === "ansi" && this.char === "\\") {
        text = undefined;
        this.at += 2;
      } else {
        if (text !== undefined) text += this.char;
        this.at++;
      }
    }
    this.unclosed(start, "a quote");
    return undefined;
  }

  /** Reads `"…"`. */
  #double(): string | undefined {
    const start = this.at++;
    let text: string | undefined = "";
    while (!this.atEnd) {
      const { char } = this;
      if (this.placeholder("double")) text = undefined;
      else if (char === '"') {
        this.at++;
        return text;
      } else if (char === "\\") {
        const next = this.text.charAt(this.at + 1);
        if (text !== undefined) text += next === "\n" ? "" : /[$`"\\]/.test(next) ? next : char + next;
        this.at += 2;
      } else if (char === "$" || char === "`") {
        if (char === "$" ? this.#dollar("double") === undefined : this.#backticks() === undefined) text = undefined;
        else if (text !== undefined) text += "$";
      } else {
        if (text !== undefined) text += char;
        this.at++;
      }
    }
    this.unclosed(start, "a quote");
    return undefined;
  }

  /** Reads an expansion. Returns `$` for one that stands for itself, the text of `$"…"`, and undefined for what only bash knows. */
  #dollar(around: Around): string | undefined {
    const start = this.at;
    if (this.text.startsWith("$((", start) && this.isArithmetic(start + 1)) {
      this.at += 3;
      this.arithmetic(start, "))");
    } else if (this.take(/\$\(/y) !== undefined) this.substitution(start);
    else if (this.take(/\$\[/y) !== undefined) this.arithmetic(start, "]");
    else if (this.take(/\$\{/y) !== undefined) this.#parameter(start, around);
    else if (around === "bare" && this.peek(/\$'/y) !== undefined) {
      this.at++;
      this.#single("ansi");
    } else if (around === "bare" && this.peek(/\$"/y) !== undefined) {
      this.at++;
      return this.#double();
    } else {
      this.at++;
      if (this.take(variable) === undefined) return "$";
    }
    return undefined;
  }

  /** Checks whether `((` at this place ends in `))`: else it is a subshell in a subshell. */
  protected isArithmetic(start: number): boolean {
    let depth = 0;
    for (let at = start; at < this.text.length; at++) {
      const char = this.text.charAt(at);
      if (char === "\\") at++;
      else if (char === "(") depth++;
      else if (char === ")" && --depth === 1) return this.text.charAt(at + 1) === ")";
    }
    return true;
  }

  /** Reads an expression, up to behind `close`. Bash would run a command that it finds in the value of an operand. */
  protected arithmetic(start: number, close: "))" | "]" | "}"): void {
    let depth = 0;
    while (!this.atEnd) {
      const { char } = this;
      if (depth === 0 && this.text.startsWith(close, this.at)) {
        this.limit({ start, end: this.at }, "number", "an arithmetic expression");
        this.at += close.length;
        return;
      }
      if (this.placeholder("double")) continue;
      if (char === "$") this.#dollar("double");
      else if (char === "`") this.#backticks();
      else {
        if (char === "(" || char === "[") depth++;
        else if (char === ")" || char === "]") depth--;
        this.at += char === "\\" ? 2 : 1;
      }
    }
    this.unclosed(start, "an expression");
  }

  /** Reads `${…}`, from behind its brace on. */
  #parameter(start: number, around: Around): void {
    this.take(/[!#](?=[^}])/y);
    const nameStart = this.at;
    if (this.placeholder(around)) this.limit({ start: nameStart, end: this.at }, "none", "the name of a variable");
    const name = this.take(nameOrSpecial) ?? "";
    if (this.char === "[") {
      this.at++;
      this.arithmetic(this.at - 1, "]");
    }
    const operator = this.take(/:?[-=?+]/y);
    if (operator !== undefined) {
      this.#operand(start, around, false);
      if (operator.endsWith("=")) this.assigned.push({ start, end: this.at, name });
    } else if (this.char === ":") {
      this.at++;
      this.arithmetic(this.at - 1, "}");
    } else this.#operand(start, around, true);
  }

  /** Reads the operand of `${name-…}`, or of an operator that takes a pattern, up to behind its brace. */
  #operand(start: number, around: Around, isPattern: boolean): void {
    const from = this.at;
    while (!this.atEnd) {
      const { char } = this;
      if (this.placeholder(isPattern || around === "bare" ? "bare" : around)) continue;
      if (char === "}") {
        // Whether quotes count in a pattern there differs between versions of bash.
        if (isPattern && around === "heredoc")
          this.limit({ start: from, end: this.at }, "none", "a pattern in a heredoc");
        this.at++;
        return;
      }
      if (char === "\\") this.at += 2;
      else if (char === "'" && (around === "bare" || isPattern)) this.#single("single");
      else if (char === '"' && around !== "heredoc") this.#double();
      else if (char === "$") this.#dollar(around);
      else if (char === "`") this.#backticks();
      else this.at++;
    }
    this.unclosed(start, "an expansion");
  }

  /** Reads backticks: what stands in them is read twice, with rules of its own for backslashes. */
  #backticks(): undefined {
    const start = this.at++;
    while (!this.atEnd && this.char !== "`") {
      if (this.placeholder("bare")) continue;
      this.at += this.char === "\\" ? 2 : 1;
    }
    if (this.atEnd) this.unclosed(start, "a backtick");
    else this.limit({ start, end: ++this.at }, "none", "backticks: write $(…) instead");
    return undefined;
  }

  /** Reads the alternatives of a pattern such as `@(a|b)`, from behind the parenthesis on. */
  #group(): void {
    const start = this.at;
    while (!this.atEnd) {
      if (this.take(/\)/y) !== undefined) return;
      if (this.take(/\|/y) === undefined) this.word(/[|)]/);
    }
    this.unclosed(start, "a pattern");
  }

  /** Reads the body of a heredoc whose delimiter is not quoted. */
  protected heredocBody(end: number): void {
    while (this.at < end) {
      if (this.placeholder("heredoc")) continue;
      if (this.char === "$") this.#dollar("heredoc");
      else if (this.char === "`") this.#backticks();
      else this.at += this.char === "\\" ? 2 : 1;
    }
    this.at = end;
  }
}
