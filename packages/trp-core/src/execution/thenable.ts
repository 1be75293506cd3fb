/** Whether a value is a promise, of whatever kind, this realm's or another's. Throws when reading its `then` does. */
export function isThenable<Value>(value: Value | Promise<Value>): value is Promise<Value>;
export function isThenable(value: unknown): value is PromiseLike<unknown>;
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** Lets go of a value that nobody asked to be a promise: if it is one, its rejection is nobody's. Never throws. */
export function letGo(value: unknown): void {
  try {
    if (isThenable(value)) Promise.resolve(value).catch(() => {});
  } catch {
    // A `then` that throws is no promise.
  }
}
