import type { DialectRow } from "../table/types.ts";
import { jsonSyntax } from "./syntaxes.ts";
import type { LiteralSyntax } from "./types.ts";

const bareValue = /[^,}\]<]*/y;
const bareKey = /[^:,{}[\]<]*/y;

/** Returns how a dialect writes literals of Gemma's: strings stand between delimiters of its own; in quotes they are a slip. */
export const gemmaLiterals = ({ stringDelimiters = [] }: Pick<DialectRow, "stringDelimiters">): LiteralSyntax => ({
  language: "gemma",
  quotes: [...stringDelimiters.map(([open, close]) => ({ open, close })), ...jsonSyntax.quotes],
  bare: [bareKey, bareValue],
});
