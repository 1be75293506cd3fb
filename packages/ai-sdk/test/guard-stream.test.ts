import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guardStream } from "../src/guard/guard-stream.ts";
import { readLeniently } from "../src/repair/lenient-json.ts";
import type { Part } from "../src/spec.ts";

async function through(parts: readonly Part[], judge = (part: Part): Part => part): Promise<Part[]> {
  const source = new ReadableStream<Part>({
    start(to) {
      for (const part of parts) to.enqueue(part);
      to.close();
    },
  });
  const out: Part[] = [];
  const reader = guardStream(source, judge).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) out.push(next.value);
  return out;
}

/** Deltas of one call behind one another as one. */
function joined(parts: readonly Part[]): Part[] {
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.type === "tool-input-delta" && last?.type === part.type && last.id === part.id)
      out[out.length - 1] = { ...last, delta: `${last.delta}${part.delta}` };
    else out.push(part);
  }
  return out;
}

const marks = JSON.parse(
  readFileSync(new URL("../../../conformance/check-call/marks.json", import.meta.url), "utf8"),
) as { closers: string[] }[];
const closers = [...new Set([...marks.flatMap((row) => row.closers), "\n</parameter>\n</invoke>"])];

describe("guardStream", () => {
  const delta = fc.tuple(
    fc.constantFrom("a", "b"),
    fc.oneof(fc.string(), fc.constantFrom("<", "</", "</parameter>", "]<]", "\\u003c", "\\u0", "\\", "x".repeat(80))),
  );
  const part = fc.oneof(
    delta.map(([id, text]): Part => ({ type: "tool-input-delta", id, delta: text })),
    fc.constantFrom<Part>(
      { type: "tool-input-end", id: "a" },
      { type: "tool-input-end", id: "b" },
      { type: "text-delta", id: "t", delta: "text" },
      { type: "tool-call", toolCallId: "a", input: "{}" },
      { type: "raw", rawValue: 1 },
    ),
  );

  it("changes nothing of what is healthy: parts and their order stay, and all of the deltas", () =>
    fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 30 }), async (parts) => {
        expect(joined((await through(parts)).filter(({ delta }) => delta !== ""))).toEqual(
          joined(parts.filter(({ delta }) => delta !== "")),
        );
      }),
    ));

  it.each(closers.map((closer) => JSON.stringify({ content: `hello${closer}` })))(
    "shows no delta of a mark whose call is refused, at whatever border the pieces are cut: %s",
    async (input) => {
      const shown = input.slice(0, input.search(/[<\]]/));
      for (let border = 0; border <= input.length; border++) {
        const parts: Part[] = [
          ...[input.slice(0, border), input.slice(border)].map((delta) => ({
            type: "tool-input-delta",
            id: "1",
            delta,
          })),
          { type: "tool-input-end", id: "1" },
          { type: "tool-call", toolCallId: "1", input },
        ];
        const refuse = (one: Part): Part => (one.type === "tool-call" ? { ...one, input: "refused" } : one);
        const out = await through(parts, refuse);
        const deltas = out.filter(({ type }) => type === "tool-input-delta").map(({ delta }) => delta);
        expect(deltas.join(""), `cut at ${border}`).toBe(shown);
        expect(out.slice(-2).map(({ type, input }) => [type, input])).toEqual([
          ["tool-input-end", undefined],
          ["tool-call", "refused"],
        ]);
      }
    },
  );

  it("holds no more than the end of the arguments, and passes on what is none of a mark at once", async () => {
    const given = { type: "tool-input-delta", id: "1", delta: "no mark" };
    const { writable, readable } = new TransformStream<Part, Part>();
    const writer = writable.getWriter();
    const reader = guardStream(readable, (one) => one).getReader();
    const write = (delta: string): void => void writer.write({ ...given, delta });
    void writer.write(given);
    expect((await reader.read()).value).toBe(given);
    write(`<b>${"x".repeat(100)}`);
    expect((await reader.read()).value).toMatchObject({ delta: `<b>${"x".repeat(100)}` });
    write(`a < ${"y".repeat(60)}`);
    expect((await reader.read()).value).toMatchObject({ delta: "a " });
    write("zzz");
    expect((await reader.read()).value, "64 units behind, it was no mark").toMatchObject({
      delta: `< ${"y".repeat(60)}zzz`,
    });
    await writer.close();
  });

  it("reads no further than somebody asks, and passes a cancellation and a failure on", async () => {
    let pulled = 0;
    let cancelled: unknown;
    const source = (): ReadableStream<Part> =>
      new ReadableStream<Part>(
        {
          pull: (to) => (pulled++ < 2 ? to.enqueue({ type: "raw", rawValue: pulled }) : to.error(new Error("broken"))),
          cancel: (reason) => {
            cancelled = reason;
          },
        },
        { highWaterMark: 0 },
      );
    const reader = guardStream(source(), (part) => part).getReader();
    await reader.read();
    // All that is under way comes to rest.
    await new Promise((rest) => setTimeout(rest));
    expect(pulled).toBe(1);
    await reader.cancel("enough");
    expect(cancelled).toBe("enough");
    pulled = 0;
    await expect(async () => {
      for await (const _ of guardStream(source(), (part) => part)) expect(pulled).toBeLessThan(3);
    }).rejects.toThrow("broken");
    pulled = 0;
    const wrong = (): Part => {
      throw new Error("judge");
    };
    await expect(guardStream(source(), wrong).getReader().read()).rejects.toThrow("judge");
    expect(cancelled).toEqual(new Error("judge"));
  });
});

describe("readLeniently", () => {
  it("reads whatever is JSON as JSON is read", () =>
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(readLeniently(text)).toEqual({ value: JSON.parse(text) as unknown, text, repairs: [] });
      }),
    ));

  it("repairs what changes no value", () => {
    const read = (text: string): unknown => {
      const { value, repairs, fault } = readLeniently(text) as { value?: unknown; repairs?: string[]; fault?: string };
      return fault ?? [value, repairs];
    };
    expect(read('{"a": [1, 2,], "b": True,}')).toEqual([{ a: [1, 2], b: true }, ["trailing comma", "Python word"]]);
    expect(read('{"a": "True, ]", "b": None}')).toEqual([{ a: "True, ]", b: null }, ["Python word"]]);
    expect(read('```\n{"a": "x\ny\u0001"}\n```')).toEqual([{ a: "x\ny\u0001" }, ["code fence", "control character"]]);
    for (const text of [
      '{"a": "rm -rf /',
      '{"a": 1',
      '{"a": [1,',
      "[1, 2",
      "{'a': 1}",
      "{a: 1}",
      '{"a": "b"c"}',
      "NaN",
      "```json\n{}",
    ])
      expect(typeof read(text), text).toBe("string");
  });
});
