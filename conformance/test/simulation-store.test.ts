import { storeSuite } from "@toolglot/trp-core/store-suite";
import { it } from "vitest";
import { Database } from "../src/simulation/database.ts";
import { directLink } from "../src/simulation/link.ts";
import { openStore } from "../src/simulation/store.ts";

// The store of the simulation is a store: with nothing between it and its tables, it does what every store must.

const pace = { now: () => performance.now(), sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)) };

for (const { name, run } of storeSuite) {
  it(name, () =>
    run(async ({ now }) => {
      const database = new Database({ now });
      const store = openStore({ database, link: directLink(database), pace, now, admissionWaitMs: 5 });
      // Nobody else has the database open.
      const close = async (): Promise<void> => {
        await store.close();
        await database.store.close();
      };
      return { ...store, close };
    }),
  );
}
