/** How many calls that wait are remembered; the oldest are forgotten. */
const most = 1000;

/**
 * Keys of calls that wait for an approval. Who is approved later makes the call anew, under another call id: it must be the
 * operation that was approved, not a new one that asks again.
 */
export class WaitingKeys {
  readonly #keys = new Map<string, string>();

  /** The key under which the same capability with the same arguments waits. */
  find(capId: string, args: unknown): string | undefined {
    return this.#keys.get(identity(capId, args));
  }

  /** Notes that it waits, or no longer does. */
  note(capId: string, args: unknown, key: string, waits: boolean): void {
    const same = identity(capId, args);
    this.#keys.delete(same);
    if (!waits) return;
    this.#keys.set(same, key);
    for (const [oldest] of this.#keys) {
      if (this.#keys.size <= most) return;
      this.#keys.delete(oldest);
    }
  }
}

/** Equal for the same capability with equal arguments, whatever the order of their keys. */
function identity(capId: string, args: unknown): string {
  return JSON.stringify([capId, sorted(args)]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner), "of an object"]);
}
