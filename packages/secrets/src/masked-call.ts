import { maskedError } from "./masked-error.ts";
import type { Secrets } from "./types.ts";
import { valuesOf } from "./values.ts";

/** Returns a masked copy of data. */
export type Mask = <Value>(value: Value) => Value;

/** Masks for texts that are whole, that may be cut where `…` stands, and whose lines were taken out of other texts. */
export interface Masks {
  whole: Mask;
  pieces: Mask;
  lines: Mask;
}

/**
 * Runs a call, and masks what it returns and throws; `mask` decides how, by default line by line. Without secrets nothing is masked.
 *
 * @example
 * ```ts
 * const text = await maskedCall(secrets, () => readLog(path), (log, { whole }) => whole(log));
 * ```
 */
export async function maskedCall<Outcome>(
  secrets: Secrets | undefined,
  work: () => Promise<Outcome>,
  mask: (outcome: Outcome, masks: Masks) => Outcome = (outcome, { lines }) => lines(outcome),
): Promise<Outcome> {
  if (secrets === undefined) return await work();
  const values = valuesOf(secrets);
  const lines: Mask = (value) => values.maskLines(value);
  try {
    const outcome = await work();
    const pieces: Mask = (value) => values.maskPieces(value);
    return mask(outcome, { lines, pieces, whole: (value) => secrets.maskData(value) });
  } catch (error) {
    throw maskedError(error, lines);
  }
}
