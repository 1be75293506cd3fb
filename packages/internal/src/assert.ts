/** Throws unless both are the same JSON; members that are undefined count as absent. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  if (!isSame(actual, expected)) throw new Error(`${what}: expected ${show(expected)}, got ${show(actual)}`);
}

/** Throws unless everything in `expected` is so in `actual`, which may have more members. */
export function like(actual: unknown, expected: unknown, what: string): void {
  if (!isLike(actual, expected))
    throw new Error(`${what}: expected something like ${show(expected)}, got ${show(actual)}`);
}

export function truth(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

/** Throws unless the promise rejects with an error that `check` accepts. */
export async function rejects(promise: unknown, check: (error: unknown) => boolean, what: string): Promise<void> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    if (check(error)) return;
    throw new Error(`${what}: rejected with ${String(error)}`, { cause: error });
  }
  throw new Error(`${what}: expected a rejection, got ${show(value)}`);
}

export const isTypeError = (error: unknown): boolean => error instanceof TypeError;

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = new Set([...definedKeys(one), ...definedKeys(other)]);
  return [...keys].every((key) => isSame(member(one, key), member(other, key)));
}

function isLike(actual: unknown, expected: unknown): boolean {
  if (typeof expected !== "object" || expected === null) return Object.is(actual, expected);
  if (typeof actual !== "object" || actual === null || Array.isArray(actual) !== Array.isArray(expected)) return false;
  if (Array.isArray(expected) && (actual as unknown[]).length !== expected.length) return false;
  return Object.keys(expected).every((key) => isLike(member(actual, key), member(expected, key)));
}

function definedKeys(value: object): string[] {
  return Object.keys(value).filter((key) => member(value, key) !== undefined);
}

function member(value: object, key: string): unknown {
  return (value as Record<string, unknown>)[key];
}

function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 600) ?? String(value);
}
