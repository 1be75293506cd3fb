import type { Transaction } from "../transaction.ts";

/** The most tokens to remember. A start with a forgotten token gets `not-admitted`, and the router looks again. */
const maxTokens = 4_096;

/**
 * The tokens of admissions with the expected result. A start checks its token, in the same transaction or a later one.
 */
export class Expectations {
  readonly #committed = new Set<string>();

  /** Notes a token. It holds in this transaction, and after the commit also in later ones. */
  met(tx: Transaction, token: string): void {
    tx.held(`met ${token}`, () => true);
    tx.afterCommit(() => this.#keep(token));
  }

  #keep(token: string): void {
    this.#committed.add(token);
    if (this.#committed.size <= maxTokens) return;
    for (const oldest of this.#committed) {
      this.#committed.delete(oldest);
      return;
    }
  }

  isMet(tx: Transaction, token: string): boolean {
    return this.#committed.has(token) || tx.held(`met ${token}`, () => false);
  }
}
