/** Beyond so many units read again, bodies end at the first place where they can. */
export const patience = 65_536;

/** What the bodies of one text know together, so that none of them searches for the same again. */
export class BodyMemory {
  /** Offset from which on a name has no closing tag. */
  readonly gone: Map<string, number> = new Map();
  /** Offset from which on no CDATA is closed. */
  noCdata: number = Number.POSITIVE_INFINITY;
  /** Units that were read again because a guess was wrong. */
  reread = 0;
}
