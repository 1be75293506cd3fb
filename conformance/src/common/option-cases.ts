import type { BlockBase, ProtocolEvent } from "@toolglot/core";
import { type CommonFixture, inText } from "./fixture.ts";
import type { CommonCase } from "./text-cases.ts";

type Fixture = Pick<CommonFixture<BlockBase, ProtocolEvent>, "implementation" | "block" | "endsItself" | "stop">;

const value = "print('one')\nprint('two')";

/** Switches that all parsers have: strict, repairs, maxInputLength, and how the message ended. */
export function optionCases(fixture: Fixture): CommonCase[] {
  const { implementation, block, stop } = fixture;
  const whole = block(value);
  const runs = { blocks: [{ status: "complete" as const }], runnable: 1, diagnostics: [] };
  const around = `<think>Hm.</think>\nGo:\n\n\`\`\`\n${whole}\n\`\`\`\n\nDone.`;
  const switches = [{ strict: true }, { repairs: "none" }, { repairs: "all" }, { repairs: {} }] as const;
  const tooLong = { code: `${implementation.protocol}/input-too-long`, severity: "error" as const };
  return [
    ...switches.flatMap((options) => [
      {
        name: `a canonical block with ${JSON.stringify(options)}`,
        input: whole,
        options,
        values: [value],
        expect: runs,
      },
      {
        name: `prose, fence and reasoning with ${JSON.stringify(options)}`,
        input: around,
        options,
        values: [value],
        expect: {
          ...runs,
          segments: [{ type: "reasoning" as const }, ...(["text", "block", "text"] as const).map((type) => ({ type }))],
        },
      },
    ]),
    {
      name: "as long as maxInputLength",
      input: whole,
      options: { maxInputLength: whole.length },
      values: [value],
      expect: runs,
    },
    ...[whole.length - 1, whole.length - 9, 30, 1, 0].map((maxInputLength) => ({
      name: `longer than maxInputLength ${maxInputLength}`,
      input: whole,
      options: { maxInputLength },
      expect: { runnable: 0, diagnostics: [tooLong], moreDiagnostics: true as const },
    })),
    {
      name: "prose after a block, longer than maxInputLength",
      input: `${inText(fixture, value)}\n\n${"x".repeat(200)}`,
      options: { maxInputLength: inText(fixture, value).length + 100 },
      expect: { blockCount: 1, runnable: 0, diagnostics: [tooLong] },
    },
    ...(stop === undefined ? [] : strippedStop(whole, stop)),
    ...(["stop", "length", "calls", "filter", "error"] as const).map((finish) => ({
      name: `a block that ended before the message did, finish ${finish}`,
      input: `${inText(fixture, value)}\n\nThat was all.`,
      end: { finish },
      values: [value],
      expect: runs,
    })),
  ];
}

function strippedStop(whole: string, stop: string): CommonCase[] {
  const expect = { blocks: [{ status: "complete" as const }], runnable: 1, diagnostics: [] };
  const end = { finish: "stop" as const, stopSequence: stop };
  const stripped = whole.slice(0, whole.lastIndexOf(stop));
  return [
    { name: "a stripped stop sequence", input: stripped, end, values: [value], expect },
    { name: "a stripped stop sequence, line break too", input: stripped.trimEnd(), end, values: [value], expect },
    {
      name: "a stop sequence of something else",
      input: stripped,
      end: { finish: "length", stopSequence: "###" },
      expect: { runnable: 0, diagnostics: [], moreDiagnostics: true },
    },
  ];
}
