import { ToolglotError } from "@toolglot/core";
import { errorText } from "@toolglot/internal";
import { isCorrupt } from "./driver.ts";
import { storeError } from "./errors.ts";

/** The state of a store: the fault of the last transaction, or the reason why nothing is written any more. */
export class Health {
  readonly #file: string;
  #fault: unknown;
  #isLost = false;
  /** A transaction of calls failed, and none was committed since. */
  #callsFailed = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** Throws when the file is known to be damaged. Then neither reads nor writes can be trusted. */
  check(): void {
    if (this.#isLost) throw this.#fault;
  }

  /** Throws the fault of the last transaction. */
  checkLast(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** Whether calls could not be committed the last time. A small commit since is no sign that they could be. */
  get callsFailed(): boolean {
    return this.#callsFailed;
  }

  /** A transaction was committed: one of calls, or one as large. */
  worked(ofCalls: boolean): void {
    if (ofCalls) this.#callsFailed = false;
    if (!this.#isLost && !this.#callsFailed) this.#fault = undefined;
  }

  /**
   * Turns the error of a transaction into the error that its callers get. Errors of SQLite become errors of the store.
   */
  failed(error: unknown, ofCalls: boolean): unknown {
    if (error instanceof TypeError) return error;
    if (ToolglotError.isInstance(error) && error.code.startsWith("trp/")) {
      // A row that can't be read is not the state of the whole.
      if (error.code !== "trp/store-damaged" && error.code !== "trp/store-closed") this.#keep(error, ofCalls, false);
      return error;
    }
    const file = this.#file;
    const corrupt = isCorrupt(error);
    const fault = corrupt
      ? storeError(
          "trp/store-corrupt",
          `${file} is damaged: ${errorText(error)}. Nothing is written any more. Restore it from a backup, then restart.`,
          { file },
          error,
        )
      : storeError("trp/store-failed", `${file} failed: ${errorText(error)}`, { file }, error);
    this.#keep(fault, ofCalls, corrupt);
    return fault;
  }

  #keep(fault: unknown, ofCalls: boolean, isLost: boolean): void {
    if (this.#isLost) return;
    this.#callsFailed ||= ofCalls;
    this.#fault = fault;
    this.#isLost = isLost;
  }
}
