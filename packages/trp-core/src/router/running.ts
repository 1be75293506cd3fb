/** Something that runs in this router right now. */
export interface RunningThing {
  readonly sessionId: string;
  readonly kind: "frame" | "call";
  readonly id: string;
  /** Where it stands in the list. */
  at: number;
}

/** What runs in this router right now: frames and calls, by session. */
export interface Running {
  /** Holds until `end` is called with what it returns. */
  begin(sessionId: string, kind: "frame" | "call", id: string): RunningThing;
  end(thing: RunningThing): void;
  has(sessionId: string, kind: "frame" | "call", id: string): boolean;
}

/**
 * A plain list: something is added and taken out for each call, which costs a map that is mostly empty a new table each
 * time, and looked for only when something comes twice.
 */
export function createRunning(): Running {
  const all: RunningThing[] = [];
  return {
    begin(sessionId, kind, id) {
      const thing = { sessionId, kind, id, at: all.length };
      all.push(thing);
      return thing;
    },
    end(thing) {
      if (all[thing.at] !== thing) return;
      const last = all.pop();
      if (last === undefined || last === thing) return;
      last.at = thing.at;
      all[thing.at] = last;
    },
    has: (sessionId, kind, id) =>
      all.some((thing) => thing.id === id && thing.kind === kind && thing.sessionId === sessionId),
  };
}
