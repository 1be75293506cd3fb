import type { CallDraft } from "./call-draft.ts";
import type { Cursor, Reading } from "./cursor.ts";
import type { RowMarks } from "./row-marks.ts";

/** Reads the arguments of a call, and goes behind them; false when the call is rejected. */
export type BodyReader = (call: CallDraft, cursor: Cursor, marks: RowMarks) => Reading<boolean>;
