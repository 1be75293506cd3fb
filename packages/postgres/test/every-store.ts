import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryStore } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
// By paths: tests of every package come by here.
import { openSqlite } from "../../sqlite/src/index.ts";
import { useStores } from "../../trp-core/test/store-under-test.ts";
import { openPostgres } from "../src/index.ts";
import { emptied, newSchema, skip, url } from "./stores.ts";

// The stores that routers have, for tests that are to run alike on each.

interface OpenOptions {
  now?: () => number;
}

/** Where data are. Whoever opens them again has the same, as another process would. */
export interface Place {
  open(options?: OpenOptions): Promise<RouterStore>;
  /** Closes what was opened, and lets go of the data. */
  remove(): Promise<void>;
}

export interface StoreKind {
  name: "memory" | "SQLite" | "PostgreSQL";
  /** Why this machine has none. */
  skip: string | undefined;
  newPlace(): Place;
}

/** A place that closes its stores, opened by `open`. */
function place(open: (options: OpenOptions) => Promise<RouterStore>, letGo: () => void): Place {
  const opened: RouterStore[] = [];
  return {
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

/** Schemas that nobody uses now: to make one takes a tenth of a second. */
const free: string[] = [];

/** In memory first: the others are compared with it. */
export const everyStore: readonly StoreKind[] = [
  {
    ...{ name: "memory", skip: undefined },
    newPlace() {
      let store: RouterStore | undefined;
      return place(
        async (options) => (store ??= new MemoryStore(options)),
        () => {},
      );
    },
  },
  {
    ...{ name: "SQLite", skip: undefined },
    newPlace() {
      const folder = mkdtempSync(join(tmpdir(), "toolglot-store-"));
      const file = join(folder, "router.db");
      return place(
        (options) => openSqlite({ file, synchronous: "normal", ...options }),
        // libsql closes a file when its statements are collected, which may be after the store was closed.
        () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
      );
    },
  },
  {
    ...{ name: "PostgreSQL", skip },
    newPlace() {
      let schema = free.pop();
      let isUsed = schema !== undefined;
      return place(
        async (options) => {
          schema ??= newSchema();
          if (isUsed) await emptied(schema);
          isUsed = false;
          return await openPostgres({ url, schema, pool: 4, ...options });
        },
        () => {
          if (schema !== undefined) free.push(schema);
        },
      );
    },
  },
];

/** The stores that several processes share. */
export const sharedStores: readonly StoreKind[] = everyStore.filter(({ name }) => name !== "memory");

/** A group of tests on each of the stores; one that this machine has not is skipped, and says why. */
export function onEach(kinds: readonly StoreKind[], tests: (kind: StoreKind) => void): void {
  for (const kind of kinds) {
    const why = kind.skip === undefined ? "" : ` (skipped: ${kind.skip})`;
    describe.skipIf(kind.skip)(`on ${kind.name}${why}`, () => tests(kind));
  }
}

/** A place that is there until the test is over. Call it inside a test. */
export function placeFor(kind: StoreKind): Place {
  const made = kind.newPlace();
  onTestFinished(() => made.remove());
  return made;
}

/**
 * Runs files of tests, whose rigs open `storeUnderTest`, once more on each of the stores that are on a disk: a file that is imported with
 * another query is another module.
 */
export function againOnDisk(folder: URL, files: readonly string[]): void {
  onEach(sharedStores, (kind) => {
    beforeAll(() => useStores((options) => placeFor(kind).open(options)));
    afterAll(() => useStores());
    for (const file of files) {
      const path = new URL(`${file}.test.ts`, folder).pathname;
      describe(file, async () => void (await import(/* @vite-ignore */ `${path}?on=${kind.name}`)));
    }
  });
}
