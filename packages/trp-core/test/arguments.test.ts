import type { JsonObject } from "@toolglot/core";
import { ajvValidator } from "@toolglot/schema/ajv";
import { expect, it } from "vitest";
import { z } from "zod";
import { checkArguments } from "../src/arguments/check.ts";
import { createSafetyRules } from "../src/arguments/safety.ts";
import { registerCapability } from "../src/catalog/register.ts";
import type { AnyCapability } from "../src/catalog/types.ts";
import type { Fault } from "../src/frames/fault.ts";
import { alice, capability } from "./rules-rig.ts";

const check = (given: Partial<AnyCapability>, args: unknown): Promise<{ args: JsonObject } | Fault> =>
  Promise.resolve(checkArguments(capability(given), args, alice));

const booking = {
  args: { from: "string", to: "string", "seats?": "integer = 1" },
  rules: [
    {
      name: "from-before-to",
      check: ({ from, to }: JsonObject) => (String(from) < String(to) ? undefined : "to: must be later than from"),
    },
    { name: "few-seats", check: ({ seats }: JsonObject) => (Number(seats) <= 9 ? undefined : "seats: at most 9") },
  ],
} as const satisfies Partial<AnyCapability>;

it("gives the arguments after defaults, as a copy", async () => {
  const args = { from: "a", to: "b" };
  const checked = await check(booking, args);
  expect(checked).toMatchObject({ args: { from: "a", to: "b", seats: 1 } });
  expect(args).toEqual({ from: "a", to: "b" });
  expect((checked as { args: JsonObject }).args).not.toBe(args);
});

it("decides at once when the schema does", () => {
  expect(checkArguments(capability(booking), { from: "a", to: "b" }, alice)).not.toBeInstanceOf(Promise);
});

it("layer 1, structure (TRP v0.1 draft, 10.3): TRP_2001 with the place", async () => {
  const answer = await check(booking, { from: "a", to: 5, extra: true });
  expect(answer).toMatchObject({
    code: "TRP_2001",
    errorClass: "SCHEMA_MISMATCH",
    retryable: false,
    dispatched: false,
    retryHint: { action: "FIX_ARGUMENTS" },
  });
  expect((answer as Fault).message).toMatch(/extra/);
  expect((answer as Fault).message).toMatch(/to/);
});

it("layer 2, meaning: every rule that has something to say is named", async () => {
  const answer = await check(booking, { from: "b", to: "a", seats: 12 });
  expect(answer).toMatchObject({
    code: "TRP_2001",
    message: "to: must be later than from (rule from-before-to); seats: at most 9 (rule few-seats)",
  });
});

it("layer 3, safety: named rules, after the others", async () => {
  const answer = await check(booking, { from: "a\u0000", to: "b" });
  expect(answer).toMatchObject({
    code: "TRP_2001",
    message: "from: has a control character (tab and line breaks are allowed) (rule control-characters)",
  });
  // The rules before it come first.
  expect(((await check(booking, { from: "b\u0000", to: "a" })) as Fault).message).toContain("from-before-to");
});

it("a rule knows the principal", async () => {
  const rules = [
    {
      name: "own-data",
      check: ({ owner }: JsonObject, principal: { id: string }) =>
        owner === principal.id ? undefined : "owner: must be yourself",
    },
  ];
  const args = { owner: "string" };
  expect(await check({ args, rules }, { owner: "alice" })).toMatchObject({ args: { owner: "alice" } });
  expect(await check({ args, rules }, { owner: "bob" })).toMatchObject({ code: "TRP_2001" });
});

it.each<[string, () => unknown]>([
  [
    "throws",
    () => {
      throw new Error("hunter2 /etc/passwd");
    },
  ],
  ["gives a promise", async () => undefined],
  ["gives a promise that rejects", () => Promise.reject(new Error("hunter2"))],
  ["gives a truth value", () => true],
  ["gives an object", () => ({ message: "hunter2" })],
])("a rule that %s refuses the call as the capability's own fault, and leaks nothing", async (_name, rule) => {
  const answer = await check({ rules: [{ name: "odd", check: rule as never }] }, {});
  expect(answer).toMatchObject({
    code: "TRP_5001",
    message: "the arguments of cap.test.read.v1 could not be checked (rule odd)",
    dispatched: false,
  });
});

it("a rule can't change the arguments", async () => {
  const takeAll = (args: JsonObject): undefined => {
    args.seats = 100;
  };
  const rules = [{ name: "greedy", check: takeAll }];
  expect(await check({ ...booking, rules }, { from: "a", to: "b" })).toMatchObject({ args: { seats: 1 } });
});

it("works with a schema library, synchronous or not", async () => {
  const args = z.object({ id: z.string().min(2) });
  expect(await check({ args }, { id: "ab" })).toMatchObject({ args: { id: "ab" } });
  expect(await check({ args }, { id: "a" })).toMatchObject({ code: "TRP_2001" });
  const slow = z.object({ id: z.string().refine(async (id) => id !== "taken", "is taken") });
  expect(await check({ args: slow }, { id: "free" })).toMatchObject({ args: { id: "free" } });
  expect(((await check({ args: slow }, { id: "taken" })) as Fault).message).toContain("is taken");
});

it("a validation that throws or rejects is TRP_5001", async () => {
  const registered = capability();
  for (const validate of [
    () => {
      throw new Error("hunter2");
    },
    () => Promise.reject(new Error("hunter2")),
  ]) {
    const answer = await checkArguments({ ...registered, validate }, {}, alice);
    expect(answer).toMatchObject({ code: "TRP_5001" });
    expect(JSON.stringify(answer)).not.toContain("hunter2");
  }
});

it("names five faults at most, in a message that stays short", async () => {
  const rules = Array.from({ length: 9 }, (_, index) => ({ name: `r${index}`, check: () => `bad ${"x".repeat(400)}` }));
  const { message } = (await check({ rules }, {})) as Fault;
  expect(message.length).toBeLessThanOrEqual(1_000);
  const short = rules.map(({ name }) => ({ name, check: () => "bad" }));
  expect(((await check({ rules: short }, {})) as Fault).message).toBe(
    "bad (rule r0); bad (rule r1); bad (rule r2); bad (rule r3); bad (rule r4); and 4 more",
  );
});

it("gives the same verdicts on ajv", async () => {
  const registered = registerCapability({ ...capability().definition, ...booking }, ajvValidator());
  expect(await checkArguments(registered, { from: "a", to: "b" }, alice)).toMatchObject({ args: { seats: 1 } });
  expect(await checkArguments(registered, { from: "a" }, alice)).toMatchObject({ code: "TRP_2001" });
});

it("takes other safety rules", async () => {
  const safety = createSafetyRules({
    texts: [{ name: "no-shouting", check: (text) => (/[A-Z]{5}/.test(text) ? "shouts" : undefined) }],
  });
  expect(await checkArguments(capability({ args: { s: "string" } }), { s: "HELLO" }, alice, safety)).toMatchObject({
    message: "s: shouts (rule no-shouting)",
  });
});
