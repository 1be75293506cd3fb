/** What can be wrong with a call. */
export type FaultName =
  | "swallowed-argument"
  | "leaked-closer"
  | "doubled-input"
  | "cut-input"
  | "nameless-call"
  | "marker-in-value";

/** What is wrong with a call, as a code. */
export type CallFindingCode = `core/${FaultName}`;

/** A sign that a call was damaged on its way from the model: by the model itself, its server, or whoever read it. */
export interface CallFinding {
  /**
   * - `core/swallowed-argument`: an argument holds the ones behind it, which the call lacks.
   * - `core/leaked-closer`: an argument ends in a mark that closes a call.
   * - `core/doubled-input`: the arguments stand there twice.
   * - `core/cut-input`: the JSON of the arguments ends early.
   * - `core/nameless-call`: no tool is named, or the name holds a mark.
   * - `core/marker-in-value`: marks stand for a value, or around one.
   */
  code: CallFindingCode;
  /** JSON Pointer of the argument; empty for the call as a whole. */
  path: string;
  /** Where it begins in that argument, in UTF-16 code units. */
  at?: number;
  /** What was meant may be another value. */
  affects: "value";
  /** How the text splits, as it suggests; this is never done by itself. */
  swallowed?: { name: string; value: string }[];
  /** In English, for people. */
  message: string;
  /** In English, for the model. `explainFindings` has Chinese too. */
  hint: string;
}

/** A finding, less what follows from it. */
export type Found = Pick<CallFinding, "at" | "swallowed"> & { code: FaultName };
