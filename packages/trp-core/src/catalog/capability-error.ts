import { ToolglotError } from "@toolglot/core";
import { gotText } from "@toolglot/internal";

const brand = Symbol.for("toolglot.trp.capability-error");

/** What a capability knows about its effect when it throws. */
export interface CapabilityErrorOptions {
  /**
   * - `failed`: definitely not done, and trying again is no use. Recorded, and repeated to the next call with the key.
   * - `not-applied`: this attempt is proven to have had no effect, nor will it. The call is retryable, and its key free
   *   again, unless an attempt before may have had an effect.
   * - `unknown`: it may have happened. Handled as any other exception: by the capability's `effect`.
   */
  outcome: "failed" | "not-applied" | "unknown";
  /** Of a `failed` one: the same thing under a new key may work later, so its class is TRANSIENT. Default false. */
  transient?: boolean;
  cause?: unknown;
}

/**
 * Thrown by a capability's `execute` or `probe` to report what became of the effect. Its message reaches the model word for
 * word when the outcome is `failed` or `not-applied`. Code `trp/capability`.
 */
export class CapabilityError extends ToolglotError {
  readonly outcome: CapabilityErrorOptions["outcome"];
  readonly transient: boolean;

  constructor(message: string, options: CapabilityErrorOptions) {
    const { outcome, transient = false, cause } = options;
    if (outcome !== "failed" && outcome !== "not-applied" && outcome !== "unknown") {
      throw new TypeError(
        `outcome of a CapabilityError is "failed", "not-applied" or "unknown", not ${gotText(outcome)}`,
      );
    }
    super("trp/capability", message, cause === undefined ? {} : { cause });
    this.name = "CapabilityError";
    this.outcome = outcome;
    this.transient = transient;
    Object.defineProperty(this, brand, { value: true });
  }

  /** True for every capability error, whichever copy of the package made it. */
  static override isInstance(value: unknown): value is CapabilityError {
    return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[brand] === true;
  }
}
