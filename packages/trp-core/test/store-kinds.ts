import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
// By its path: it depends on this package.
import { openSqlite } from "../../sqlite/src/index.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import type { RouterStore } from "../src/store/types.ts";

// The stores that routers have, for tests that run alike on each. That of PostgreSQL, and what runs tests on all of them, is in
// `packages/postgres/test/every-store.ts`, which has a server started.

interface OpenOptions {
  /** The clock. */
  now?: () => number;
}

/** Where data are. Whoever opens them again has the same, as another process would. */
export interface Place {
  open(options?: OpenOptions): Promise<RouterStore>;
  /** How a gateway's settings say it. */
  readonly settings: { store: string; postgres?: { schema: string } };
  /** Closes what was opened, and lets go of the data. */
  remove(): Promise<void>;
}

export interface StoreKind {
  readonly name: "memory" | "SQLite" | "PostgreSQL";
  /** Why this machine has none. */
  readonly skip: string | undefined;
  newPlace(): Place;
}

/** A place that closes what it opened. */
export function makePlace(
  settings: Place["settings"],
  open: (options: OpenOptions) => Promise<RouterStore>,
  letGo: () => void = () => {},
): Place {
  const opened: RouterStore[] = [];
  return {
    settings,
    async open(options = {}) {
      const store = await open(options);
      opened.push(store);
      return store;
    },
    async remove() {
      for (const store of opened.splice(0)) await store.close();
      letGo();
    },
  };
}

/** A store that is opened again is the same one. */
export const memory: StoreKind = {
  ...{ name: "memory", skip: undefined },
  newPlace() {
    let store: RouterStore | undefined;
    return makePlace({ store: "memory" }, async (options) => (store ??= new MemoryStore(options)));
  },
};

export const sqlite: StoreKind = {
  ...{ name: "SQLite", skip: undefined },
  newPlace() {
    const folder = mkdtempSync(join(tmpdir(), "toolglot-store-"));
    const file = join(folder, "router.db");
    return makePlace(
      { store: `sqlite:${file}` },
      (options) => openSqlite({ file, synchronous: "normal", ...options }),
      // libsql closes a file when its statements are collected, which may be after the store was closed.
      () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
    );
  },
};

/** A place that is there until the test is over. Call it inside a test. */
export function placeOn(kind: StoreKind): Place {
  const place = kind.newPlace();
  onTestFinished(() => place.remove());
  return place;
}

let chosen: StoreKind | undefined;

/** Which stores tests get that name none, from now on. */
export function useStores(kind: StoreKind | undefined): void {
  chosen = kind;
}

/** An empty store for a test that names none: in memory, unless its file runs on another kind. Call it inside a test. */
export function storeUnderTest(options: OpenOptions = {}): Promise<RouterStore> {
  return placeOn(chosen ?? memory).open(options);
}

/** A place that several processes could share: a file of SQLite, unless the test's file runs on another kind. Call it inside a test. */
export function sharedPlace(): Place {
  return placeOn(chosen ?? sqlite);
}
