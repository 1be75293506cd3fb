import type { Router, RouterEvent } from "@toolglot/trp-core";
import type { Identity } from "../identity/types.ts";
import { overviewOf } from "./view-data.ts";

/** How often the store is asked for what other processes have changed. Milliseconds. */
const pollMs = 2_000;
/** Several events at once are one look. */
const gatherMs = 50;

const telling: ReadonlySet<RouterEvent["type"]> = new Set([
  "approval.requested",
  "approval.decided",
  "operation.resolved",
  "call.in_doubt",
] as const);

interface Viewer {
  identity: Identity;
  mark: string | undefined;
  send(mark: string): void;
}

/** Tells open pages when something has changed that they show. Asks the store only while there are any. */
export class Live {
  readonly #router: Router;
  readonly #viewers = new Set<Viewer>();
  #stop: (() => void) | undefined;
  #soon: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(router: Router) {
    this.#router = router;
  }

  /** Calls `send` with the mark of what somebody sees, now and whenever it is another. Returns what ends that. */
  join(identity: Identity, send: (mark: string) => void): () => void {
    const viewer: Viewer = { identity, mark: undefined, send };
    this.#viewers.add(viewer);
    this.#start();
    this.#lookSoon();
    return () => {
      this.#viewers.delete(viewer);
      if (this.#viewers.size === 0) this.close();
    };
  }

  close(): void {
    this.#stop?.();
    this.#stop = undefined;
    clearTimeout(this.#soon);
    this.#soon = undefined;
  }

  #start(): void {
    if (this.#stop !== undefined) return;
    const unsubscribe = this.#router.subscribe(({ type }) => {
      if (telling.has(type)) this.#lookSoon();
    });
    const timer = setInterval(() => void this.#look(), pollMs).unref();
    this.#stop = () => {
      unsubscribe();
      clearInterval(timer);
    };
  }

  #lookSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      void this.#look();
    }, gatherMs).unref();
  }

  /** One question for each principal, however many pages they have open. */
  async #look(): Promise<void> {
    if (this.#isLooking) return this.#lookSoon();
    this.#isLooking = true;
    try {
      const marks = new Map<string, string>();
      for (const viewer of this.#viewers) {
        const { tenant, id, roles } = viewer.identity.principal;
        const who = JSON.stringify([tenant, id, roles]);
        const mark = marks.get(who) ?? (await overviewOf(this.#router, viewer.identity)).mark;
        marks.set(who, mark);
        if (viewer.mark === mark || !this.#viewers.has(viewer)) continue;
        viewer.mark = mark;
        viewer.send(mark);
      }
    } catch {
      // The store can't serve; the next look may.
    } finally {
      this.#isLooking = false;
    }
  }
}
