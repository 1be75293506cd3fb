import type { Value } from "../database/transaction.ts";

type Cell = string | number | null | Uint8Array;

/** The columns of a batch: the name and the type of each, and what an item has there. */
export type Columns<Item> = Readonly<Record<string, readonly [type: string, cell: (item: Item) => Cell]>>;

/**
 * Part of a statement that reads its rows from parameters: `name (columns)`, with `ord` for the place of each, from 0. Parameters begin
 * with the number `from`. As subqueries, so that the planner expects as many rows whatever they hold: else each small batch would look
 * worth a plan of its own.
 */
export function rowsOf<Item>(name: string, columns: Columns<Item>, from: number): string {
  const arrays = Object.values(columns).map(([type], at) => `(SELECT $${from + at}::${type}[])`);
  return `${name} AS MATERIALIZED (SELECT ${Object.keys(columns).join(", ")}, ord - 1 AS ord
    FROM unnest(${arrays.join(", ")}) WITH ORDINALITY AS rows (${Object.keys(columns).join(", ")}, ord))`;
}

/** The parameters of {@link rowsOf}. */
export function valuesOf<Item>(columns: Columns<Item>, items: readonly Item[]): Value[] {
  return Object.values(columns).map(([, cell]) => items.map(cell));
}

export const sizeOf = (columns: Columns<never>): number => Object.keys(columns).length;
