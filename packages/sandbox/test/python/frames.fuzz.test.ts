import { fileURLToPath } from "node:url";
import { share } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Guest } from "../../src/engine.ts";
import { resolveLimits } from "../../src/limits.ts";
import { ChildGuest } from "../../src/node/python/child-guest.ts";
import { encodeFrame } from "../../src/node/python/frames.ts";
import { makeSandbox } from "../../src/sandbox.ts";
import { addTool } from "../support.ts";
import { descendants, seesProcesses } from "./processes.ts";

const script = fileURLToPath(new URL("./hostile/plan-child.mjs", import.meta.url));

/** What a child does: its bytes, cut anywhere, and how it goes on from there. */
interface Plan {
  chunks: string[];
  early: boolean;
  pauseMs: number;
  end: "exit" | "sleep" | "flood";
}

const number = fc.oneof(fc.constantFrom(0, 1, -1, 7, 1e99, 0.5), fc.integer());
const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  number,
  fc.constantFrom("x".repeat(70_000), "__proto__", "\ud800"),
);
const type = fc.constantFrom("call", "log", "usage", "idle", "result", "error", "ready", "fatal", "run", "return", "");

/** Messages as they should be. */
const proper = fc.oneof(
  fc.record({
    type: fc.constant("call"),
    id: fc.constant(0),
    tool: fc.constant(0),
    line: fc.constant(1),
    args: fc.constant({ a: 1 }),
  }),
  fc.record({
    type: fc.constant("log"),
    stream: fc.constantFrom("stdout", "stderr"),
    text: fc.string(),
    cut: fc.boolean(),
  }),
  fc.record({ type: fc.constant("usage"), memoryMb: fc.constant(30) }),
  fc.record({
    type: fc.constant("result"),
    value: fc.jsonValue(),
    bytes: number,
    conversions: fc.constant([]),
    warnings: fc.constant([]),
  }),
  fc.record({
    type: fc.constant("error"),
    error: fc.record({ type: fc.string(), message: fc.string(), line: number }),
  }),
);
/** Messages with some field missing, added or of another kind. */
const odd = fc
  .tuple(
    proper,
    fc.dictionary(
      fc.oneof(
        fc.string(),
        fc.constantFrom(
          "id",
          "tool",
          "args",
          "text",
          "error",
          "value",
          "memoryMb",
          "answered",
          "call",
          "__proto__",
          "constructor",
        ),
      ),
      anyValue,
      { maxKeys: 4 },
    ),
    type,
  )
  .map(([message, more, name]) => ({ ...message, ...more, type: name }));

const frame = fc.oneof(
  { weight: 4, arbitrary: proper.map((message) => encodeFrame(JSON.stringify(message))) },
  { weight: 5, arbitrary: odd.map((message) => encodeFrame(JSON.stringify(message))) },
  { weight: 1, arbitrary: fc.json().map((text) => encodeFrame(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)) },
  // A frame whose bytes were changed in some places, its length among them.
  {
    weight: 3,
    arbitrary: fc
      .tuple(odd, fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }))
      .map(([message, changes]) => {
        const bytes = encodeFrame(JSON.stringify(message));
        for (const [place, value] of changes) bytes[place % bytes.length] = value;
        return bytes;
      }),
  },
);

const plan: fc.Arbitrary<Plan> = fc
  .record({
    frames: fc.array(frame, { minLength: 1, maxLength: 12 }),
    cuts: fc.array(fc.nat(), { maxLength: 12 }),
    early: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    pauseMs: fc.constantFrom(0, 0, 0, 1),
    end: fc.constantFrom<Plan["end"]>("exit", "exit", "exit", "sleep", "flood"),
  })
  .map(({ frames, cuts, ...more }) => {
    const bytes = Buffer.concat(frames);
    const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
    const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end).toString("base64"));
    return { ...more, chunks: chunks.filter((chunk) => chunk !== "") };
  });

const children = share("children", 15, 1000);

it(`should come to an outcome and end the child, whatever bytes it writes: ${children.told}`, async () => {
  let next: Plan | undefined;
  let guest: Guest | undefined;
  const engine = {
    language: "python" as const,
    label: "hostile",
    concurrent: false,
    isolation: "process" as const,
    snapshot: "none" as const,
    prepare: async () => {},
    spawn: () => {
      guest = new ChildGuest({
        file: process.execPath,
        args: [script],
        init: next,
        maxFrameBytes: 300_000,
        startTimeoutMs: 300_000,
      });
      return guest;
    },
  };
  const limits = resolveLimits("python", { timeoutMs: 50, maxLogBytes: 100_000, maxToolCalls: 5 });
  const parts = { engine, limits, pool: { size: 0, maxConcurrency: 1 } };
  const sandbox = makeSandbox({ language: "python", tools: [addTool] }, parts);
  const before = seesProcesses ? descendants() : [];
  const seen = new Set<string>();
  const outcome = async (given: Plan): Promise<void> => {
    next = given;
    const run = await sandbox.run("x");
    expect(["ok", "error"]).toContain(run.status);
    if (run.status === "error") expect(run.error.type).not.toBe("");
    seen.add(run.status === "ok" ? "ok" : run.error.type);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
    // Resolves when the process is gone.
    await guest?.ended;
  };
  await fc.assert(fc.asyncProperty(plan, outcome), {
    seed: 20_261_122,
    numRuns: children.count,
    endOnFailure: true,
  });
  // Some of them were taken for programs that ended well, and some not.
  expect([...seen]).toEqual(expect.arrayContaining(["ok", "EngineFailure"]));
  await sandbox[Symbol.asyncDispose]();
  if (seesProcesses) expect(descendants().filter((pid) => !before.includes(pid))).toEqual([]);
}, 3_600_000);
