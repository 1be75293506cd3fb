import { canonicalJson } from "@toolglot/internal";
import type { CallResult } from "./types.ts";

/** How many calls are remembered; the oldest are forgotten. */
const most = 1000;

/** Why a key is remembered: the outcome of its operation is unknown, or it waits for an approval. */
type Open = { key: string; isUnknown: boolean };

/**
 * Keys of operations that are not over. The same call under another call id gets the same key, so that it continues the operation
 * that was approved, or whose outcome is unknown, and is not a new one that asks or acts again.
 */
export class OpenKeys {
  readonly #open = new Map<string, Open>();

  /** The key of the operation that is open for the same capability with the same arguments. */
  find(capId: string, args: unknown): string | undefined {
    // Mostly nothing is open, and nobody needs the arguments as a text.
    return this.#open.size === 0 ? undefined : this.#open.get(identity(capId, args))?.key;
  }

  /** Notes how a call came out. */
  note(args: unknown, outcome: CallResult): void {
    const { capId, key, status, error } = outcome;
    if (key === undefined) return;
    const isOver = status !== "unknown" && status !== "refused";
    if (isOver && this.#open.size === 0) return;
    const same = identity(capId, args);
    const wasUnknown = this.#open.get(same)?.isUnknown === true;
    if (status === "unknown") this.#keep(same, { key, isUnknown: true });
    else if (isOver) this.#open.delete(same);
    else if (needsApproval(outcome)) this.#keep(same, { key, isUnknown: wasUnknown });
    // A refusal leaves open what was begun before, unless the router has forgotten it. A request is over with it.
    else if (error?.retryable !== true && (!wasUnknown || error?.code === "TRP_4005")) this.#open.delete(same);
  }

  /** Notes that a call got no answer, and may have been begun. */
  noteLost(capId: string, args: unknown, key: string | undefined): void {
    if (key !== undefined) this.#keep(identity(capId, args), { key, isUnknown: true });
  }

  /** Forgets an operation that a person has denied. */
  forget(capId: string, args: unknown): void {
    this.#open.delete(identity(capId, args));
  }

  #keep(same: string, open: Open): void {
    this.#open.delete(same);
    this.#open.set(same, open);
    for (const [oldest] of this.#open) {
      if (this.#open.size <= most) return;
      this.#open.delete(oldest);
    }
  }
}

/** Checks whether a person has to approve it before it runs. */
export function needsApproval({ error }: CallResult): boolean {
  return error?.errorClass === "APPROVAL_REQUIRED";
}

/** Equal for the same capability with equal arguments, whatever the order of their keys. */
function identity(capId: string, args: unknown): string {
  return canonicalJson([capId, args]);
}
