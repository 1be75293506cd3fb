/** What runs in this router right now: frames and calls, by session. */
export interface Running {
  /** Holds until the returned function is called. */
  begin(sessionId: string, kind: "frame" | "call", id: string): () => void;
  has(sessionId: string, kind: "frame" | "call", id: string): boolean;
}

export function createRunning(): Running {
  const counts = new Map<string, number>();
  const nameOf = (sessionId: string, kind: string, id: string): string => `${kind} ${sessionId} ${id}`;
  return {
    begin(sessionId, kind, id) {
      const name = nameOf(sessionId, kind, id);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return () => {
        const left = (counts.get(name) ?? 1) - 1;
        if (left === 0) counts.delete(name);
        else counts.set(name, left);
      };
    },
    has: (sessionId, kind, id) => counts.has(nameOf(sessionId, kind, id)),
  };
}
