import type { Period } from "../../reading/dates.ts";
import shop from "../../words/shop.json" with { type: "json" };

export type Table = "orders" | "customers" | "products" | "refunds" | "tickets";

/**
 * What a table is read from, under its first letter; what it can be narrowed, split and ranked by; what is summed; the column that
 * a number is compared with, by the word beside it (of goods, pieces are the stock, and yuan the price); what a list shows of a
 * row, and what one record shows besides.
 */
type Description = Record<"from" | "row" | "more", string> &
  Record<"columns" | "sums" | "compared", Readonly<Record<string, string>>>;

export const schema = shop.tables as unknown as Readonly<Record<Table, Description>>;

/** A question about the shop's tables, whatever language it was asked in: a list of rows, unless it has measures. */
export interface Frame {
  /** What is counted or listed, and the table it is read from: customers who ordered are read from the orders. */
  subject: Table;
  table: Table;
  /** `count`, `revenue`, `units`, `stock`, `amount`, or a statistic and a column: `mean_total`. */
  measures: string[];
  dimension?: string | undefined;
  /** A column's values (of customers and products their numbers), or a comparison with a number. */
  filters: { kind: string; values: string[]; ids: number[]; operator?: string | undefined }[];
  periods: Period[];
  /** The column that periods speak of. */
  dated: string;
  rank?: { by: string; descending: boolean };
  limit?: number;
  /** The number of the one record that is asked for. */
  id?: number;
}

/** What one row is, in English. */
export const oneOf = (table: Table): string => table.slice(0, -1);

/** Whether the lines of orders are needed, so that an order stands in several rows. */
export function needsLines({ table, subject, dimension = "", filters, measures }: Frame): boolean {
  const kinds = [subject, dimension, ...filters.map(({ kind }) => kind)];
  const goods = kinds.some((kind) => /^(?:products?|category)$/.test(kind));
  return table === "orders" && (goods || measures.includes("units"));
}
