import { expect, test } from "vitest";
import { judge, stricter, withSettings } from "../../src/import/risk.ts";
import { checkToolSettings, makeSettings } from "../../src/import/tool-settings.ts";
import type { ToolSettings } from "../../src/index.ts";

const worst = { io: "WRITE", risk: "HIGH", effect: "opaque" };
const read = { io: "READ", risk: "LOW", effect: "pure" };

test.each([
  [{ readOnlyHint: true }, read],
  [{ readOnlyHint: true, destructiveHint: true, idempotentHint: false }, read],
  [
    { destructiveHint: false, idempotentHint: true },
    { io: "WRITE", risk: "MEDIUM", effect: "idempotent" },
  ],
  [{ destructiveHint: false }, { io: "WRITE", risk: "MEDIUM", effect: "opaque" }],
  [{ idempotentHint: true }, { io: "WRITE", risk: "HIGH", effect: "idempotent" }],
  [
    { idempotentHint: true, destructiveHint: true },
    { io: "WRITE", risk: "HIGH", effect: "idempotent" },
  ],
  [{}, worst],
  [undefined, worst],
  [{ readOnlyHint: "true", destructiveHint: 0 }, worst],
  [[{ readOnlyHint: true }], worst],
])("annotations %j", (annotations, expected) => {
  expect(judge(annotations, true)).toEqual(expected);
  expect(judge(annotations, false)).toEqual(worst);
});

test.each<[ToolSettings, object]>([
  [{}, worst],
  [{ risk: "CRITICAL" }, { ...worst, risk: "CRITICAL" }],
  [{ io: "READ" }, read],
  [
    { io: "READ", risk: "MEDIUM" },
    { ...read, risk: "MEDIUM" },
  ],
  [{ effect: "idempotent" }, { ...worst, effect: "idempotent" }],
  [{ downstreamKeyIn: "/key" }, { ...worst, effect: "keyed" }],
  [{ probe: { tool: "t", arguments: {}, found: "/id" } }, { ...worst, effect: "probe" }],
])("the owner's word on a destructive tool: %j", (settings, expected) => {
  expect(withSettings(judge({}, true), settings)).toEqual(expected);
});

test.each<[ToolSettings, object]>([
  [{}, read],
  [{ io: "WRITE" }, worst],
  // What can't be repeated is no read of low risk.
  [{ effect: "opaque" }, { io: "WRITE", risk: "MEDIUM", effect: "opaque" }],
  [{ risk: "HIGH" }, { ...read, risk: "HIGH" }],
])("the owner's word on a tool that says it only reads: %j", (settings, expected) => {
  expect(withSettings(judge({ readOnlyHint: true }, true), settings)).toEqual(expected);
});

test("of two judgements, the stricter parts", () => {
  const one = { io: "READ", risk: "HIGH", effect: "pure" } as const;
  expect(stricter(one, judge({ destructiveHint: false }, true))).toEqual(worst);
  expect(stricter(judge({}, true), one)).toEqual(worst);
});

test("of the patterns that fit, later ones count more, and the whole name most", () => {
  const settings = makeSettings({
    refund: { timeoutMs: 1 },
    "*": { risk: "CRITICAL", timeoutMs: 2, hidden: true },
    "re*": { risk: "HIGH", timeoutMs: 3 },
  });
  expect(settings("refund")).toEqual({ risk: "HIGH", timeoutMs: 1, hidden: true });
  expect(settings("other")).toEqual({ risk: "CRITICAL", timeoutMs: 2, hidden: true });
  expect(makeSettings({})("__proto__")).toEqual({});
});

test.each<[object, RegExp]>([
  [{ risc: "LOW" }, /no option "risc"\. Did you mean "risk"\?/],
  [{ risk: "low" }, /risk must be "LOW" or "MEDIUM"/],
  [{ effect: "keyed" }, /"keyed" and downstreamKeyIn go together/],
  [{ effect: "pure", downstreamKeyIn: "/key" }, /go together/],
  [{ effect: "keyed", downstreamKeyIn: "key" }, /JSON pointer into the arguments/],
  [{ effect: "probe" }, /"probe" and probe go together/],
  [{ probe: { tool: "t", found: "/id" } }, /probe\.arguments is an object/],
  [{ probe: { tool: "t", arguments: {}, found: "id" } }, /JSON pointer/],
  [{ io: "READ", risk: "LOW", effect: "opaque" }, /its effect is "pure" or "idempotent"/],
  [{ repeat: { mode: "never" } }, /mode must be/],
])("settings that can't be meant so are refused: %j", (settings, message) => {
  expect(() => checkToolSettings("tools", settings as ToolSettings)).toThrow(message);
});
