/** Frames that came before their turn. */
export interface TurnQueue {
  /**
   * Waits until it may be this seq's turn. True: ask the store again, whether it is. False: the time is up (`until`,
   * milliseconds since the epoch), or too many wait already.
   */
  wait(sessionId: string, seq: number, until: number): Promise<boolean>;
  /** A frame of this session was admitted in this router, and `expected` is the next. */
  admitted(sessionId: string, expected: number): void;
}

/** How often the store is asked, in milliseconds: another router may have admitted what is waited for. */
const askEvery = 25;

interface Waiter {
  seq: number;
  wake(): void;
}

/** Waiters of all sessions, at most `limit`. */
export function createTurnQueue(limit: number): TurnQueue {
  const sessions = new Map<string, Set<Waiter>>();
  let waiting = 0;
  return {
    wait(sessionId, seq, until) {
      const left = until - Date.now();
      if (left <= 0 || waiting >= limit) return Promise.resolve(false);
      return new Promise((resolve) => {
        const waiters = sessions.get(sessionId) ?? new Set();
        sessions.set(sessionId, waiters);
        const wake = (): void => {
          clearTimeout(timer);
          if (!waiters.delete(waiter)) return;
          waiting--;
          if (waiters.size === 0 && sessions.get(sessionId) === waiters) sessions.delete(sessionId);
          resolve(true);
        };
        const waiter: Waiter = { seq, wake };
        const timer = setTimeout(wake, Math.min(left, askEvery));
        waiters.add(waiter);
        waiting++;
      });
    },
    admitted(sessionId, expected) {
      const waiters = sessions.get(sessionId);
      if (waiters === undefined) return;
      for (const waiter of [...waiters]) if (waiter.seq <= expected) waiter.wake();
    },
  };
}
