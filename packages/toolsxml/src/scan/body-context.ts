/** Where a raw body stands: what may follow its closing tag, and which tags inside may be structure. */
export interface BodyContext {
  /** Names of the tags that fit the grammar behind the body, closing ones with a slash. */
  following: ReadonlySet<string>;
  /** Names of every tag that counts in a doubtful body. */
  inner: ReadonlySet<string>;
  /** Names of the elements around it. */
  parents: ReadonlySet<string>;
  /** Longest name. */
  longest: number;
}

/** Returns the context of a body, by the elements around it and those that may follow in them. */
export function bodyContext(parents: readonly string[], openers: readonly string[]): BodyContext {
  const names = [...new Set([...parents, ...openers])];
  return {
    following: new Set([...parents.map((name) => `/${name}`), ...openers]),
    inner: new Set(names),
    parents: new Set(parents),
    longest: Math.max(...names.map((name) => name.length)) + 20,
  };
}

/** What the bodies of one text know together, so that none of them searches for the same again. */
export class BodyMemory {
  /** Offset from which on a name has no closing tag. */
  readonly gone: Map<string, number> = new Map();
  /** Offset from which on no CDATA is closed. */
  noCdata: number = Number.POSITIVE_INFINITY;
  /** Units that were read again because a guess was wrong. */
  reread = 0;
}
