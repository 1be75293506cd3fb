import fc from "fast-check";
import { expect, it } from "vitest";
import type { AnyCapability } from "../src/catalog/types.ts";
import { sha256Hex } from "../src/digest/sha256.ts";
import type { ShapedResult } from "../src/frames/results.ts";
import { createResultShaper, type ResultShaperOptions } from "../src/results/shaper.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { alice, capability } from "./rules-rig.ts";

const who = { tenant: "acme", principal: "alice" };

const shape = async (
  value: unknown,
  given: Partial<ResultShaperOptions> & { shape?: AnyCapability["shape"] } = {},
): Promise<ShapedResult> => {
  const { shape: own, ...options } = given;
  const shaper = createResultShaper({ store: new MemoryStore(), ...options });
  return shaper.shape(capability(own === undefined ? {} : { shape: own }), value, alice);
};

const tokens = (result: ShapedResult): number => Math.ceil(new TextEncoder().encode(JSON.stringify(result)).length / 4);

it("has the four parts of the TRP v0.1 draft, 13.1, in this order", async () => {
  const result = await shape({ message_id: "msg_1" });
  expect(Object.keys(result)).toEqual(["summary", "data", "artifacts", "warnings"]);
  expect(result).toEqual({ summary: "message_id: msg_1", data: { message_id: "msg_1" }, artifacts: [], warnings: [] });
});

it.each<[unknown, string]>([
  [undefined, "done, without data"],
  [null, "done, without data"],
  ["  first line\nsecond", "first line"],
  ["", "an empty text"],
  [5, "5"],
  [false, "false"],
  [[], "no items"],
  [[1], "1 item"],
  [[1, 2, 3], "3 items"],
  [{}, "an empty object"],
  [
    { total: 340, items: [1, 2], page: { next: 1 }, note: "x".repeat(100) },
    `total: 340, items: 2 items, page, note: ${"x".repeat(59)}…`,
  ],
  [{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8 }, "a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, and 2 more"],
])("summary of %j: %s", async (value, summary) => {
  expect((await shape(value)).summary).toBe(summary);
});

it("takes the capability's own summary, data and warnings", async () => {
  const own = (value: unknown) => ({
    summary: "Email sent\nsecond line",
    data: { id: (value as { raw: { id: string } }).raw.id },
    warnings: ["slow today"],
  });
  expect(await shape({ raw: { id: "m1", headers: {} } }, { shape: own })).toEqual({
    summary: "Email sent",
    data: { id: "m1" },
    artifacts: [],
    warnings: ["slow today"],
  });
});

it.each<[string, () => unknown]>([
  [
    "throws",
    () => {
      throw new Error("hunter2");
    },
  ],
  ["gives nothing", () => undefined],
  ["gives a promise that rejects", () => Promise.reject(new Error("hunter2"))],
  ["has no summary", () => ({ data: 1 })],
  ["has odd warnings", () => ({ summary: "s", data: 1, warnings: "w" })],
])("a shape that %s does not break a call that succeeded", async (_name, own) => {
  expect(await shape({ a: 1 }, { shape: own as never })).toEqual({
    summary: "a: 1",
    data: { a: 1 },
    artifacts: [],
    warnings: ["the capability's own summary failed"],
  });
});

it("names what is not as it was", async () => {
  expect(await shape({ n: 10n })).toMatchObject({ data: { n: "10" }, warnings: ["/n: a big integer, as text"] });
});

it("a long text: its beginning, where it was cut, and the whole as an artifact (13.2)", async () => {
  const store = new MemoryStore({ now: () => 1_000 });
  const text = "Line of the report. ".repeat(1_000);
  const result = await shape({ title: "Report", text }, { store, artifactTtlMs: 5_000 });
  const { title, text: kept } = result.data as { title: string; text: string };
  expect(title).toBe("Report");
  expect(text.startsWith(kept.slice(0, -1))).toBe(true);
  expect(result.warnings).toEqual([`/text: ${kept.length - 1} of 20000 characters`]);
  const [ref] = result.artifacts;
  expect(result.artifacts).toEqual([
    {
      artifact_id: expect.stringMatching(/^art_[\w-]{22}$/),
      media_type: "text/plain; charset=utf-8",
      size: 20_000,
      sha256: sha256Hex(text),
      expires_at_ms: 6_000,
      path: "/text",
    },
  ]);
  const read = await store.artifacts.read(ref?.artifact_id ?? "", who);
  expect(new TextDecoder().decode(read?.bytes)).toBe(text);
  expect(tokens(result)).toBeLessThanOrEqual(2_000);
  // What fits is used.
  expect(tokens(result)).toBeGreaterThan(1_800);
});

