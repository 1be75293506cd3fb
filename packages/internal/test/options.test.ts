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

  it("should take a wrong kind for what it is, and say what is wanted", () => {
    interface Kinds {
      text?: string;
      mode?: "skip" | "search";
      most?: number;
      store?: { read(): void; write(): void };
      signal?: AbortSignal;
      each?: (() => void) | readonly (() => void)[];
    }
    const words =
      'text:text mode:"skip"|"search" most:size|Infinity store:{read,write} signal:signal each:function|list';
    const check = (given: object) => () =>
      checkKeys("run", given as Kinds, words, [], { store: "fileStore() makes one." });
    const store = { read() {}, write() {} };
    for (const right of [
      { text: "a", mode: "skip", most: 1, store, signal: new AbortController().signal, each: [] },
      { text: undefined, mode: undefined, most: Number.POSITIVE_INFINITY, each: () => {} },
    ])
      expect(check(right)).not.toThrow();
    for (const [wrong, message] of [
      [{ text: "" }, 'run: text must be text that is not empty, not "".'],
      [{ text: 5n }, "run: text must be text that is not empty, not 5n."],
      [{ text: Symbol("x") }, "run: text must be text that is not empty, not a symbol."],
      [{ mode: "Skip" }, 'run: mode must be "skip" or "search", not "Skip".'],
      [{ mode: null }, 'run: mode must be "skip" or "search", not null.'],
      [{ most: "5" }, 'run: most must be a whole number from 1 or Infinity, not "5".'],
      [{ most: 0.5 }, "run: most must be a whole number from 1 or Infinity, not 0.5."],
      [{ most: Number.NaN }, "run: most must be a whole number from 1 or Infinity, not NaN."],
      [
        { store: { read() {} } },
        "run: store must be an object with read() and write(), not an object. fileStore() makes one.",
      ],
      [{ store: "x" }, 'run: store must be an object with read() and write(), not "x". fileStore() makes one.'],
      [
        { signal: new AbortController() },
        "run: signal must be an AbortSignal, not an AbortController. Pass controller.signal.",
      ],
      [{ signal: new Map() }, "run: signal must be an AbortSignal, not a Map."],
      [{ each: { 0: () => {} } }, "run: each must be a function or an array, not an object."],
    ] as const)
      expect(check(wrong)).toThrow(new TypeError(message));
    // @ts-expect-error the kind is narrower than the type
    checkKeys("run", {} as Pick<Kinds, "each">, "each:function");
    // @ts-expect-error there is no such kind
    checkKeys("run", {} as Pick<Kinds, "text">, "text:strin");
    // @ts-expect-error a choice is missing
    checkKeys("run", {} as Pick<Kinds, "mode">, 'mode:"skip"');
  });

  it("should know another library's word", () => {
    const cures = { maxSteps: "It is maxTurns here." };
    const check = (given: object) => () =>
      checkKeys("run", given as Options, "maxTurns:size timeoutMs:number", ["maxTurns"], cures);
    expect(check({ x: 1, maxSteps: 3 })).toThrow(new TypeError('run has no option "maxSteps". It is maxTurns here.'));
  });
});

describe("a list of one kind, and what is required", () => {
  const check = (given: object) =>
    checkKeys<Record<string, unknown>, string>(
      "f",
      given as Record<string, unknown>,
      "a:string[] b:{run}[]|text c:size",
      ["a"],
    );

  it("names the element that is wrong, what it must be, and what it is", () => {
    check({ a: [], b: "x" });
    check({ a: ["", "x"], b: [{ run() {} }], c: undefined });
    expect(() => check({ a: ["x", 5] })).toThrow(new TypeError("f: a[1] must be text, not 5."));
    expect(() => check({ a: "x" })).toThrow(new TypeError('f: a must be an array, not "x".'));
    expect(() => check({ a: [], b: [{}] })).toThrow(
      new TypeError("f: b[0] must be an object with run(), not an object."),
    );
    expect(() => check({ a: [undefined] })).toThrow(new TypeError("f: a[0] must be text, not undefined."));
  });

  it("refuses a required option that is given as undefined, by its name", () => {
    expect(() => check({ a: undefined })).toThrow(new TypeError("f: a must be an array, not undefined."));
    expect(() => check({ a: [], b: undefined })).not.toThrow();
  });
});
