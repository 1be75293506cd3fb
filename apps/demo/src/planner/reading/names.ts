import { escapeRegExp } from "../text.ts";
import type { Token } from "./tokens.ts";

/** A name of the data that holds a word of the request. */
export type KnownName = { kind: string; id: number | null; value: string };

/** More unknown words than this are no names. */
const maxWords = 8;

/** The unknown words of a request that may be names in the data; nothing when there are none, or too many. */
export function possibleNames(tokens: readonly Token[]): string[] {
  const unknown = tokens.filter(({ kind, text }) => kind === "unknown" && /[\p{L}\p{N}]/u.test(text));
  const words = [...new Set(unknown.map(({ text }) => text))];
  return words.length > maxWords ? [] : words;
}

/** Looks words up in everything that has a name. */
export function namesSql(words: readonly string[]): string {
  const bare = words.map((word) =>
    singular(word)
      .replaceAll("'", "''")
      .replaceAll(/[%_\\]/g, ""),
  );
  return `SELECT kind, id, value FROM (
  SELECT 'customer' AS kind, id, name AS value FROM customers
  UNION ALL SELECT 'product', id, name FROM products
  UNION ALL SELECT 'product', id, name_zh FROM products
  UNION ALL SELECT 'product', id, sku FROM products
  UNION SELECT 'city', NULL, city FROM customers
  UNION SELECT 'country', NULL, country FROM customers
  UNION SELECT 'reason', NULL, reason FROM refunds
) WHERE ${bare.map((word) => `value LIKE '%${word}%'`).join(" OR ")}`;
}

/** The tokens with the names found among them; words that fit several people are given back as doubtful. */
export function withNames(
  question: string,
  tokens: readonly Token[],
  known: readonly KnownName[],
): { tokens: Token[]; doubtful: string[] } {
  let made = tokens.map((token) => ({ ...token, used: token.kind === "filler" }));
  const join = (inside: readonly Token[], name: Pick<Token, "kind" | "value" | "ids">): void => {
    const [{ start = 0 } = {}, { end = 0 } = {}] = [inside[0], inside.at(-1)];
    const token: Token = { ...name, text: question.slice(start, end), start, end, used: false };
    made = made.flatMap((one) => (one === inside[0] ? [token] : inside.includes(one) ? [] : [one]));
  };
  for (const { kind, value, id } of [...known].sort((a, b) => b.value.length - a.value.length)) {
    const place = placeOf(question, value);
    const inside = made.filter(({ start, end }) => place && start < place.end && end > place.start);
    if (inside.some((token) => token.kind === "unknown"))
      join(inside, { kind, value, ...(id !== null && { ids: [id] }) });
  }
  const doubtful: string[] = [];
  for (let index = 0; index < made.length; index += 1) {
    const end = made.findIndex(({ kind }, at) => at >= index && kind !== "unknown");
    const run = made.slice(index, end < 0 ? undefined : end);
    if (run.length === 0) continue;
    const words = question.slice(run[0]?.start, run.at(-1)?.end);
    const fitting = known.filter((name) => fits(name, words));
    const ids = [...new Set(fitting.map(({ id }) => id))].filter((id) => id !== null);
    const kind = fitting[0]?.kind;
    const several = kind === "customer" && ids.length > 1;
    if (several) doubtful.push(`${words}: ${fitting.map(({ value }) => value).join(", ")}`);
    if (kind === undefined || several || fitting.some((one) => one.kind !== kind)) index += run.length - 1;
    else join(run, { kind, value: ids.map((id) => fitting.find((one) => one.id === id)?.value).join(", "), ids });
  }
  return { tokens: made, doubtful };
}

/** Where a name stands as whole words, in the plural too. */
function placeOf(text: string, name: string): { start: number; end: number } | undefined {
  const [before, after] = /^[\p{Script=Latin}\p{N}]/u.test(name)
    ? ["(?<![\\p{Script=Latin}\\p{N}])", "(?:s|es)?(?![\\p{Script=Latin}\\p{N}])"]
    : ["", ""];
  const pattern = escapeRegExp(name).replaceAll(/\s+/g, "\\s+");
  const match = new RegExp(before + pattern + after, "iu").exec(text);
  return match ? { start: match.index, end: match.index + match[0].length } : undefined;
}

/** A part of a person's name; of a product's, a part with the noun at its end: "winter" is no bag. */
function fits({ kind, value }: KnownName, words: string): boolean {
  const place = placeOf(value, words) ?? placeOf(value, singular(words));
  return place !== undefined && (kind === "customer" || (kind === "product" && place.end === value.length));
}

function singular(word: string): string {
  return /^[a-z]{3,}s$/i.test(word) ? word.slice(0, -1) : word;
}