it("a long list: its first items, how many there are, and the whole as an artifact", async () => {
  const store = new MemoryStore();
  const items = Array.from({ length: 340 }, (_, id) => ({ id, name: `Item number ${id}`, price: 5 }));
  const result = await shape({ items }, { store });
  const kept = (result.data as { items: unknown[] }).items;
  expect(kept).toEqual(items.slice(0, kept.length));
  expect(result.summary).toBe("items: 340 items");
  expect(result.warnings).toEqual([`/items: ${kept.length} of 340 items`]);
  expect(result.artifacts).toMatchObject([{ media_type: "application/json", path: "/items" }]);
  const read = await store.artifacts.read(result.artifacts[0]?.artifact_id ?? "", who);
  expect(JSON.parse(new TextDecoder().decode(read?.bytes))).toEqual(items);
});

it("many cuts: all of the data as one artifact, the first cuts named, the others counted", async () => {
  const pages = Array.from({ length: 12 }, (_, page) => ({ page, text: `${page}`.repeat(3_000) }));
  const store = new MemoryStore();
  const result = await shape(pages, { store });
  expect((result.data as { page: number }[]).map(({ page }) => page)).toEqual(pages.map(({ page }) => page));
  expect(result.warnings).toHaveLength(7);
  expect(result.warnings[0]).toMatch(/^\/0\/text: \d+ of 3000 characters$/);
  expect(result.warnings[6]).toBe("and 6 more parts were cut");
  expect(result.artifacts).toHaveLength(1);
  expect(result.artifacts[0]).not.toHaveProperty("path");
  const read = await store.artifacts.read(result.artifacts[0]?.artifact_id ?? "", who);
  expect(JSON.parse(new TextDecoder().decode(read?.bytes))).toEqual(pages);
});

it("bytes: always an artifact, with its id in their place", async () => {
  const store = new MemoryStore();
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
  const result = await shape({ image: png, raw: new Uint8Array([1, 2]) }, { store });
  const [image, raw] = result.artifacts;
  expect(result.artifacts).toMatchObject([
    { media_type: "image/png", size: 11, path: "/image" },
    { media_type: "application/octet-stream", size: 2, path: "/raw" },
  ]);
  expect(result.data).toEqual({ image: { artifact_id: image?.artifact_id }, raw: { artifact_id: raw?.artifact_id } });
  expect((await store.artifacts.read(image?.artifact_id ?? "", who))?.bytes).toEqual(png);
  const alone = await shape(png, { store });
  expect(alone.data).toEqual({ artifact_id: alone.artifacts[0]?.artifact_id });
  const many = await shape(
    Array.from({ length: 20 }, () => new Uint8Array(1)),
    { store },
  );
  expect(many.artifacts).toHaveLength(8);
  expect(many.warnings).toEqual(["12 more binary values were not kept"]);
});

it("an artifact is its principal's alone", async () => {
  const store = new MemoryStore();
  const { artifacts } = await shape("x".repeat(20_000), { store });
  const id = artifacts[0]?.artifact_id ?? "";
  expect(await store.artifacts.read(id, { tenant: "acme", principal: "bob" })).toBeUndefined();
  expect(await store.artifacts.read(id, { tenant: "other", principal: "alice" })).toBeUndefined();
  expect(await store.artifacts.read(id, who)).toBeDefined();
});

