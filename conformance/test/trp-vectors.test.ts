import { readFileSync } from "node:fs";
import { drawn, leftToCi } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import type { Skip } from "../src/suite.ts";
import { toolglot } from "../src/trp/implementations/toolglot.ts";
import { toolglotOnSqlite } from "../src/trp/implementations/toolglot-sqlite.ts";
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

/** The router is the same on both stores, which have a suite of their own: a plain run has some of the conversations on SQLite. */
const onSqlite = drawn(names, Math.ceil(names.length / 3));

for (const implementation of [toolglot, toolglotOnSqlite])
  describe(implementation.name, () => {
    for (const { topic, vectors } of files)
      describe(topic, () => {
        for (const vector of vectors) {
          if (vector.volatile && implementation !== toolglot) continue;
          const reason = reasons.get(vector.name);
          if (reason === undefined)
            it(vector.name, async (context) => {
              leftToCi(context, implementation === toolglot || onSqlite.includes(vector.name));
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
  });
