/**
 * Returns when a server wants to be asked again, in milliseconds from `now` on: its own word (`retry-after-ms`), a number of seconds, or
 * a date (`retry-after`). Undefined when it does not say.
 */
export function retryAfter(headers: Headers | Record<string, string | undefined>, now: number): number | undefined {
  const read = (name: string): string | undefined => {
    if (typeof headers.get === "function") return (headers as Headers).get(name) ?? undefined;
    const key = Object.keys(headers).find((each) => each.toLowerCase() === name);
    return key === undefined ? undefined : String((headers as Record<string, string | undefined>)[key]);
  };
  const after = read("retry-after");
  const wishes = [Number(read("retry-after-ms")), Number(after) * 1000, Date.parse(after ?? "") - now];
  const wished = wishes.find((one) => !Number.isNaN(one));
  return wished === undefined ? undefined : Math.max(0, wished);
}
