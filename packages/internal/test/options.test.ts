import { describe, expect, it } from "vitest";
import { checkKeys } from "../src/index.ts";

interface Options {
  readonly maxTurns?: number;
  readonly timeoutMs?: number;
}
const check = (given: unknown): void => checkKeys("createThing", given as Options | undefined, "maxTurns timeoutMs");

describe("checkKeys", () => {
  it.each([undefined, {}, { maxTurns: 3 }, { maxTurns: undefined, timeoutMs: 1 }])("should accept %j", (given) => {
    expect(() => check(given)).not.toThrow();
  });

  it.each([
    [{ maxTurn: 3 }, 'createThing has no option "maxTurn". Did you mean "maxTurns"?'],
    [{ timeout: 3 }, 'createThing has no option "timeout". Did you mean "timeoutMs"?'],
    [{ max_turns: 3 }, 'createThing has no option "max_turns". Did you mean "maxTurns"?'],
    [{ colour: undefined }, 'createThing has no option "colour". It has: maxTurns, timeoutMs.'],
    [JSON.parse('{"__proto__": 1}'), 'createThing has no option "__proto__". It has: maxTurns, timeoutMs.'],
    [{ constructor: 1 }, 'createThing has no option "constructor". It has: maxTurns, timeoutMs.'],
    [null, "createThing takes an object of options, not null"],
    [[], "createThing takes an object of options, not a list"],
    [5, "createThing takes an object of options, not a number"],
  ])("should refuse %j and say what is meant", (given, message) => {
    expect(() => check(given)).toThrow(new TypeError(message));
  });

  it("should take the keys as words, in one text or several", () => {
    const given = { maxTurn: 3 } as Options;
    const message = 'createThing has no option "maxTurn". Did you mean "maxTurns"?';
    expect(() => checkKeys("createThing", { maxTurns: 3 } as Options, "maxTurns timeoutMs")).not.toThrow();
    expect(() => checkKeys("createThing", given, "maxTurns timeoutMs")).toThrow(new TypeError(message));
    expect(() => checkKeys("createThing", given, ["maxTurns", "timeoutMs"])).toThrow(new TypeError(message));
    // @ts-expect-error a key is missing
    checkKeys("createThing", {} as Options, "maxTurns");
    // @ts-expect-error there is no such key
    checkKeys("createThing", {} as Options, ["maxTurns timeoutMs", "turns"]);
  });
});
