/** Returns all of these scopes, each once and in order; undefined where there are none. */
export function unionOf(...scopes: (string | undefined)[]): string | undefined {
  const all = new Set(scopes.flatMap((scope) => scope?.split(" ") ?? []).filter((one) => one !== ""));
  return all.size === 0 ? undefined : [...all].join(" ");
}

/** Whether scopes have all of the others. What nobody limited has all. */
export function covers(scope: string | undefined, others: string | undefined): boolean {
  return scope === undefined || unionOf(scope, others)?.length === unionOf(scope)?.length;
}
