/** Ids of the dialects, in the order in which they are tried where several begin alike. */
export type DialectId = string;
