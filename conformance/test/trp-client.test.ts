import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Skip } from "../src/suite.ts";
import { clientFailures } from "../src/trp/client-under-test.ts";
import { readTrpWire } from "../src/trp/vector.ts";

// Transcripts as `@toolglot/trp-client` lives them, against a server that plays the Python router.
const files = readTrpWire().map((file) => ({ ...file, vectors: file.vectors.filter(({ client }) => client) }));
const skips = JSON.parse(readFileSync(new URL("../skips/trp-client.json", import.meta.url), "utf8")) as Skip[];
const reasons = new Map(skips.map(({ name, reason }) => [name, reason]));
const names = files.flatMap(({ vectors }) => vectors.map(({ name }) => name));

it("has a vector and a reason for each skip", () => {
  expect(skips.filter(({ name, reason }) => !names.includes(name) || reason.trim() === "")).toEqual([]);
});

for (const { topic, vectors } of files) {
  if (vectors.length === 0) continue;
  describe(topic, () => {
    for (const vector of vectors) {
      const reason = reasons.get(vector.name);
      if (reason === undefined) it(vector.name, async () => expect(await clientFailures(vector)).toEqual([]));
      else
        it(`${vector.name} (known to fail: ${reason})`, async () =>
          expect(await clientFailures(vector), "it passes now: take the skip away").not.toEqual([]));
    }
  });
}
