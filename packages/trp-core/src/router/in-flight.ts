/** The frames and calls that are in flight in this router, by session. */
export interface InFlight {
  /** In flight until what it returns is called. */
  begin(sessionId: string, kind: "frame" | "call", id: string): () => void;
  has(sessionId: string, kind: "frame" | "call", id: string): boolean;
}

export function createInFlight(): InFlight {
  // One entry each, since the same call may be in flight twice. Searched only when something comes twice.
  const all = new Set<{ sessionId: string; kind: "frame" | "call"; id: string }>();
  return {
    begin(sessionId, kind, id) {
      const entry = { sessionId, kind, id };
      all.add(entry);
      return () => all.delete(entry);
    },
    has(sessionId, kind, id) {
      for (const entry of all) {
        if (entry.id === id && entry.kind === kind && entry.sessionId === sessionId) return true;
      }
      return false;
    },
  };
}
