import { MemoryStore, principal } from "@toolglot/trp-core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAuthenticator } from "../../src/identity/authenticator.ts";
import type { Identity } from "../../src/identity/types.ts";
import { Logins } from "../../src/page/logins.ts";

const hour = 60 * 60_000;
const identity: Identity = { id: "jwt-1", principal: principal({ id: "ada" }), mayElicit: true, lenientHeaders: false };
const logins = async (store: Pick<MemoryStore, "blobs" | "now"> = new MemoryStore()) =>
  new Logins(await createAuthenticator({}), store);

describe("logins", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("end after twelve hours, with their streams, or with the token", async () => {
    const all = await logins();
    const cookie = await all.begin(identity);
    const short = await all.begin({ ...identity, expiresAt: Date.now() + hour });
    const close = vi.fn();
    all.stream({ identity, cookie }, close);
    vi.advanceTimersByTime(hour - 1);
    expect(await all.find(short)).toBeDefined();
    vi.advanceTimersByTime(1);
    expect(await all.find(short)).toBeUndefined();
    vi.advanceTimersByTime(11 * hour - 1);
    expect((await all.find(cookie))?.identity).toEqual(identity);
    expect(close).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(await all.find(cookie)).toBeUndefined();
    expect(close).toHaveBeenCalledOnce();
  });

  it("by a link begin within five minutes, once", async () => {
    const all = await logins();
    const [first, second] = [all.link(identity), all.link(identity)];
    vi.advanceTimersByTime(5 * 60_000 - 1);
    expect(all.linked(first)).toEqual(identity);
    expect(all.takeLink(first)).toEqual(identity);
    expect(all.takeLink(first)).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(all.takeLink(second)).toBeUndefined();
    expect(all.takeLink("")).toBeUndefined();
  });

  it("go by the clock of the store, whatever this machine's is", async () => {
    const { blobs } = new MemoryStore();
    const all = await logins({ blobs, now: () => 1_000_000 });
    const cookie = await all.begin(identity);
    expect(await (await logins({ blobs, now: () => 1_000_000 + 12 * hour - 1 })).find(cookie)).toBeDefined();
    expect(await (await logins({ blobs, now: () => 1_000_000 + 12 * hour })).find(cookie)).toBeUndefined();
  });

  it("hold at every process on the store, and end there; the store never knows a cookie", async () => {
    const store = new MemoryStore();
    const [one, other] = [await logins(store), await logins(store)];
    const cookie = await one.begin(identity);
    expect((await other.find(cookie))?.identity).toEqual(identity);
    const kept = [];
    for await (const name of store.blobs.list("")) {
      kept.push(name, new TextDecoder().decode(await store.blobs.get(name)));
    }
    expect(kept).toHaveLength(2);
    expect(kept.join()).not.toContain(cookie.split("-")[1]);
    const close = vi.fn();
    other.stream({ identity, cookie }, close);
    await one.end(cookie);
    expect(await other.find(cookie)).toBeUndefined();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(close).toHaveBeenCalledOnce();
    for (const wrong of ["", "x", `zzzzzzzz-${"a".repeat(43)}`, `../${cookie}`]) {
      expect(await other.find(wrong)).toBeUndefined();
    }
  });

  it("are removed from the store when they are over", async () => {
    const store = new MemoryStore();
    const all = await logins(store);
    await all.begin(identity);
    vi.advanceTimersByTime(12 * hour);
    await all.begin(identity);
    const kept = [];
    for await (const name of store.blobs.list("")) kept.push(name);
    expect(kept).toHaveLength(1);
  });

  it("know the forms that they were shown", async () => {
    const [one, other] = [await logins(), await logins()];
    expect(one.isFormKey("a", one.formKey("a"))).toBe(true);
    expect(one.isFormKey("b", one.formKey("a"))).toBe(false);
    expect(other.isFormKey("a", one.formKey("a"))).toBe(false);
    expect(one.isFormKey("a", "")).toBe(false);
  });
});
