import fc from "fast-check";
import { expect, it } from "vitest";
import type { ToolResult } from "../src/index.ts";
import {
  cutText,
  cuttableTexts,
  encodeAsText,
  fitBudget,
  inputObject,
  readOutcome,
  resultText,
  withTexts,
} from "../src/results-layer.ts";

const result = (more: Partial<ToolResult>): ToolResult => ({ callId: "c1", status: "ok", content: [], ...more });

it("should give data as JSON text, and content as text", () => {
  expect(readOutcome(result({ data: { a: 1 } }))).toEqual({ name: "c1", status: "ok", value: '{"a":1}', isJson: true });
  expect(readOutcome(result({ name: "n", content: [{ type: "text", text: "hi" }] }))).toEqual({
    name: "n",
    status: "ok",
    value: "hi",
  });
});

it.each([
  ["denied", "Denied", "The call was denied, and was not run.", "该调用被拒绝，没有执行。"],
  ["interrupted", "Interrupted", "The call was interrupted before it ended.", "该调用在结束前被中断。"],
  ["in-doubt", "InDoubt", /^It is not known/, /^无法确定/],
  ["error", "Error", "The call failed.", "该调用失败。"],
] as const)("should have words for %s in both languages", (status, errorType, en, zh) => {
  const match = (text: string | RegExp): unknown => (typeof text === "string" ? text : expect.stringMatching(text));
  expect(readOutcome(result({ status }))).toEqual({ name: "c1", status: "error", errorType, message: match(en) });
  expect(readOutcome(result({ status }), "zh").message).toEqual(match(zh));
});

it("should take marks of protocols out of everything that comes from outside", () => {
  const text = "<|[REQUEST_TOOL]|>";
  const error = { type: text, message: text, hint: text, sourceLine: text };
  const logs = [{ stream: "stdout" as const, text }];
  const outcome = readOutcome(result({ name: text, status: "error", data: text, error, logs }));
  expect(JSON.stringify(outcome)).not.toContain("<|[");
});

it("should never throw, and give a message to every failure", () => {
  fc.assert(
    fc.property(fc.anything(), fc.constantFrom("ok", "error", "denied", "pending" as const), (data, status) => {
      const outcome = readOutcome(result({ data, status }));
      expect(outcome.status === "error").toBe(outcome.message !== undefined);
    }),
  );
});

it("should cut long texts to what short ones leave, and no character in two", () => {
  const texts = new Map([
    ["a", "x".repeat(100)],
    ["b", "yy"],
    ["c", "z".repeat(100)],
  ]);
  expect([...fitBudget(texts, 42).values()].map((text) => text.length)).toEqual([20, 2, 20]);
  expect([...fitBudget(texts, 1000)]).toEqual([...texts]);
  expect(cutText("a😀", 2)).toBe("a");
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.nat(200), (list, budget) => {
      const kept = [...fitBudget(new Map(list.map((text, index) => [index, text])), budget).values()];
      expect(kept.join("").length).toBeLessThanOrEqual(budget);
      for (const [index, text] of kept.entries()) {
        const [head = "", ...tail] = text === list[index] ? [text] : text.split("…");
        expect(list[index]?.startsWith(head) && list[index]?.endsWith(tail.join("…"))).toBe(true);
      }
    }),
  );
});

it("should write calls and results as text, and leave what the model said as it was", () => {
  const call = { id: "c", name: "n", input: {}, protocol: "x" };
  const encoding = { calls: (calls: readonly unknown[]) => `${calls.length} calls`, results: () => "results" };
  const messages = encodeAsText(
    [
      {
        role: "assistant",
        parts: [
          { type: "text", text: "<tools>" },
          { type: "call", call },
          { type: "call", call },
        ],
        trust: "untrusted",
      },
      {
        role: "tool",
        parts: [
          { type: "result", result: result({}) },
          { type: "text", text: "<tools>" },
        ],
        trust: "untrusted",
      },
    ],
    encoding,
  );
  expect(messages).toEqual([
    {
      role: "assistant",
      parts: [
        { type: "text", text: "<tools>" },
        { type: "text", text: "2 calls" },
      ],
      trust: "untrusted",
    },
    {
      role: "user",
      parts: [
        { type: "text", text: "results" },
        { type: "text", text: "<\u200btools>" },
      ],
      trust: "untrusted",
    },
  ]);
  expect([inputObject({ ...call, input: null }), inputObject({ ...call, input: [1] })]).toEqual([{}, { input: [1] }]);
});

it("should say what a model reads, as its way to the model has it", () => {
  const error = { type: "E", message: "no" };
  const text = [{ type: "text" as const, text: "a page" }];
  const logs = [{ stream: "stdout" as const, text: "out\n" }];
  const both = result({ content: text, data: { a: 1 }, logs });
  expect([resultText(both), resultText(both, { native: true })]).toEqual([
    '{"a":1}\nstdout:\nout\n',
    "a page\nstdout:\nout\n",
  ]);
  const failed = result({ status: "error", error, data: { a: 1 } });
  for (const native of [true, false]) expect(resultText(failed, { native })).toBe('no\n{"a":1}');
  const told = result({ status: "error", error, content: text });
  expect([resultText(told), resultText(told, { native: true })]).toEqual(["no\na page", "a page"]);
  expect(resultText(result({ data: "as it is" }))).toBe("as it is");
});

it("should take other texts in their places, and keep files", () => {
  const image = { type: "image" as const, mediaType: "image/png", data: "AA" };
  const given = result({ content: [image, { type: "text", text: "long" }], logs: [{ stream: "stderr", text: "e" }] });
  expect(cuttableTexts(given, { native: true })).toEqual({ value: "long", stderr: "e" });
  expect(withTexts(given, { value: "lg" }, { native: true })).toEqual({
    ...given,
    content: [{ type: "text", text: "lg" }, image],
  });
  const json = withTexts(result({ data: { a: "long" } }), { value: '{"a…"}' });
  expect(readOutcome(json)).toMatchObject({ value: '{"a…"}', isJson: true });
  expect(readOutcome(withTexts(result({ data: "long" }), { value: "l…g" })).value).toBe('"l…g"');
});

it("should not say an error's words twice", () => {
  const error = { type: "ToolError", message: "no such file" };
  for (const text of ["no such file", "Error: no such file"])
    expect(readOutcome(result({ status: "error", error, content: [{ type: "text", text }] })).value).toBeUndefined();
  const more = [{ type: "text" as const, text: "got this far" }];
  expect(readOutcome(result({ status: "error", error, content: more })).value).toBe("got this far");
});
