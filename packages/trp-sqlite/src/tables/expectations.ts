import type { Admission, SessionRecord } from "@toolglot/trp-core/store";
import type { Transaction } from "../transaction.ts";

/** An admission that was answered already, as it is expected to come out: with the session as it is then. */
export interface ExpectedAdmission extends Admission {
  expected?: { token: string; session: SessionRecord };
}

/** Remembered at most: whoever comes later is told that its frame was not admitted as expected, and looks for itself. */
const most = 4_096;

/** Admissions that came out as expected, by their tokens: a start in the same transaction, or a later one, asks for them. */
export class Expectations {
  readonly #committed = new Set<string>();

  /** Counts in this transaction, and when that is committed from then on. */
  met(tx: Transaction, token: string): void {
    tx.held(`met ${token}`, () => true);
    tx.afterCommit(() => this.#keep(token));
  }

  #keep(token: string): void {
    this.#committed.add(token);
    if (this.#committed.size <= most) return;
    for (const oldest of this.#committed) {
      this.#committed.delete(oldest);
      return;
    }
  }

  isMet(tx: Transaction, token: string): boolean {
    return this.#committed.has(token) || tx.held(`met ${token}`, () => false);
  }
}
