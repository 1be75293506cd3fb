import { drawn, isLong, isThorough, leftToCi } from "@toolglot/internal/testing";
import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import { makePlace, memory, type StoreKind, sqlite, useStores } from "../../trp-core/test/store-kinds.ts";
import { openPostgres } from "../src/index.ts";
import { emptied, newSchema, skip, url } from "./stores.ts";

/** Schemas that nobody uses now: to make one takes a tenth of a second. */
const free: string[] = [];

const postgres: StoreKind = {
  ...{ name: "PostgreSQL", skip },
  newPlace() {
    const used = free.pop();
    const schema = used ?? newSchema();
    let emptying = used === undefined ? Promise.resolve() : undefined;
    return makePlace(
      { store: url, postgres: { schema } },
      async (options) => {
        emptying ??= emptied(schema);
        await emptying;
        return await openPostgres({ url, schema, pool: 4, ...options });
      },
      () => free.push(schema),
    );
  },
};

/** In memory first: the others are compared with it. */
export const everyStore: readonly StoreKind[] = [memory, sqlite, postgres];

/** The stores that several processes share. */
export const sharedStores: readonly StoreKind[] = [sqlite, postgres];

/** A group of tests on each of the stores; one that this machine has not is skipped, and says why. */
export function onEach(kinds: readonly StoreKind[], tests: (kind: StoreKind) => void): void {
  for (const kind of kinds) {
    const why = kind.skip === undefined ? "" : ` (skipped: ${kind.skip})`;
    describe.skipIf(kind.skip)(`on ${kind.name}${why}`, () => tests(kind));
  }
}

/**
 * Runs a folder's files of tests, whose rigs open `storeUnderTest` or `sharedPlace`, once more on each of the stores: a file that is
 * imported with another query is another module. What they test is no store's work, and each store has a suite of its own: a plain run
 * has one of `oneOf` of these tests on each, `.ci/run` all of a quarter of the files on PostgreSQL, `npm run test:long` all of them.
 */
export function again(kinds: readonly StoreKind[], folder: string, files: readonly string[], oneOf: number): void {
  let count = 0;
  const isCi = isThorough && !isLong;
  const chosen = isCi ? kinds.filter(({ name }) => name === "PostgreSQL") : kinds;
  const some = isCi ? drawn(files, Math.ceil(files.length / 4)) : files;
  onEach(chosen, (kind) => {
    beforeAll(() => useStores(kind));
    beforeEach((context) => leftToCi(context, count++ % oneOf === 0));
    afterAll(() => useStores(undefined));
    for (const file of some) {
      const path = `${folder}/${file}.test.ts`;
      describe(file, async () => void (await import(/* @vite-ignore */ `${path}?on=${kind.name}`)));
    }
  });
}
