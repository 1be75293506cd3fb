import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BaseMismatchError, type GuestMemory } from "../../src/engine.ts";
import type { GuestThread, ThreadListener } from "../../src/javascript/message-guest.ts";
import { resolveLimits } from "../../src/limits.ts";
import { SessionGuest } from "../../src/node/javascript/session-guest.ts";
import { NotAtRestError } from "../../src/reuse.ts";

// A thread that was broken into, and says what it likes of a session's memory.

const limits = resolveLimits("javascript");
const base = "0".repeat(64);

/** A guest whose program is over. `answer`: what its thread says to all that it is asked after that. */
async function rested(answer: (data: unknown) => unknown[]) {
  let listener: ThreadListener = { onMessage() {}, onEnd() {} };
  const asked: unknown[] = [];
  const thread: GuestThread = {
    attach(given) {
      listener = given;
    },
    renew() {},
    post(text, pages) {
      asked.push(text, pages);
      for (const one of answer(JSON.parse(text))) queueMicrotask(() => listener.onMessage(one));
    },
    end: async () => {},
    hold() {},
  };
  const guest = new SessionGuest(thread, limits, 20_000);
  listener.onMessage(['{"type":"ready"}']);
  await guest.ready;
  const faults: string[] = [];
  guest.listen({ onMessage() {}, onEnd: (fault) => void faults.push(fault) });
  return { guest, asked, faults };
}

const good = { type: "memory", base, memoryBytes: 65536, numbers: [1, 3], ran: true, variables: [] };
const pages = new Uint8Array(8192).fill(7);

describe("the memory that a thread gives", () => {
  it("is taken when it makes sense, with nothing else in it", async () => {
    const variables = [{ name: "a".repeat(999), type: 1, preview: null, more: 1 }, 7];
    const { guest } = await rested(() => [[JSON.stringify({ ...good, variables, files: ["x"] }), pages]]);
    guest.rest();
    expect(await guest.capture()).toEqual({
      ...{ base, memoryBytes: 65536, numbers: [1, 3], ran: true, pages, folders: [], files: [] },
      variables: [
        { name: "a".repeat(200), type: "", preview: "" },
        { name: "", type: "", preview: "" },
      ],
    });
  });

  it.each<[string, unknown]>([
    ["no array", "x"],
    ["no text", [1, pages]],
    ["no JSON", ["{", pages]],
    ["another message", ['{"type":"ready"}', pages]],
    ["no pages", [JSON.stringify(good)]],
    ["too few pages", [JSON.stringify(good), pages.subarray(1)]],
    ["pages of another kind", [JSON.stringify(good), [...pages]]],
    ["pages out of order", [JSON.stringify({ ...good, numbers: [3, 1] }), pages]],
    ["pages outside", [JSON.stringify({ ...good, numbers: [1, 16] }), pages]],
    ["more memory than it may have", [JSON.stringify({ ...good, memoryBytes: 2 ** 30 }), pages]],
    ["another base", [JSON.stringify({ ...good, base: "../x" }), pages]],
  ])("ends it with %s", async (_, said) => {
    const { guest, faults } = await rested(() => [said]);
    guest.rest();
    await expect(guest.capture()).rejects.toThrow("it sent");
    expect(faults).toHaveLength(1);
    expect(guest.renew("held")).toBeUndefined();
  });

  it("ends it where something comes after it", async () => {
    const { guest, faults } = await rested(() => [[JSON.stringify(good), pages], ['{"type":"ready"}']]);
    guest.rest();
    await guest.capture();
    await Promise.resolve();
    expect(faults).toEqual(["it sent a message after its end"]);
  });

  it("is none when it is not at rest", async () => {
    const { guest } = await rested(() => [['{"type":"not-at-rest"}']]);
    guest.rest();
    await expect(guest.capture()).rejects.toThrow(NotAtRestError);
    expect(guest.renew("held")).toBeUndefined();
  });

  it("never crashes the host, whatever it is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.boolean(), async (said, isText) => {
        const { guest, faults } = await rested(() => [[isText ? JSON.stringify(said) : said, pages]]);
        guest.rest();
        await expect(guest.capture()).rejects.toThrow("it sent");
        expect(faults).toHaveLength(1);
      }),
    );
  });
});

describe("the memory that a thread gets", () => {
  const memory: GuestMemory = {
    base,
    memoryBytes: 65536,
    numbers: [1, 3],
    pages,
    ran: true,
    variables: [],
    folders: [],
    files: [],
  };

  it("is sent by itself, and named when it is there", async () => {
    const { guest, asked } = await rested(() => [[JSON.stringify({ type: "restored", base })]]);
    const whole = new Uint8Array(100_000);
    whole.set(pages, 50);
    await guest.restore({ ...memory, pages: whole.subarray(50, 50 + pages.length) }, "name");
    expect(guest.holds).toBe("name");
    const [text, sent] = asked as [string, Uint8Array];
    expect(JSON.parse(text)).toEqual({ type: "restore", base, memoryBytes: 65536, numbers: [1, 3], held: "name" });
    expect([sent.length, sent.buffer.byteLength]).toEqual([pages.length, pages.length]);
  });

  it("is not there where the thread has another base, or says something else", async () => {
    const other = await rested(() => [[JSON.stringify({ type: "restored", base: "1".repeat(64) })]]);
    await expect(other.guest.restore(memory, "name")).rejects.toThrow(BaseMismatchError);
    expect(other.guest.holds).toBeUndefined();
    expect(other.faults).toEqual([]);
    const lying = await rested(() => [['{"type":"ready"}']]);
    await expect(lying.guest.restore(memory, "name")).rejects.toThrow("it restored nothing");
    expect(lying.faults).toEqual(["it restored nothing"]);
  });
});
