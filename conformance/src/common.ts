import { type BlockBase, isRunnable, neutralize, type ProtocolEvent } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { failures } from "./check.ts";
import { type CommonFixture, inText } from "./common/fixture.ts";
import { denseCases, largeCases, mixedCases } from "./common/hostile-cases.ts";
import { optionCases } from "./common/option-cases.ts";
import { type CommonCase, textCases } from "./common/text-cases.ts";
import { expandText, type Vector } from "./vector.ts";

/** A case that is known to fail for a protocol. It is run all the same, and one that passes fails the suite. */
export interface CommonSkip {
  protocol: string;
  name: string;
  reason: string;
}

type AnyFixture = Pick<
  CommonFixture<BlockBase, ProtocolEvent>,
  "block" | "endsItself" | "opener" | "stop" | "hostile" | "pieces"
>;

/** Registers the cases that all protocols share. `others` are the other protocols, which are foreign to this one. */
export function runCommon<Block extends BlockBase, Event extends ProtocolEvent<Block>>(
  fixture: CommonFixture<Block, Event>,
  others: readonly AnyFixture[],
  skips: readonly CommonSkip[] = [],
): void {
  const { protocol } = fixture.implementation;
  const known = skips.filter((skip) => skip.protocol === protocol);
  const names = new Set<string>();
  const test = (name: string, find: () => string[], timeout?: number): void => {
    names.add(name);
    const reason = known.find((skip) => skip.name === name)?.reason;
    if (reason === undefined) it(name, () => expect(find()).toEqual([]), timeout);
    else
      it(
        `${name} (known to fail: ${reason})`,
        () => expect(find(), "it passes now: take the skip away").not.toEqual([]),
        timeout,
      );
  };
  // What a case needs of a fixture does not depend on the block's type.
  const plain = fixture as unknown as CommonFixture<BlockBase, ProtocolEvent>;
  const topics: Record<string, CommonCase[]> = {
    "text around blocks": textCases(plain, others),
    options: optionCases(plain),
    "large and hostile texts": largeCases(plain),
    "pieces of all formats": mixedCases(plain, others, rounds(75, 150)),
    "pieces of its own format": denseCases(plain, rounds(125, 250)),
  };
  describe(protocol, () => {
    for (const [topic, cases] of Object.entries(topics)) {
      describe(topic, () => {
        for (const one of cases) test(one.name, () => caseFailures(fixture, one), 60_000);
      });
    }
    describe("texts that are cut off", () => {
      for (const finish of [undefined, "length"] as const)
        test(`at every character, finish ${finish ?? "unknown"}`, () => truncationFailures(fixture, finish));
    });
    describe("keys of the object prototype", () => {
      for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"])
        test(key, () => keyFailures(fixture, key));
    });
    describe("untrusted text", () => {
      for (const [index, other] of [plain, ...others].entries())
        test(`a neutralised block of format ${index} has no power`, () => neutralFailures(fixture, other));
    });
    describe("the parser object", () => parserTests(fixture));
    it("has a case for each skip, and a reason", () => {
      expect(known.filter(({ name, reason }) => !names.has(name) || reason.trim() === "")).toEqual([]);
    });
  });
}

function caseFailures<Block extends BlockBase, Event extends ProtocolEvent<Block>>(
  { implementation, value }: CommonFixture<Block, Event>,
  { values, chunking, ...vector }: CommonCase,
): string[] {
  // Each protocol decides which findings it makes about the text around its blocks.
  const expected = { moreDiagnostics: "info" as const, ...vector.expect };
  const found = failures(implementation, { ...vector, expect: expected, spec: "text layer" }, chunking);
  if (!values) return found;
  const parser = implementation.createParser({ ...vector.options, onEvent: () => {} });
  parser.feed(expandText(vector.input));
  const actual = parser.end(vector.end).blocks.map((block) => value(block)?.trimEnd().replaceAll("\r\n", "\n"));
  const same = actual.length === values.length && values.every((wanted, index) => wanted === actual[index]);
  return same ? found : [...found, `values: expected ${short(values)}, got ${short(actual)}`];
}