it("a store that takes nothing costs the whole, not the result", async () => {
  const store = {
    now: () => 0,
    artifacts: {
      put: () => Promise.reject(new Error("hunter2: disk full")),
      read: () => Promise.resolve(undefined),
    },
  };
  const result = await shape({ text: "x".repeat(20_000), raw: new Uint8Array(3) }, { store });
  expect(result.artifacts).toEqual([]);
  expect(result.data).toMatchObject({ text: expect.stringMatching(/^x+…$/), raw: null });
  expect(result.warnings).toEqual([
    "/raw: 3 bytes, not kept: the store did not take it",
    expect.stringMatching(/^\/text: \d+ of 20000 characters$/),
    "/text: the whole is not kept: the store did not take it",
  ]);
});

it("what is over 16 MiB is not kept, and said so", async () => {
  const result = await shape({ text: "x".repeat(17 * 1024 * 1024) });
  expect(result.artifacts).toEqual([]);
  expect(result.warnings.at(-1)).toBe("/text: the whole is too big to be kept");
});

const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 6 }),
  fc.array(fc.record({ id: fc.nat(), text: fc.string({ maxLength: 800 }) }), { maxLength: 60 }),
  fc.array(fc.string({ unit: "binary", maxLength: 3_000 }), { maxLength: 5 }),
  fc.dictionary(fc.string(), fc.string({ maxLength: 300 }), { maxKeys: 60 }),
  fc.anything({ withBigInt: true, withMap: true, withSet: true, withTypedArray: true }),
);

it("is always within the budget, and the same but for the names of artifacts (any value, any budget)", async () => {
  const anonymous = (result: ShapedResult): string => JSON.stringify(result).replace(/art_[\w-]{22}/g, "art");
  await fc.assert(
    fc.asyncProperty(anyValue, fc.integer({ min: 200, max: 800 }), async (value, budget) => {
      const store = new MemoryStore({ now: () => 1_000 });
      const result = await shape(value, { maxTokens: budget, store });
      expect(tokens(result)).toBeLessThanOrEqual(budget);
      expect(JSON.parse(JSON.stringify(result))).toEqual(result);
      expect(anonymous(await shape(value, { maxTokens: budget, store }))).toBe(anonymous(result));
      for (const { artifact_id, size, sha256 } of result.artifacts) {
        const bytes = (await store.artifacts.read(artifact_id, who))?.bytes ?? new Uint8Array();
        expect([bytes.length, sha256Hex(bytes)]).toEqual([size, sha256]);
      }
    }),
    { numRuns: 150 },
  );
});

it("is within the budget as others count it", async () => {
  const byWord = (text: string): number => text.split(/\b/).length;
  await fc.assert(
    fc.asyncProperty(anyValue, fc.integer({ min: 200, max: 600 }), async (value, budget) => {
      const result = await shape(value, { maxTokens: budget, countTokens: byWord });
      expect(byWord(JSON.stringify(result))).toBeLessThanOrEqual(budget);
    }),
    { numRuns: 100 },
  );
});

it.each<[string, (text: string) => number]>([
  [
    "throws",
    () => {
      throw new Error("hunter2");
    },
  ],
  ["gives NaN", () => Number.NaN],
  ["counts letters", (text) => text.length],
  ["is never content", () => 1e9],
])("a counter that %s does not break the result", async (_name, countTokens) => {
  const small = await shape("hello", { countTokens });
  expect(Object.keys(small)).toEqual(["summary", "data", "artifacts", "warnings"]);
  const big = await shape("x".repeat(10_000), { countTokens, maxTokens: 200 });
  expect(JSON.stringify(big).length).toBeLessThan(900);
});

it("leaves small results untouched (any JSON)", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (value) => {
      const text = JSON.stringify(value);
      fc.pre(text.length < 2_000 && !/\\ud[89a-f]/i.test(text));
      const result = await shape(value);
      expect(JSON.stringify(result.data)).toBe(text);
      expect(result.artifacts).toEqual([]);
      expect(result.warnings).toEqual([]);
    }),
  );
});

it("TypeError for options that can't be meant", () => {
  const store = new MemoryStore();
  expect(() => createResultShaper({ store, maxTokens: 100 })).toThrow(/from 200, not 100/);
  expect(() => createResultShaper({ store, maxTokens: Number.NaN })).toThrow(TypeError);
  expect(() => createResultShaper({ store, artifactTtlMs: 0 })).toThrow(/artifactTtlMs/);
});
