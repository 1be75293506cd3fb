import { posixClasses } from "../files/glob.ts";
import type { CharSet, Place, Regex } from "./regex-tree.ts";
import { propertySource } from "./unicode-property.ts";

interface Flags {
  i: boolean;
  m: boolean;
  s: boolean;
  x: boolean;
  U: boolean;
  u: boolean;
}

const deepest = 250;
const posixNames: ReadonlyMap<string, string> = new Map([
  ...posixClasses,
  ["ascii", "\\0-\\x7f"],
  ["word", "0-9A-Za-z_"],
]);
const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** Reads an expression as ripgrep does, with look-arounds and back references. Throws a `SyntaxError` that says why not. Linear; nothing runs. */
export function readRegex(source: string): Regex {
  return new RegexReader([...source]).read();
}

class RegexReader {
  readonly #chars: readonly string[];
  #at = 0;
  #depth = 0;
  #flags: Flags = { i: false, m: true, s: false, x: false, U: false, u: true };
  #groups = 0;
  readonly #names = new Set<string>();
  readonly #references = new Set<string>();

  constructor(chars: readonly string[]) {
    this.#chars = chars;
  }

  read(): Regex {
    const regex = this.#choice();
    if (this.#at < this.#chars.length) throw new SyntaxError("a ) that closes no group");
    for (const group of this.#references) {
      if (!this.#names.has(group) && !(Number(group) <= this.#groups))
        throw new SyntaxError(`\\${group} names no group`);
    }
    return regex;
  }

  #choice(): Regex {
    if (++this.#depth > deepest) throw new SyntaxError("groups nested too deep");
    const parts = [this.#sequence()];
    while (this.#skip("|")) parts.push(this.#sequence());
    this.#depth--;
    return parts.length === 1 ? (parts[0] as Regex) : { kind: "any", parts };
  }

  #sequence(): Regex {
    const parts: Regex[] = [];
    for (;;) {
      this.#skipBlanks();
      const char = this.#chars[this.#at];
      if (char === undefined || char === "|" || char === ")") break;
      if (char === "*" || char === "+" || char === "?") throw new SyntaxError(`nothing before ${char} to repeat`);
      let part = this.#atom();
      let repeats = 0;
      for (;;) {
        this.#skipBlanks();
        const times = this.#times();
        if (times === undefined || part === undefined) break;
        const [min, max] = times;
        if (++repeats > deepest) throw new SyntaxError("too many repetitions of repetitions");
        if (min > max) throw new SyntaxError(`a repetition from ${min} to ${max}`);
        const isLazy = this.#skip("?") !== this.#flags.U;
        part = { kind: "repeat", body: part, min, max, isLazy };
      }
      if (part !== undefined) parts.push(part);
    }
    return parts.length === 1 ? (parts[0] as Regex) : { kind: "all", parts };
  }

  #times(): readonly [number, number] | undefined {
    if (this.#skip("*")) return [0, Number.POSITIVE_INFINITY];
    if (this.#skip("+")) return [1, Number.POSITIVE_INFINITY];
    if (this.#skip("?")) return [0, 1];
    const braces = /^\{(\d{0,6})(,?)(\d{0,6})\}/.exec(this.#ahead(20));
    if (braces === null || (braces[1] === "" && braces[3] === "")) return undefined;
    const [all, min, comma, max] = braces as unknown as [string, string, string, string];
    if (min === "") throw new SyntaxError(`${all} without its first number`);
    this.#at += all.length;
    return [Number(min), comma === "" ? Number(min) : max === "" ? Number.POSITIVE_INFINITY : Number(max)];
  }

  /** Undefined: flags, which are nothing by themselves. */
  #atom(): Regex | undefined {
    const char = this.#chars[this.#at++] as string;
    const { s, m, u } = this.#flags;
    if (char === "(") return this.#group();
    if (char === "[") return { kind: "set", set: this.#class() };
    if (char === "\\") return this.#escape();
    if (char === "^" || char === "$") return { kind: "at", place: m ? char : char === "^" ? "\\A" : "\\z", ascii: !u };
    if (char === ".") {
      this.#demandUnicode(".");
      return { kind: "dot", all: s };
    }
    return this.#char(char);
  }

  #char(char: string, isEscape = false): Regex {
    return { kind: "char", code: char.codePointAt(0) as number, i: this.#flags.i, isEscape };
  }

  #group(): Regex | undefined {
    const outer = this.#flags;
    let node: (body: Regex) => Regex = (body) => ({ kind: "group", body, name: undefined, captures: true });
    const start = this.#ahead(80);
    const look = /^\?<?[=!]/.exec(start)?.[0] as "?=" | undefined;
    const name = /^\?P?<([A-Za-z_][A-Za-z0-9_.[\]]*)>/.exec(start);
    const flags = /^\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])/.exec(start);
    if (look !== undefined) {
      this.#at += look.length;
      node = (body) => ({ kind: "look", sign: look, body });
    } else if (name !== null) {
      this.#at += name[0].length;
      const own = (name[1] as string).replace(/[.[\]]/g, "_");
      if (this.#names.has(own)) throw new SyntaxError(`two groups named ${own}`);
      this.#names.add(own);
      this.#groups++;
      node = (body) => ({ kind: "group", body, name: own, captures: true });
    } else if (flags !== null) {
      this.#at += flags[0].length;
      if (flags[0] === "?)") throw new SyntaxError("(?) has no flag");
      this.#flags = { ...outer };
      for (const [letters, value] of [
        [flags[1], true],
        [flags[2] ?? "", false],
      ] as const) {
        for (const letter of letters as string) {
          if (letter === "R") continue;
          if (!(letter in outer)) throw new SyntaxError(`(?${letter}) is no flag`);
          this.#flags[letter as keyof Flags] = value;
        }
      }
      if (flags[3] === ")") return undefined;
      node = (body) => ({ kind: "group", body, name: undefined, captures: false });
    } else if (start.startsWith("?P=")) {
      const group = /^\?P=(\w+)\)/.exec(start);
      if (group === null) throw new SyntaxError("(?P= names no group");
      this.#at += group[0].length;
      this.#references.add(group[1] as string);
      return { kind: "same", group: group[1] as string };
    } else if (start.startsWith("?")) {
      const what = start.startsWith("?>") ? " (an atomic group)" : start.startsWith("?#") ? " (a comment)" : "";
      throw new SyntaxError(`(${start.slice(0, 2)}${what} is not supported`);
    } else this.#groups++;
    const body = this.#choice();
    if (!this.#skip(")")) throw new SyntaxError("a group that is not closed");
    // Flags that were set within a group end with it.
    this.#flags = outer;
    return node(body);
  }

  #escape(): Regex {
    const { u } = this.#flags;
    const char = this.#chars[this.#at++];
    if (char === undefined) throw new SyntaxError("a \\ at the end");
    const at = (place: Place): Regex => ({ kind: "at", place, ascii: !u });
    if (char === "A") return at("\\A");
    if (char === "z" || char === "Z") return at("\\z");
    if (char === "B" || char === "<" || char === ">") return at(`\\${char}`);
    if (char === "b") {
      const edge = /^\{(start|end|start-half|end-half)\}/.exec(this.#ahead(12));
      this.#at += edge?.[0].length ?? 0;
      const edges = { start: "\\<", end: "\\>", "start-half": "start-half", "end-half": "end-half" } as const;
      return at(edge === null ? "\\b" : edges[edge[1] as keyof typeof edges]);
    }
    const group = /[1-9]/.test(char)
      ? /^\d*/.exec(this.#ahead(3))
      : char === "k"
        ? /^<(\w+)>/.exec(this.#ahead(80))
        : null;
    if (group !== null) {
      this.#at += group[0].length;
      const own = group[1] ?? char + group[0];
      this.#references.add(own);
      return { kind: "same", group: own };
    }
    const set = this.#setEscape(char);
    return set === undefined ? this.#char(this.#charEscape(char), /[xuU]/.test(char)) : { kind: "set", set };
  }

  /** Returns an escape that stands for a set of characters. */
  #setEscape(char: string): CharSet | undefined {
    const { i, u } = this.#flags;
    if (/[dswDSW]/.test(char)) {
      const negated = char < "a";
      if (negated) this.#demandUnicode(`\\${char}`);
      return { kind: "shorthand", name: char.toLowerCase() as "w", ascii: !u, negated };
    }
    if (char !== "p" && char !== "P") return undefined;
    this.#demandUnicode(`\\${char}`);
    const [all, braced] = /^(?:\{([^}]*)\}|[A-Za-z])/.exec(this.#ahead(80)) ?? [];
    if (all === undefined) throw new SyntaxError(`\\${char} without a property`);
    this.#at += all.length;
    return { kind: "property", source: propertySource(braced ?? all, char === "P"), i };
  }

  /** Returns an escape that stands for one character. */
  #charEscape(char: string): string {
    const code = controls[char];
    if (code !== undefined) return String.fromCodePoint(code);
    const digits = { x: 2, u: 4, U: 8 }[char];
    if (digits !== undefined) {
      const hex = new RegExp(`^(?:\\{([0-9A-Fa-f]{1,8})\\}|([0-9A-Fa-f]{${digits}}))`).exec(this.#ahead(12));
      const value = Number.parseInt(hex?.[1] ?? hex?.[2] ?? "", 16);
      if (hex === null || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) {
        throw new SyntaxError(`\\${char} without the digits of a character`);
      }
      this.#at += hex[0].length;
      if (value > 0x7f) this.#demandUnicode(`\\${char}`);
      return String.fromCodePoint(value);
    }
    if (/[\p{L}\p{N}]/u.test(char)) throw new SyntaxError(`\\${char} is no escape`);
    return char;
  }

  /** Without Unicode these fit bytes, which are no characters. */
  #demandUnicode(what: string): void {
    if (!this.#flags.u) throw new SyntaxError(`${what} under (?-u), which fits single bytes`);
  }

  /** Returns what comes behind a `[`. */
  #class(): CharSet {
    if (++this.#depth > deepest) throw new SyntaxError("classes nested too deep");
    const negated = this.#skip("^");
    if (negated) this.#demandUnicode("[^");
    let sets: CharSet[] = [];
    let left: ((right: CharSet) => CharSet) | undefined;
    const single = (char: string): CharSet => this.#range(char, char);
    while (this.#skip("-")) sets.push(single("-"));
    if (sets.length === 0 && this.#skip("]")) sets.push(single("]"));
    for (;;) {
      this.#skipBlanks();
      const [char, next] = [this.#chars[this.#at++], this.#chars[this.#at]];
      if (char === undefined) throw new SyntaxError("a class that is not closed");
      if (char === "]") break;
      if ((char === "&" || char === "-" || char === "~") && next === char) {
        this.#at++;
        const kind = `${char}${char}` as "&&" | "--" | "~~";
        const operand = joined(sets, left);
        if (kind === "&&" && sets.length === 0) throw new SyntaxError("&& with nothing before it");
        left = (right) => ({ kind, left: operand, right });
        sets = [];
      } else sets.push(this.#classItem(char));
    }
    this.#depth--;
    if (left !== undefined && sets.length === 0 && left(joined([], undefined)).kind === "&&") {
      throw new SyntaxError("&& with nothing behind it");
    }
    const set = joined(sets, left);
    return { kind: "union", sets: [set], negated };
  }

  #classItem(char: string): CharSet {
    if (char === "[") {
      const posix = /^:(\^?)([a-z]+):\]/.exec(this.#ahead(20));
      const inner = posixNames.get(posix?.[2] ?? "");
      if (posix === null || inner === undefined) return this.#class();
      this.#at += posix[0].length;
      return { kind: "property", source: `[${posix[1]}${inner}]`, i: this.#flags.i };
    }
    const from = this.#classChar(char);
    const [dash, next] = [this.#chars[this.#at], this.#chars[this.#at + 1]];
    // Behind a set a dash is itself.
    if (typeof from !== "string" || dash !== "-" || next === "]" || next === "-" || next === undefined) {
      return typeof from === "string" ? this.#range(from, from) : from;
    }
    const before = this.#at;
    this.#at += 2;
    const to = next === "[" ? undefined : this.#classChar(next);
    if (typeof to === "string") return this.#range(from, to);
    this.#at = before;
    return this.#range(from, from);
  }

  #classChar(char: string): string | CharSet {
    if (char !== "\\") return char;
    const escaped = this.#chars[this.#at++];
    if (escaped === undefined) throw new SyntaxError("a \\ at the end");
    if (escaped === "b") return "\b";
    return this.#setEscape(escaped) ?? this.#charEscape(escaped);
  }

  #range(first: string, last: string): CharSet {
    const [from, to] = [first.codePointAt(0) as number, last.codePointAt(0) as number];
    if (from > to) throw new SyntaxError(`a range from ${first} to ${last}`);
    return { kind: "range", from, to, i: this.#flags.i };
  }

  #ahead(count: number): string {
    return this.#chars.slice(this.#at, this.#at + count).join("");
  }

  #skip(char: string): boolean {
    if (this.#chars[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  /** With the flag x, white space and comments say nothing. */
  #skipBlanks(): void {
    while (this.#flags.x && this.#at < this.#chars.length) {
      if (this.#chars[this.#at] === "#") {
        while (this.#at < this.#chars.length && this.#chars[this.#at] !== "\n") this.#at++;
      } else if (/\s/.test(this.#chars[this.#at] as string)) this.#at++;
      else return;
    }
  }
}

function joined(sets: readonly CharSet[], left: ((right: CharSet) => CharSet) | undefined): CharSet {
  const union: CharSet = { kind: "union", sets: [...sets], negated: false };
  return left === undefined ? union : left(union);
}