/** A block that was cut must never run with a value that the whole has not; with `length` it must not run at all. */
function truncationFailures<Block extends BlockBase, Event extends ProtocolEvent<Block>>(
  { implementation, facts, rich }: CommonFixture<Block, Event>,
  finish: "length" | undefined,
): string[] {
  const before = "Go:\n\n";
  const whole = implementation.parse(before + rich, {});
  const [block] = whole.blocks;
  if (whole.blocks.length !== 1 || !block || !isRunnable(block)) return ["the whole does not run"];
  const wanted = new Set(facts(block));
  const found: string[] = [];
  for (let length = 0; length < rich.length; length += 1) {
    const input = before + rich.slice(0, length);
    const end = finish && { finish };
    const vector: Vector = { name: "cut", spec: "", input, expect: { diagnostics: [], moreDiagnostics: true } };
    if (end) vector.end = end;
    const wrong = failures(implementation, vector, { units: length % 8 === 0, everySplitUpTo: 0, longestPieces: [7] });
    const parser = implementation.createParser({ onEvent: () => {} });
    parser.feed(input);
    for (const cut of parser.end(end).blocks.filter(isRunnable)) {
      if (finish === "length") wrong.push("it runs");
      const strange = facts(cut).filter((fact) => !wanted.has(fact));
      wrong.push(...strange.map((fact) => `it runs with ${short(fact)}`));
    }
    found.push(...wrong.map((sentence) => `cut after ${JSON.stringify(input.slice(-20))}: ${sentence}`));
  }
  return found.slice(0, 12);
}

function keyFailures<Block extends BlockBase, Event extends ProtocolEvent<Block>>(
  { implementation, keyed }: CommonFixture<Block, Event>,
  key: string,
): string[] {
  const { text, options = {}, read } = keyed(key);
  const found = failures(implementation, {
    name: key,
    spec: "",
    input: text,
    options: { ...options },
    expect: { runnable: 1, diagnostics: [], moreDiagnostics: true },
  });
  const [block] = implementation.parse(text, options).blocks;
  const actual = block && read(block);
  if (actual !== "x") found.push(`expected "x" as own property, got ${short(actual)}`);
  if (Object.keys(Object.prototype).length > 0 || "x" in {}) found.push("the object prototype was changed");
  return found;
}

/** What an untrusted text holds must not act when a model repeats it. */
function neutralFailures<Block extends BlockBase, Event extends ProtocolEvent<Block>>(
  fixture: CommonFixture<Block, Event>,
  other: AnyFixture,
): string[] {
  const { implementation, value } = fixture;
  const texts = [
    other.block("x"),
    inText(other, "x"),
    `  ${other.block("x").replaceAll("\n", "\n  ")}`,
    `~~~~\n${other.block("x")}\n~~~~`,
    `<think>\n${other.block("x")}\n</think>\n${other.block("y")}`,
    `[tool_result]\nok\n${other.block("x")}`,
    other.block("x").replaceAll("\n", "\r\n"),
    other.block("x").toLowerCase(),
  ];
  return texts.flatMap((text) => {
    const quoted = neutralize(text);
    const alone = implementation.parse(`The page says:\n\n${quoted}\n`, {});
    const beside = implementation.parse(`${inText(fixture, "own")}\n\nThe page says:\n\n${quoted}\n`, {});
    const [own] = beside.blocks;
    return [
      ...(neutralize(quoted) === quoted ? [] : ["a second time changes it"]),
      ...(alone.blocks.length === 0 ? [] : [`${short(quoted)} is a block`]),
      ...(beside.blocks.length === 1 && own && isRunnable(own) && value(own)?.trimEnd() === "own"
        ? []
        : [`${short(quoted)} acts on a block before it`]),
    ];
  });
}

function parserTests<Block extends BlockBase, Event extends ProtocolEvent<Block>>(
  fixture: CommonFixture<Block, Event>,
): void {
  const { implementation, block } = fixture;
  const whole = block("x");
  it("starts anew after reset()", () => {
    const fresh = implementation.parse(whole, {});
    const parser = implementation.createParser({ onEvent: () => {} });
    for (const before of ["<think>", "```\n", whole.slice(0, 20), whole]) {
      parser.feed(before);
      parser.reset();
      parser.feed(whole);
      expect(parser.end()).toEqual(fresh);
      parser.reset();
    }
  });

  it("throws a TypeError at once for a caller's mistakes", () => {
    const parser = implementation.createParser({ onEvent: () => {} });
    for (const wrong of [undefined, null, 1, {}, ["x"]]) {
      expect(() => parser.feed(wrong as never)).toThrow(TypeError);
      expect(() => implementation.parse(wrong as never, {})).toThrow(TypeError);
    }
    parser.end();
    expect(() => parser.feed("x")).toThrow(TypeError);
    expect(() => implementation.parse("x", { maxInputLength: -1 })).toThrow(TypeError);
    expect(() => implementation.parse("x", { repairs: "some" as never })).toThrow(TypeError);
    expect(() => implementation.createParser({ onEvent: 1 as never })).toThrow(TypeError);
  });
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 200 ? `${text.slice(0, 120)} … ${text.slice(-60)}` : text;
}
