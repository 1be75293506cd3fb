import { rounds } from "@toolglot/internal/testing";
import { describe, it } from "vitest";
import { answersAsMemory } from "../../trp-core/test/store-model.ts";
import { emptyStore, skip, why } from "./stores.ts";

describe.skipIf(skip)(`a store on PostgreSQL${why}`, () => {
  it.each([true, false])(
    "should answer every sequence of commands as a MemoryStore does (fast: %s)",
    (isFast) => answersAsMemory((now) => emptyStore({ now }, isFast), rounds(4, 60), { mayHaveGaps: true }),
    240_000,
  );
});
