import type { Feature } from "./types.ts";

/** What a session has that asks for it. */
export const featuresOnRequest: readonly Feature[] = [
  "CATALOG_DELTA",
  "CALL_DAG",
  "CANCEL",
  "RESULT_FAILED",
  "SEQ_WINDOW",
];
