import { principal } from "@toolglot/trp-core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAuthenticator } from "../../src/identity/authenticator.ts";
import type { Identity } from "../../src/identity/types.ts";
import { Logins } from "../../src/page/logins.ts";

const hour = 60 * 60_000;
const identity: Identity = { id: "jwt-1", principal: principal({ id: "ada" }), mayElicit: true, lenientHeaders: false };
const logins = async () => new Logins(await createAuthenticator({}));

describe("logins", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("end after twelve hours, with their streams, or with the token", async () => {
    const all = await logins();
    const cookie = all.begin(identity);
    const short = all.begin({ ...identity, expiresAt: Date.now() + hour });
    const close = vi.fn();
    all.stream(cookie, close);
    vi.advanceTimersByTime(hour - 1);
    expect(all.find(short)).toBeDefined();
    vi.advanceTimersByTime(1);
    expect(all.find(short)).toBeUndefined();
    vi.advanceTimersByTime(11 * hour - 1);
    expect(all.find(cookie)?.identity).toEqual(identity);
    expect(close).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(all.find(cookie)).toBeUndefined();
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

  it("are a thousand at most: the oldest ends", async () => {
    const all = await logins();
    const first = all.begin(identity);
    const others = Array.from({ length: 1_000 }, () => all.begin(identity));
    expect(all.find(first)).toBeUndefined();
    expect(others.every((cookie) => all.find(cookie) !== undefined)).toBe(true);
  });

  it("know the forms that they were shown", async () => {
    const [one, other] = [await logins(), await logins()];
    expect(one.isFormKey("a", one.formKey("a"))).toBe(true);
    expect(one.isFormKey("b", one.formKey("a"))).toBe(false);
    expect(other.isFormKey("a", one.formKey("a"))).toBe(false);
    expect(one.isFormKey("a", "")).toBe(false);
  });
});
