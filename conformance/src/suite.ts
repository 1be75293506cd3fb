import type { BlockBase, ProtocolEvent } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { failures, type Implementation } from "./check.ts";
import { readVectors } from "./vector.ts";

/** A vector that is known to fail. It is run all the same, and a skip whose vector passes fails the suite. */
export interface Skip {
  name: string;
  reason: string;
}

/** Registers a test for every vector of a protocol. */
export function runVectors<Block extends BlockBase, Event extends ProtocolEvent<Block>>(
  implementation: Implementation<Block, Event>,
  skips: Skip[] = [],
): void {
  const files = readVectors(implementation.protocol);
  const reasons = new Map(skips.map(({ name, reason }) => [name, reason]));
  const names = files.flatMap(({ vectors }) => vectors.map(({ name }) => name));

  it("has a name for each vector, a vector for each skip, a reason for each skip", () => {
    expect(new Set(names).size).toBe(names.length);
    expect(skips.filter(({ name, reason }) => !names.includes(name) || reason.trim() === "")).toEqual([]);
  });

  for (const { topic, vectors } of files) {
    describe(topic, () => {
      for (const vector of vectors) {
        const reason = reasons.get(vector.name);
        if (reason === undefined) it(vector.name, () => expect(failures(implementation, vector)).toEqual([]));
        else
          it(`${vector.name} (known to fail: ${reason})`, () =>
            expect(failures(implementation, vector), "it passes now: take the skip away").not.toEqual([]));
      }
    });
  }
}
