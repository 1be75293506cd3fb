import type { Frame, Words } from "./frame.ts";
import { schema } from "./schema.ts";

/** What is counted, summed or averaged; nothing for a list of rows, undefined for what can't be. */
export function measuresOf(words: Words, frame: Frame): string[] | undefined {
  const { has, of } = words;
  const { table, subject, dimension } = frame;
  const { money, columns } = schema[table];
  const statistics = of("aggregate").filter((name) => name !== "sum");
  const field = of("field")[0];
  const column = field === "total" || field === undefined ? money : field;
  const goods = has("category") || has("product");
  if (statistics.length > 0) {
    // A mean of sums or of numbers of things is another question, and so is one over the lines of orders.
    const lines = table === "orders" && (goods || dimension === "product" || dimension === "category");
    if (!column || !columns[column] || subject !== table || has("count") || lines) return undefined;
    return [...(statistics.length > 1 ? ["count"] : []), ...statistics.map((name) => `${name}_${column}`)];
  }
  const noun = of("noun").find((one) => one === table || one === subject);
  const count = has("count");
  const sum = has("aggregate", "sum") || has("howmuch");
  const ranked = has("sup") || has("bound");
  const found: string[] = [];
  if (table === "orders") {
    const bare = sum && field === undefined && (noun !== undefined || has("sold") || has("bought"));
    const units = field === "units" || has("sup", "units max") || (goods && count && noun === undefined);
    if (noun && (count || (bare && has("aggregate"))) && field !== "units") found.push("count");
    if (units || (count && subject === "products")) found.push("units");
    if (field === "revenue" || bare || (field === "total" && !ranked && !has("list") && !(count && !sum)))
      found.push("revenue");
  } else if (table === "products") {
    const stock = field === "stock" && (count || sum) && !has("bound");
    if (stock || (goods && count && noun === undefined)) found.push("stock");
    if (count && (!stock || noun)) found.unshift("count");
  } else if (count || sum) {
    if (count || has("aggregate")) found.push("count");
    if (sum && table === "refunds") found.push("amount");
  } else if (table === "refunds" && field === "total" && !ranked) found.push("amount");
  if (found.length > 0 || dimension === undefined) return found;
  // Rankings are by revenue unless something else is named; everything else is counted.
  return has("sup") && noun === undefined && table === "orders" ? ["revenue"] : ["count"];
}
