import type { QuotedHeredoc, Range, ScriptFacts, SimpleCommand, Word } from "./bash-syntax.ts";
import { ClauseReader } from "./clause-reader.ts";
import { CommandList } from "./command-list.ts";
import type { Placeholder } from "./word-reader.ts";

const redirection = /(?:\d+|\{\w+\})?(?:<<<|<<-|<<|<>|<&|>>|>&|>\||&>>|&>|<(?!\()|>(?!\())/y;

/** Builtins whose arguments are assignments as well. */
const declares: ReadonlySet<string> = new Set(["declare", "typeset", "local", "export", "readonly"]);

/** A heredoc whose body has not come yet. */
interface Heredoc {
  word: Word;
  isQuoted: boolean;
  stripsTabs: boolean;
  body: Range;
}

/** Parses a script as bash does: its commands with their words, and where its placeholders stand. */
export function readScript(text: string, placeholders: readonly Placeholder[]): ScriptFacts {
  return new CommandReader(text, placeholders).read();
}

/** Reads commands: lists, pipelines, compounds, functions, redirections and heredocs. */
class CommandReader extends ClauseReader {
  readonly #commands: SimpleCommand[] = [];
  readonly #quotedHeredocs: QuotedHeredoc[] = [];
  /** Whose bodies begin with the next line. */
  #heredocs: Heredoc[] = [];
  #list = new CommandList([], this.#commands);

  read(): ScriptFacts {
    this.#readList(false);
    const { sites, limits, assigned } = this;
    return { sites, limits, assigned, commands: this.#commands, quotedHeredocs: this.#quotedHeredocs };
  }

  protected substitution(start: number): void {
    const outer = this.#list;
    // What runs inside reads what the command around it reads, and in `>(…)` what that prints.
    const around = [...outer.inputs.flat(), ...(outer.command?.own ?? [])];
    if (this.text.charAt(start) === ">" && outer.command !== undefined) around.push(outer.command);
    this.#list = new CommandList(around, this.#commands);
    if (!this.#readList(true)) this.unclosed(start, "a substitution");
    this.#list = outer;
  }

  /** Reads up to the end of the text, or behind the parenthesis that closes a substitution: true then. */
  #readList(isSubstitution: boolean): boolean {
    const list = this.#list;
    while (!this.atEnd) {
      this.take(/(?:[ \t\r]|\\\n)+/y);
      if (this.take(/\n/y) !== undefined) {
        if (!list.goesOn) list.finish(this.at);
        this.#bodies();
      } else if (this.char === "#") this.comment();
      else if (this.take(/\)/y) !== undefined) {
        list.finish(this.at - 1);
        if (!this.#close("(") && isSubstitution) return true;
      } else if (this.peek(redirection) !== undefined) this.#redirect();
      else if (!this.#operator() && !this.atEnd) this.#commandWord();
    }
    list.finish(this.at);
    this.#bodies();
    for (const { start } of list.openFunctions) this.unclosed(start, "a function");
    return false;
  }

  /** Reads `;`, `&`, `|` and their kin, and `(`. */
  #operator(): boolean {
    const list = this.#list;
    if (this.char === "(") {
      const { command } = list;
      if (command?.words.length === 1 && command.assignments.length === 0) this.#function(command.start);
      else if (command === undefined && this.peek(/\(\(/y) !== undefined && this.isArithmetic(this.at)) {
        this.#other(() => {
          this.at += 2;
          this.arithmetic(this.at - 2, "))");
        });
      } else {
        list.open("(", this.at);
        this.at++;
      }
      return true;
    }
    const operator = this.take(/;;&|;;|;&|&&|\|\||\|&|\||;|&(?!>)/y);
    if (operator === undefined) return false;
    if (operator === "|" || operator === "|&") list.pipe(this.at);
    else list.finish(this.at);
    if (/^;[;&]/.test(operator) && list.innermost === "case") this.patterns();
    return true;
  }

  #close(kind: Parameters<CommandList["close"]>[0]): boolean {
    const closed = this.#list.close(kind, this.at);
    if (closed?.isFunction) this.#functionBody(closed.start);
    return closed !== undefined;
  }

  /** Reads a command that is neither simple nor a compound of commands. It may be the body of a function. */
  #other(read: () => void): void {
    const start = this.#list.beginOther(this.at);
    read();
    if (this.#list.functionStart !== undefined) this.#functionBody(start);
    this.#list.functionStart = undefined;
  }

  #functionBody(start: number): void {
    this.limit({ start, end: this.at }, "none", "a function, which outlives the script");
  }

  /** Reads the parentheses behind the name of a function. */
  #function(start: number): void {
    if (this.take(/[ \t]*\([ \t]*\)/y) === undefined) this.at++;
    this.#list.command = undefined;
    this.#list.functionStart = start;
    this.take(/\s+/y);
  }

  #redirect(): void {
    const start = this.at;
    const operator = this.take(redirection) ?? "";
    const inputs = this.#list.ended ?? this.#list.begin(start).own;
    const kind = operator.replace(/^(?:\d+|\{\w+\})/, "");
    this.take(/[ \t]+/y);
    const word = this.word();
    if (kind === "<<" || kind === "<<-") {
      const isQuoted = /['"\\]/.test(this.text.slice(word.start, word.end));
      const body = { start: word.end, end: word.end };
      inputs.push(body);
      this.limit(word, "none", "the delimiter of a heredoc");
      this.#heredocs.push({ word, isQuoted, stripsTabs: kind === "<<-", body });
    } else if (kind.startsWith("<")) inputs.push({ start, end: this.at });
  }

  /** Reads the bodies of heredocs, which begin where a line has ended. */
  #bodies(): void {
    const heredocs = this.#heredocs;
    this.#heredocs = [];
    for (const { word, isQuoted, stripsTabs, body } of heredocs) {
      body.start = this.at;
      let last = this.at;
      for (;;) {
        const lineEnd = this.text.indexOf("\n", last);
        const end = lineEnd < 0 ? this.text.length : lineEnd;
        const line = this.text.slice(last, end);
        const isLast = (stripsTabs ? line.replace(/^\t+/, "") : line) === (word.text ?? word.written);
        if (lineEnd < 0 || isLast) {
          body.end = isLast ? last : end;
          if (isQuoted) {
            this.#quotedHeredocs.push({ delimiter: word, body, last: isLast ? { start: last, end } : undefined });
            while (this.at < body.end) if (!this.placeholder("heredoc")) this.at++;
          } else this.heredocBody(body.end);
          this.at = Math.min(this.text.length, end + 1);
          break;
        }
        last = end + 1;
      }
    }
  }

  #commandWord(): void {
    const { command } = this.#list;
    const isFirst = command === undefined || command.words.length === 0;
    if (command === undefined && this.#reserved()) return;
    const begun = this.#list.begin(this.at);
    const declaring = declares.has(begun.words[0]?.text ?? "");
    const assignment = isFirst || declaring ? this.assignment() : undefined;
    if (assignment !== undefined) {
      (isFirst ? begun.assignments : begun.words).push(assignment);
      return;
    }
    const word = this.word();
    // What is no part of any word: a parenthesis that nothing opened, say.
    if (word.end === word.start) this.at++;
    else begun.words.push(word);
  }

  /** Reads a reserved word, where a command may begin. */
  #reserved(): boolean {
    const word = this.peek(/(?:[a-z]+|[{}!]|\[\[)(?=[\s;&|()]|$)/y);
    switch (word) {
      case "if":
        this.#list.open("if", this.at);
        break;
      case "while":
      case "until":
        this.#list.open("loop", this.at);
        break;
      case "fi":
      case "done":
      case "esac":
      case "}":
        this.at += word.length;
        this.#close(({ fi: "if", done: "loop", esac: "case", "}": "{" } as const)[word]);
        return true;
      case "{":
        this.#list.open("{", this.at);
        break;
      case "then":
      case "elif":
      case "else":
      case "do":
      case "!":
      case "time":
        break;
      case "for":
      case "select":
        this.#for();
        return true;
      case "case":
        this.#case();
        return true;
      case "function": {
        const start = this.at;
        this.take(/function\s+/y);
        this.word();
        this.#function(start);
        return true;
      }
      case "coproc": {
        const start = this.at;
        this.at += word.length;
        if (this.take(/[ \t]+[^\s;&|()<>]+[ \t]+(?=[{(])/y) !== undefined) {
          this.limit({ start, end: this.at }, "none", "the name of a coprocess");
          this.at = start + word.length;
          this.take(/[ \t]+/y);
          this.word();
        }
        return true;
      }
      case "[[":
        this.#other(() => this.conditional());
        return true;
      default:
        return false;
    }
    this.at += word.length;
    return true;
  }

  #for(): void {
    this.#list.open("loop", this.at);
    this.take(/(?:for|select)[ \t]+/y);
    const start = this.at;
    if (this.take(/\(\(/y) !== undefined) {
      this.arithmetic(start, "))");
      return;
    }
    const name = this.word();
    this.limit(name, "none", "the name of a variable");
    this.take(/\s+/y);
    if (this.take(/in(?=[\s;]|$)/y) === undefined) return;
    for (;;) {
      this.take(/(?:[ \t]|\\\n)+/y);
      const word = this.word();
      if (word.end === word.start) break;
    }
    this.assigned.push({ start, end: this.at, name: name.text ?? "" });
  }

  #case(): void {
    this.#list.open("case", this.at);
    this.take(/case[ \t]+/y);
    this.word();
    this.take(/\s+/y);
    this.take(/in/y);
    this.patterns();
  }
}
