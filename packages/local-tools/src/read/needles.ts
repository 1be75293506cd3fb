/** More alternatives than this are no help. */
const mostNeedles = 16;

/** What a part of an expression is sure of. `exact`: it fits this text and nothing else. `some`: what fits holds one of these. */
type Sure = { exact: string } | { some: readonly string[] } | undefined;

/**
 * Texts of which whatever a regular expression (JavaScript's syntax, valid) fits holds at least one, read off its source without
 * running it; undefined when none are sure. Errs on that side: what is not understood is taken to be sure of nothing.
 */
export function needles(source: string): readonly string[] | undefined {
  const reader = new SourceReader([...source]);
  const sure = reader.alternatives();
  const texts = sure === undefined ? undefined : "exact" in sure ? [sure.exact] : sure.some;
  // Letters and digits of ASCII and what stands between them: their case and their bytes hold no surprises.
  return !reader.atEnd || texts?.every((text) => /^[ -~]+$/.test(text)) !== true ? undefined : texts;
}

class SourceReader {
  readonly #chars: readonly string[];
  #at = 0;

  constructor(chars: readonly string[]) {
    this.#chars = chars;
  }

  get atEnd(): boolean {
    return this.#at === this.#chars.length;
  }

  alternatives(): Sure {
    const all: Sure[] = [this.#sequence()];
    while (this.#skip("|")) all.push(this.#sequence());
    if (all.length === 1) return all[0];
    const texts: string[] = [];
    for (const one of all) {
      if (one === undefined || ("exact" in one && one.exact === "")) return undefined;
      texts.push(...("exact" in one ? [one.exact] : one.some));
    }
    return texts.length > mostNeedles ? undefined : { some: texts };
  }

  #sequence(): Sure {
    const sets: (readonly string[])[] = [];
    let run = "";
    let exact = true;
    const endRun = (): void => {
      if (run !== "") sets.push([run]);
      run = "";
    };
    while (!this.atEnd && this.#chars[this.#at] !== "|" && this.#chars[this.#at] !== ")") {
      const atom = this.#atom();
      const times = this.#quantifier();
      if (times === "once" && atom !== undefined && "exact" in atom) {
        run += atom.exact;
        continue;
      }
      exact = false;
      if (times === "more" && atom !== undefined && "exact" in atom) run += atom.exact;
      endRun();
      if (times !== "maybe" && atom !== undefined && "some" in atom) sets.push(atom.some);
    }
    if (exact) return { exact: run };
    endRun();
    const best = sets.reduce<readonly string[] | undefined>(
      (a, b) => (a !== undefined && worth(a) >= worth(b) ? a : b),
      undefined,
    );
    return best === undefined ? undefined : { some: best };
  }

  /** What comes next, without its quantifier. Anchors and lookarounds are an exact nothing: they take no text. */
  #atom(): Sure {
    const char = this.#chars[this.#at++] as string;
    if (char === "^" || char === "$") return { exact: "" };
    if (char === "(") return this.#group();
    if (char === "[") return this.#class();
    if (char === "\\") return this.#escape();
    return char === "." ? undefined : { exact: char };
  }

  #group(): Sure {
    const start = this.#chars.slice(this.#at, this.#at + 3).join("");
    const looks = /^\?(?:<?[=!])/.exec(start)?.[0];
    if (looks !== undefined) this.#at += looks.length;
    else if (start.startsWith("?:")) this.#at += 2;
    else if (start.startsWith("?<")) this.#at = this.#chars.indexOf(">", this.#at) + 1;
    // Flags for a part of it: case may not count there.
    const unknown = looks === undefined && start.startsWith("?") && !/^\?[:<]/.test(start);
    const inner = this.alternatives();
    this.#skip(")");
    if (looks !== undefined) return { exact: "" };
    return unknown ? undefined : inner;
  }

  #class(): Sure {
    for (; !this.atEnd && this.#chars[this.#at] !== "]"; this.#at++) if (this.#chars[this.#at] === "\\") this.#at++;
    this.#at++;
    return undefined;
  }

  #escape(): Sure {
    const char = this.#chars[this.#at++] ?? "";
    if (char === "b" || char === "B") return { exact: "" };
    // Punctuation stands for itself. Of letters and digits it's enough to know that they are something else.
    if (/[^0-9A-Za-z]/.test(char)) return { exact: char };
    const rest = this.#chars.slice(this.#at, this.#at + 60).join("");
    const longer: Readonly<Record<string, RegExp>> = {
      x: /^[0-9A-Fa-f]{2}/,
      u: /^(?:[0-9A-Fa-f]{4}|\{[0-9A-Fa-f]+\})/,
      c: /^[A-Za-z]/,
      p: /^\{[^}]*\}/,
      P: /^\{[^}]*\}/,
      k: /^<[^>]*>/,
    };
    this.#at += (/\d/.test(char) ? /^\d*/ : longer[char])?.exec(rest)?.[0].length ?? 0;
    return undefined;
  }

  #quantifier(): "once" | "more" | "maybe" {
    const braces = /^\{(\d+)(,?)(\d*)\}/.exec(this.#chars.slice(this.#at, this.#at + 40).join(""));
    const char = this.#chars[this.#at];
    if (braces !== null) this.#at += braces[0].length;
    else if (char === "*" || char === "+" || char === "?") this.#at++;
    else return "once";
    this.#skip("?");
    return char === "+" || (braces !== null && Number(braces[1]) > 0) ? "more" : "maybe";
  }

  #skip(char: string): boolean {
    if (this.#chars[this.#at] !== char) return false;
    this.#at++;
    return true;
  }
}

/** The more there is to find, the fewer files have it. */
function worth(texts: readonly string[]): number {
  return Math.min(...texts.map((text) => text.length)) * 4 - texts.length;
}
