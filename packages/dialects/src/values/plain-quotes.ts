import type { DialectRow } from "../table/types.ts";
import { pythonSyntax } from "./syntaxes.ts";
import type { LiteralSyntax } from "./types.ts";

const fewSpaces = /\s{0,99}/y;

/** A string that begins with a quote, or ends with one that nothing in it opens. */
const isDoubled = /^'|^(?!(?:.*[\s([{,:=])?'\S[^']*'$).*'$/s;

/** Python, where nothing is escaped in `'…'`, and a quote closes it only before `,` `)` `]` `}` `:`, a mark in `<|`, or the end. */
const plainSyntax: LiteralSyntax = {
  language: "python",
  quotes: [
    {
      open: "'",
      close: "'",
      isDoubtful: isDoubled,
      counts(text, at, ended) {
        fewSpaces.lastIndex = at + 1;
        fewSpaces.test(text);
        const behind = fewSpaces.lastIndex;
        const next = text.slice(behind, behind + 2);
        return !ended && (next === "" || next === "<") ? undefined : /^(?:[,)\]}:]|<\||$)/.test(next);
      },
    },
    ...pythonSyntax.quotes,
  ],
};

/** Returns how a dialect writes literals of Python. */
export const pythonLiterals = ({ plainSingleQuotes }: Pick<DialectRow, "plainSingleQuotes">): LiteralSyntax =>
  plainSingleQuotes ? plainSyntax : pythonSyntax;
