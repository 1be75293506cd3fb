import type { Dialect, DialectRow } from "./types.ts";

const rows = /* @__PURE__ */ new WeakMap<object, DialectRow>();

/** Returns a row of the table with its description, which no reader needs: a program that only reads is bundled without it. */
export function whole(row: DialectRow, about: Omit<Dialect, keyof DialectRow>): Dialect {
  const dialect = { ...row, ...about };
  rows.set(dialect, row);
  return dialect;
}

/** Returns the row of a dialect of the table; a host's own one is its row. */
export const rowOf = (dialect: DialectRow): DialectRow => rows.get(dialect) ?? dialect;
