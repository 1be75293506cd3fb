import { readFileSync } from "node:fs";
import { someOf } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { everyStore, onEach } from "../../packages/postgres/test/every-store.ts";
import type { Skip } from "../src/suite.ts";
import { toolglotOn } from "../src/trp/implementations/toolglot.ts";
import { conversationFailures } from "../src/trp/run.ts";
import { readTrpVectors } from "../src/trp/vector.ts";

const files = readTrpVectors();
const skips = JSON.parse(readFileSync(new URL("../skips/trp.json", import.meta.url), "utf8")) as Skip[];
const reasons = new Map(skips.map(({ name, reason }) => [name, reason]));
const names = files.flatMap(({ vectors }) => vectors.map(({ name }) => name));

it("has a name for each vector, a vector for each skip, a reason for each skip", () => {
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(skips.filter(({ name, reason }) => !names.includes(name) || reason.trim() === "")).toEqual([]);
});

/** The router is the same on all stores, which have a suite of their own: some of the conversations are had on a disk. */
const onDisk = someOf(names, Math.ceil(names.length / 6));

onEach(everyStore, (kind) => {
  const implementation = toolglotOn(kind);
  const isInMemory = kind.name === "memory";
  describe(implementation.name, () => {
    for (const { topic, vectors } of files) {
      const here = vectors.filter(({ name, volatile }) => isInMemory || (!volatile && onDisk.includes(name)));
      describe.runIf(here.length > 0)(topic, () => {
        for (const vector of here) {
          const reason = reasons.get(vector.name);
          if (reason === undefined)
            it(vector.name, async () => {
              expect(await conversationFailures(implementation, vector)).toEqual([]);
            });
          else
            it(`${vector.name} (known to fail: ${reason})`, async () =>
              expect(
                await conversationFailures(implementation, vector),
                "it passes now: take the skip away",
              ).not.toEqual([]));
        }
      });
    }
  });
});
