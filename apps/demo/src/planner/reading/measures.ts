import type { Question } from "./frame.ts";
import { schema } from "./schema.ts";
import type { Token } from "./tokens.ts";

type Measures = [names: string[], ...used: (Token | undefined)[]];

/** What is counted, summed or averaged; nothing for a list of rows. It uses the words that say so. */
export function readMeasures(question: Question): string[] {
  const [names, ...used] = measuresOf(question);
  for (const token of used) if (token) token.used = true;
  if (names.includes("stock")) question.words.use("field", ({ value }) => value === "stock");
  return names;
}

function measuresOf(question: Question): Measures {
  const { words, frame, asked, count, goods, noun, bought, sold, sup } = question;
  const { base, subject, dimension } = frame;
  const sum = words.open("aggregate").find(({ value }) => value === "sum");
  const means = words.open("aggregate").filter(({ value }) => value !== "sum");
  const perOrder = words.open("field").find(({ value }) => value === "order mean");
  const howmuch = words.open("howmuch")[0];
  const named = words.open("field").find((token) => token !== perOrder);
  const countsNamed = count && words.next(count) === named ? count : undefined;
  const isSale = base === "orders" && /^(?:revenue|units|total)$/.test(named?.value ?? "");
  if (means.length > 0 || perOrder) return meansOf(question, means, named, perOrder);
  if (named && isSale && (subject === "orders" || subject === "products")) {
    const measure = named.value === "units" ? "units" : "revenue";
    // Order totals one by one are a list.
    if (named.value === "total" && !sum && !howmuch && !dimension && !words.written("field", /of|总/))
      // "How many orders worth over 2000 yuan": the field belongs to the comparison.
      return count && noun === "orders" && question.comparisons.length > 0 ? [["count"], count] : [[]];
    frame.subject = "orders";
    const counted = count && !countsNamed && noun === "orders";
    // "How many" asks for units only where nothing else is counted.
    const units = measure === "units" ? count : undefined;
    return [counted ? ["count", measure] : [measure], named, sum, howmuch, countsNamed ?? (counted ? count : units)];
  }
  if (asked[0] === "units") return [["units"]];
  if (goods && base === "orders") return [["units"], count];
  if (goods) return [words.has("field", "stock") ? ["stock"] : ["count", "stock"], count];
  if (base === "products") {
    if (named?.value === "stock" && (sum || howmuch || countsNamed)) return [["stock"], named, sum, howmuch, count];
    if (named?.value === "units" && count) return [["stock"], count, named];
  }
  if (subject === "products" && base === "orders" && count) return [["count", "units"], count, sum];
  const money = !named || named.value === "total" || named.value === "amount";
  if ((sum || howmuch) && (noun === "orders" || noun === "refunds") && money) {
    const measure = base === "orders" ? "revenue" : "amount";
    // "Total orders" may mean their number or their sum: both are given.
    return [!named || count ? ["count", measure] : [measure], count, sum, howmuch, named];
  }
  if (named?.value === "total" && base === "refunds") return [["amount"], named];
  if (count || (sum && noun !== undefined)) return [["count"], count, sum];
  if (howmuch && base === "orders" && (sold || bought)) return [["revenue"], howmuch];
  if (base === "orders" && sold && noun === undefined && words.open("list", "which").length === 0)
    return [["revenue", "units"]];
  if (dimension === undefined) return [[]];
  // Rankings are by revenue unless something else is named; everything else is counted.
  if (sup === undefined || noun !== undefined || (dimension === "customer" && bought)) return [["count"]];
  return [[dimension === "product" && (bought || sold) ? "units" : "revenue"]];
}

/** Averages of one field of the rows: a mean of sums or of numbers of things is another question. */
function meansOf(
  { frame: { base, subject }, noun, count }: Question,
  means: readonly Token[],
  named: Token | undefined,
  perOrder: Token | undefined,
): Measures {
  const { money, columns } = schema[base];
  const of = named?.value === "total" ? money : (named?.value ?? (noun === "products" ? undefined : money));
  if (of === undefined || columns[of] === undefined || subject !== base || count) return [[]];
  const aggregates = [...new Set(means.map(({ value }) => value))];
  const all = aggregates.some((name) => name !== "mean") ? ["mean", "median", "stdev"] : ["mean"];
  return [[...(all.length > 1 ? ["count"] : []), ...all.map((name) => `${name}_${of}`)], ...means, named, perOrder];
}
