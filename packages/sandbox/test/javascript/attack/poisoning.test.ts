import { drawn, leftToCi, someOf } from "@toolglot/internal/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "../../../src/node/index.ts";
import { readSections } from "../../support.ts";
import { sharedSandbox } from "../../worker-sandbox.ts";
import { cleanTool, each, look, lookFresh, threads } from "./clean-program.ts";

const poisons = readSections(new URL("./poison.txt", import.meta.url)).map(({ name, code }) => ({
  name,
  fails: name.startsWith("!"),
  code: code.replace("{EACH}", each),
}));

it("should hold at least sixty programs, each named once", () => {
  expect(poisons.length).toBeGreaterThanOrEqual(60);
  expect(new Set(poisons.map(({ name }) => name)).size).toBe(poisons.length);
});

const some = someOf(poisons, 8);
const sample = drawn(some, 12);

it.each([
  "globalThis.left = 1;",
  "Object.defineProperty(Array.prototype, 'map', { enumerable: true });",
  "Object.freeze(JSON);",
  "Math.max.left = 1;",
  "Promise.prototype.then = function (...given) { return Reflect.apply(Reflect.get(this, 'catch'), this, given); };",
  "Object.setPrototypeOf(console, null);",
  "Symbol.prototype.left = 1;",
  "Object.getPrototypeOf(function* () {}).left = 1;",
  "console.log('left');",
])("should find the traces that are there: %s", async (before) => {
  const sandbox = sharedSandbox("javascript");
  expect(await look(sandbox, before)).not.toEqual(await look(sandbox));
});

const { domain, reuse } = threads["one after another in one thread"];

describe.each([
  ["without a domain", { reuse }],
  ["in one domain", { domain, reuse }],
])("one thread, programs %s", (_, options) => {
  const make = (): Sandbox =>
    createSandbox({
      ...options,
      language: "javascript",
      tools: [cleanTool],
      limits: { timeoutMs: 60_000 },
    });
  const sandbox = make();
  let fresh: Awaited<ReturnType<typeof look>>;
  beforeAll(async () => {
    fresh = await lookFresh(make);
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  it.for(some)("should show the next program nothing of: $name", async ({ name, fails, code }, context) => {
    leftToCi(
      context,
      sample.some((one) => one.name === name),
    );
    const run = await sandbox.run(code);
    // It did what it is for, and did not fail before.
    expect(run.status, JSON.stringify(run).slice(0, 600)).toBe(fails ? "error" : "ok");
    expect(await look(sandbox)).toEqual(fresh);
  });

  it("should have been one thread all the time", () => {
    expect(sandbox.stats().retired).toEqual({ programs: 0, age: 0, grown: 0, "not-at-rest": 0, failed: 0 });
    expect(sandbox.stats().started).toBeLessThanOrEqual(2);
  });
});
