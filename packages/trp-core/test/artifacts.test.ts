import { ToolError } from "@toolglot/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { registerCapability } from "../src/catalog/register.ts";
import { sha256Hex } from "../src/digest/sha256.ts";
import type { Principal } from "../src/identity/types.ts";
import { type ArtifactPart, artifactReadCapability } from "../src/results/artifact-capability.ts";
import { createResultShaper } from "../src/results/shaper.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { alice, context } from "./rules-rig.ts";

type Options = Parameters<typeof artifactReadCapability>[1];

async function stored(content: string | Uint8Array, mediaType = "text/plain; charset=utf-8", ttlMs = 60_000) {
  const now = { value: 1_000 };
  const store = new MemoryStore({ now: () => now.value });
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  await store.artifacts.put({
    id: "art_1",
    tenant: "acme",
    principal: "alice",
    mediaType,
    sha256: sha256Hex(bytes),
    bytes,
    ttlMs,
  });
  const read = (
    args: { artifact_id?: string; offset?: number; length?: number } = {},
    options?: Options,
    by?: Principal,
  ) =>
    artifactReadCapability(store, options).execute?.(
      { artifact_id: "art_1", ...args },
      context(by === undefined ? {} : { principal: by }),
    ) as Promise<ArtifactPart>;
  return { store, now, bytes, read };
}

it("is a capability like any other: read only, no key needed, unknown arguments refused", () => {
  const registered = registerCapability(artifactReadCapability(new MemoryStore()));
  expect(registered).toMatchObject({ capId: "cap.trp.artifact.read.v1", keyRequired: false });
  expect(registered.definition).toMatchObject({ riskTier: "LOW", ioClass: "READ", effect: "pure" });
  expect(registered.argTemplate).toHaveProperty("artifact_id");
  for (const args of [
    {},
    { artifact_id: "a", offset: -1 },
    { artifact_id: "a", length: 0 },
    { artifact_id: "a", x: 1 },
  ]) {
    expect(registered.validate(args)).toMatchObject({ success: false });
  }
});

it("gives a small artifact whole", async () => {
  const { read } = await stored("hello 世界");
  expect(await read()).toEqual({
    artifact_id: "art_1",
    media_type: "text/plain; charset=utf-8",
    size: 12,
    offset: 0,
    end: 12,
    next_offset: null,
    text: "hello 世界",
  });
});

it("gives ranges in bytes, of text between characters", async () => {
  const { read } = await stored("aé世👋z");
  // a 0, é 1-2, 世 3-5, 👋 6-9, z 10
  const part = async (offset: number, length: number): Promise<unknown[]> => {
    const { text, offset: from, end, next_offset } = await read({ offset, length });
    return [text, from, end, next_offset];
  };
  expect(await part(0, 1)).toEqual(["a", 0, 1, 1]);
  expect(await part(0, 2)).toEqual(["a", 0, 1, 1]);
  expect(await part(0, 3)).toEqual(["aé", 0, 3, 3]);
  expect(await part(1, 1)).toEqual(["é", 1, 3, 3]);
  expect(await part(2, 1)).toEqual(["é", 1, 3, 3]);
  expect(await part(8, 1)).toEqual(["👋", 6, 10, 10]);
  expect(await part(3, 100)).toEqual(["世👋z", 3, 11, null]);
  expect(await part(11, 5)).toEqual(["", 11, 11, null]);
});

it("gives bytes as base64", async () => {
  const { read } = await stored(new Uint8Array([0, 255, 128, 1]), "image/png");
  expect(await read({ offset: 1, length: 2 })).toMatchObject({ base64: btoa("\u00ff\u0080"), end: 3, next_offset: 3 });
  expect(await read()).not.toHaveProperty("text");
});

it("gives JSON as text", async () => {
  expect(await (await stored("[1]", "application/json")).read()).toMatchObject({ text: "[1]" });
});

it("unknown, expired and foreign ones look alike (11.3)", async () => {
  const { read, now } = await stored("secret");
  const messages = [
    await read({ artifact_id: "art_2" }).catch((error: unknown) => error),
    await read({}, {}, { ...alice, id: "bob" }).catch((error: unknown) => error),
    await read({}, {}, { ...alice, tenant: "other" }).catch((error: unknown) => error),
  ];
  now.value = 100_000;
  messages.push(await read().catch((error: unknown) => error));
  for (const error of messages) {
    expect(ToolError.isInstance(error)).toBe(true);
    expect((error as Error).message).toMatch(/^there is no artifact "art_\d": it is unknown, expired, or not yours$/);
  }
});

it("says when an offset is beyond the end", async () => {
  const { read } = await stored("abc");
  await expect(read({ offset: 4 })).rejects.toThrow("offset is beyond the end: the artifact has 3 bytes");
});

it("parts put together are the whole (any text, any budget and length)", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "binary", maxLength: 3_000 }),
      fc.integer({ min: 60, max: 300 }),
      fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined }),
      async (given, maxResultTokens, length) => {
        const text = `\ufeff${given.replace(/\p{Surrogate}/gu, "?")}`;
        const { read } = await stored(text);
        let whole = "";
        let rounds = 0;
        for (let offset: number | null = 0; offset !== null; ) {
          const part: ArtifactPart = await read(
            { offset, ...(length === undefined ? {} : { length }) },
            { maxResultTokens },
          );
          expect(part.offset).toBe(offset);
          expect(part.next_offset === null || part.next_offset > offset).toBe(true);
          whole += part.text;
          offset = part.next_offset;
          if (++rounds > 20_000) throw new Error("never ends");
        }
        expect(whole).toBe(text);
      },
    ),
    { numRuns: 60 },
  );
});

it("what is read is never cut again: no artifact of an artifact", async () => {
  for (const content of ['"\\\n'.repeat(20_000), "世界".repeat(10_000), "plain text ".repeat(5_000)]) {
    const { store, read } = await stored(content);
    const capability = artifactReadCapability(store);
    const shaper = createResultShaper({ store });
    const part = await read();
    const shaped = await shaper.shape(registerCapability(capability), part, alice);
    expect(shaped).toMatchObject({ data: part, artifacts: [], warnings: [] });
    expect(shaped.summary).toBe(`bytes 0 to ${part.end} of ${part.size}`);
    // Most of the budget is used.
    expect(JSON.stringify(shaped).length).toBeGreaterThan(content.includes("世") ? 2_000 : 7_000);
  }
});

it("a counter that fails, or is never content, does not stop a reader", async () => {
  const { read } = await stored("x".repeat(20_000));
  const throwing = (): number => {
    throw new Error("hunter2");
  };
  expect((await read({}, { countTokens: throwing })).end).toBe((await read()).end);
  expect((await read({}, { countTokens: () => 1e9 })).next_offset).toBe(1);
});

it("a result that was cut can be read to its end", async () => {
  const store = new MemoryStore();
  const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, name: `Näme ${id}` }));
  const { artifacts } = await createResultShaper({ store }).shape(
    registerCapability(artifactReadCapability(store)),
    rows,
    alice,
  );
  const id = artifacts[0]?.artifact_id ?? "";
  let text = "";
  for (let offset: number | null = 0; offset !== null; ) {
    const part = (await artifactReadCapability(store).execute?.(
      { artifact_id: id, offset },
      context(),
    )) as ArtifactPart;
    text += part.text;
    offset = part.next_offset;
  }
  expect(JSON.parse(text)).toEqual(rows);
});
