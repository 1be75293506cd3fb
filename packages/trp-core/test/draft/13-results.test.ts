import { ToolError } from "@toolglot/core";
import { afterEach, describe, expect, it } from "vitest";
import { agent, opener, type Reply, searchId } from "./harness.ts";

const { open, closeAll } = opener();
afterEach(closeAll);

const giving = (value: unknown, more = {}) => ({
  capId: "cap.test.gives.v1",
  name: "gives",
  description: "Gives",
  riskTier: "LOW" as const,
  ioClass: "READ" as const,
  effect: "pure" as const,
  args: {},
  execute: () => value,
  ...more,
});
const sizeOf = (reply: Reply) => JSON.stringify(reply.payload.result).length;

describe("draft 13.1: the shape", () => {
  it("13.1 summary, data, artifacts, warnings, and nothing else", async () => {
    const { call } = await open();
    const { result } = (await call(searchId, { query: "a" })).payload;
    expect(Object.keys(result).sort()).toEqual(["artifacts", "data", "summary", "warnings"]);
    expect(result).toMatchObject({ summary: expect.stringMatching(/\S/), artifacts: [], warnings: [] });
  });

  it.each([[null], [0], [""], ["text"], [[1, 2]], [{ a: { b: [] } }], [true]])(
    "13.1 data is the value: %j",
    async (value) => {
      const { call } = await open({ more: [giving(value)] });
      const { payload } = await call("cap.test.gives.v1", {}, { idx: 5 });
      expect(payload.status).toBe("SUCCESS");
      expect(payload.result.data).toEqual(value);
      expect(payload.result.summary).toMatch(/\S/);
    },
  );

  it.each([
    ["undefined", undefined],
    ["a bigint", 10n],
    [
      "a circle",
      (() => {
        const circle: Record<string, unknown> = {};
        circle.self = circle;
        return circle;
      })(),
    ],
    ["a function", () => 1],
    ["not a number", Number.NaN],
    ["a date", new Date(0)],
    ["a map", new Map([["a", 1]])],
    [
      "a getter that throws",
      {
        get a(): number {
          throw new Error("hunter2");
        },
      },
    ],
  ])("13.1 %s is told as JSON all the same", async (_, value) => {
    const { call } = await open({ more: [giving(value)] });
    const reply = await call("cap.test.gives.v1", {}, { idx: 5 });
    expect(reply.frame_type).toBe("RESULT");
    expect(JSON.parse(JSON.stringify(reply))).toEqual(reply);
    expect(JSON.stringify(reply)).not.toContain("hunter2");
  });
});

describe("draft 13.2: rules", () => {
  it("13.2 the summary is short", async () => {
    const { call } = await open({
      more: [giving({ rows: Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}` })) })],
    });
    const { result } = (await call("cap.test.gives.v1", {}, { idx: 5 })).payload;
    expect(result.summary.length).toBeLessThan(500);
  });

  it("13.2 what is big is not returned but kept under an artifact_id (draft, 18.6)", async () => {
    const text = "lorem ipsum dolor ".repeat(20_000);
    const { call } = await open({ more: [giving(text)] });
    const reply = await call("cap.test.gives.v1", {}, { idx: 5 });
    // 2,000 tokens of 4 bytes, and some room for names.
    expect(sizeOf(reply)).toBeLessThan(10_000);
    expect(reply.payload.result.artifacts).toHaveLength(1);
    expect(reply.payload.result.artifacts[0]).toMatchObject({
      artifact_id: expect.stringMatching(/^\S{16,}$/),
      media_type: expect.stringMatching(/\//),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      expires_at_ms: expect.any(Number),
    });
    expect(reply.payload.result.artifacts[0].size).toBeGreaterThanOrEqual(text.length);
    expect(reply.payload.result.warnings.join(" ")).toMatch(/\S/);
  });

  it("13.2 the budget can be set, and is kept by lists and objects, too", async () => {
    for (const value of [
      Array.from({ length: 5000 }, (_, n) => ({ n, text: "some words" })),
      Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`key${n}`, n])),
      { deep: { list: Array.from({ length: 5000 }, (_, n) => n) }, note: "x".repeat(50_000) },
    ]) {
      const { call } = await open({ maxResultTokens: 400, more: [giving(value)] });
      const reply = await call("cap.test.gives.v1", {}, { idx: 5 });
      expect(reply.payload.status).toBe("SUCCESS");
      expect(sizeOf(reply)).toBeLessThan(400 * 4 * 2);
      expect(reply.payload.result.warnings.length + reply.payload.result.artifacts.length).toBeGreaterThan(0);
    }
  });

  it("13.2 what is cut is cut the same way every time", async () => {
    const value = { list: Array.from({ length: 3000 }, (_, n) => `item ${n}`), text: "y".repeat(9000) };
    const shaped: unknown[] = [];
    for (let n = 0; n < 2; n++) {
      const { call } = await open({ maxResultTokens: 300, more: [giving(value)] });
      const { result } = (await call("cap.test.gives.v1", {}, { idx: 5 })).payload;
      // Ids are random.
      const ids = result.artifacts.map(({ artifact_id }: { artifact_id: string }) => artifact_id);
      shaped.push(
        JSON.parse(ids.reduce((text: string, id: string) => text.replaceAll(id, "id"), JSON.stringify(result))),
      );
    }
    expect(shaped[0]).toEqual(shaped[1]);
  });

  it("13.2 an artifact is read by who got it, in ranges, and by nobody else", async () => {
    const text = "0123456789".repeat(5_000);
    const first = await open({ maxResultTokens: 300, more: [giving(text)] });
    const { artifact_id } = (await first.call("cap.test.gives.v1", {}, { idx: 5 })).payload.result.artifacts[0];
    const read = "cap.trp.artifact.read.v1";
    const idxOf = async (session: typeof first) =>
      (await session.sync()).payload.alias_table.find(({ cap_id }: { cap_id: string }) => cap_id === read).idx;
    const part = await first.call(read, { artifact_id }, { idx: await idxOf(first) });
    expect(part).toMatchObject({ frame_type: "RESULT", payload: { status: "SUCCESS" } });
    expect(JSON.stringify(part.payload.result)).toContain("0123456789");
    const other = await first.open({ ...agent, id: "agent-2" });
    const foreign = await other.call(read, { artifact_id }, { idx: await idxOf(other) });
    const unknown = await other.call(read, { artifact_id: "art_nothing" }, { idx: await idxOf(other) });
    expect(foreign.frame_type).toBe("NACK");
    expect(foreign.payload.error_code).toBe(unknown.payload.error_code);
    expect(JSON.stringify(foreign)).not.toContain("0123456789");
  });

  it("13.2 errors have one form, whatever failed below", async () => {
    const failing = (error: unknown) =>
      giving(0, {
        execute: () => {
          throw error;
        },
      });
    const forms: string[][] = [];
    for (const error of [new ToolError("no"), new Error("ECONNRESET"), "text", undefined]) {
      const { call } = await open({ more: [failing(error)] });
      const { payload } = await call("cap.test.gives.v1", {}, { idx: 5 });
      forms.push(Object.keys(payload).sort());
      expect(payload.error_class).toBe("EXECUTOR_ERROR");
    }
    for (const form of forms) expect(form).toEqual(forms[0]);
  });
});
