import type { CallExtras } from "../types.ts";

/**
 * Brings what a call carries besides its arguments to the capability that runs it, and the server's exact answer back. A call that
 * another process takes over has nothing here.
 */
export class CallChannel {
  readonly #open = new Map<string, CallExtras>();

  open(callId: string, extras: CallExtras): void {
    this.#open.set(callId, extras);
  }

  of(callId: string): CallExtras | undefined {
    return this.#open.get(callId);
  }

  close(callId: string): void {
    this.#open.delete(callId);
  }
}
