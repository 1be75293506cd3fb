import type { JsonValue } from "@toolglot/core";
import { joinPath } from "@toolglot/internal";
import type { DialectRow } from "../table/types.ts";

/** Throws a TypeError for a place in an input that holds what the dialect can't. */
export type Refuse = (path: string, why: string) => never;

/** How a value is written: `raw-or-json` and `tree` write literals as JSON. */
export type Language = "json" | "python" | "gemma";

/** Containers in one another that readers go into. */
const maxDepth = 512;

/** Writes values as literals of a dialect. Paths are those of the input: `items[2].price`. */
export class ValueWriter {
  readonly dialect: DialectRow;
  readonly refuse: Refuse;

  constructor(dialect: DialectRow, refuse: Refuse) {
    this.dialect = dialect;
    this.refuse = refuse;
  }

  /** Returns a value as text. Refuses what JSON has no form for. */
  literal(value: JsonValue | undefined, path: string, language: Language, depth = 0): string {
    if (depth > maxDepth) this.refuse(path, `nested deeper than ${maxDepth}`);
    if (typeof value === "string") return this.string(value, path, language, depth);
    if (typeof value === "number" && Number.isFinite(value)) return String(value);
    if (value === null) return language === "python" ? "None" : "null";
    if (typeof value === "boolean") return language === "python" ? (value ? "True" : "False") : String(value);
    if (Array.isArray(value)) {
      const items = value.map((item, index) => this.literal(item, joinPath(path, index), language, depth + 1));
      return `[${items.join(this.#isTight(language) ? "," : ", ")}]`;
    }
    if (typeof value !== "object") return this.refuse(path, `${String(value)}, which JSON has no form for`);
    // LFM2's template writes mappings as JSON.
    return this.object(value, path, this.dialect.plainSingleQuotes ? "json" : language, depth);
  }

  /** Returns `{…}`. Members that are undefined are left out, as JSON does. */
  object(value: { readonly [key: string]: JsonValue }, path: string, language: Language, depth = 0): string {
    const isTight = this.#isTight(language);
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    if (this.dialect.sorted) keys.sort((a, b) => compare(a.toLowerCase(), b.toLowerCase()));
    const members = keys.map((key) => {
      const place = joinPath(path, key);
      const name = language === "gemma" && /^[\w.-]+$/.test(key) ? key : this.string(key, place, language, depth + 1);
      return `${name}${isTight ? ":" : ": "}${this.literal(value[key], place, language, depth + 1)}`;
    });
    return `{${members.join(isTight ? "," : ", ")}}`;
  }

  /** Returns a string between what delimits it. */
  string(text: string, path: string, language: Language, depth = 0): string {
    const { stringDelimiters, singleQuotes, plainSingleQuotes } = this.dialect;
    if (language === "gemma") {
      const [before, after] = stringDelimiters?.[0] ?? ['"', '"'];
      if (text.includes(after)) this.refuse(path, `a text with ${JSON.stringify(after)} in it, which would end it`);
      return before + text + after;
    }
    const quoted = JSON.stringify(text);
    if (language === "json") return quoted;
    if (plainSingleQuotes) {
      // In lists the template writes Python's form, whose escapes are read between double quotes only.
      // A quote at an edge of the text looks as if one of its own stood twice.
      if (/^'|'$/.test(text) || (depth > 0 && quoted.length > text.length + 2)) return quoted;
      // Its closer begins with `<|`.
      if (/'\s*(?:[,)\]}:]|<\|)/.test(text))
        this.refuse(path, "a text with a quote before a separator, which would end it");
      return `'${text}'`;
    }
    return singleQuotes ? `'${quoted.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'` : quoted;
  }

  #isTight(language: Language): boolean {
    return language === "gemma" || (language === "json" && this.dialect.compact === true);
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
