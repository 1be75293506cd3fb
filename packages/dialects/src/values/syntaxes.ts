import type { LiteralSyntax, Quote } from "./types.ts";

const double: Quote = { open: '"', close: '"', run: /[^"\\]*/y };
const single: Quote = { open: "'", close: "'", run: /[^'\\]*/y };

/** Strings of JSON; those between single quotes are a slip. */
export const jsonSyntax: LiteralSyntax = { language: "json", quotes: [double, single] };

/** Strings of Python. */
export const pythonSyntax: LiteralSyntax = {
  language: "python",
  quotes: [{ ...double, open: '"""', close: '"""' }, double, { ...single, open: "'''", close: "'''" }, single],
};
