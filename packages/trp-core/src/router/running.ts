/** What runs in this router right now: frames and calls, by session. */
export interface Running {
  /** Holds until the returned function is called. */
  begin(sessionId: string, kind: "frame" | "call", id: string): () => void;
  has(sessionId: string, kind: "frame" | "call", id: string): boolean;
}

export function createRunning(): Running {
  // By id first: ids are as good as unique, and a name made of both would have to be hashed anew each time.
  const all = { frame: new Map<string, string[]>(), call: new Map<string, string[]>() };
  return {
    begin(sessionId, kind, id) {
      const running = all[kind];
      const sessions = running.get(id);
      if (sessions === undefined) running.set(id, [sessionId]);
      else sessions.push(sessionId);
      return () => {
        const left = running.get(id);
        if (left === undefined) return;
        const at = left.indexOf(sessionId);
        if (at >= 0) left.splice(at, 1);
        if (left.length === 0) running.delete(id);
      };
    },
    has: (sessionId, kind, id) => all[kind].get(id)?.includes(sessionId) === true,
  };
}
