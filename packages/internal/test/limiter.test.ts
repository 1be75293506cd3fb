import { describe, expect, it } from "vitest";
import { Limiter, type Release } from "../src/index.ts";

function taken(place: unknown): Release {
  if (typeof place !== "function") throw new Error(`no place: ${String(place)}`);
  return place as Release;
}

describe("Limiter", () => {
  it("gives places at once, then in order of arrival", async () => {
    const limiter = new Limiter(2);
    const first = taken(limiter.take());
    taken(limiter.take());
    const order: number[] = [];
    const enter = async (name: number): Promise<Release> => {
      const place = await limiter.take();
      order.push(name);
      return taken(place);
    };
    const third = enter(3);
    const fourth = enter(4);
    expect([limiter.running, limiter.waiting, limiter.isFree]).toEqual([2, 2, false]);
    first();
    first();
    (await third)();
    (await fourth)();
    expect(order).toEqual([3, 4]);
    expect([limiter.running, limiter.waiting]).toEqual([1, 0]);
  });

  it("says why there is no place", async () => {
    const limiter = new Limiter(1, 2);
    const release = taken(limiter.take());
    const controller = new AbortController();
    const late = limiter.take({ ms: 1 });
    const aborted = limiter.take({ signal: controller.signal });
    expect(limiter.take()).toBe("full");
    controller.abort();
    expect(await Promise.all([late, aborted])).toEqual(["late", "aborted"]);
    expect(limiter.take({ signal: controller.signal })).toBe("aborted");
    const waiting = limiter.take();
    limiter.close();
    expect(await waiting).toBe("closed");
    expect(limiter.take()).toBe("closed");
    release();
    expect(limiter.running).toBe(0);
  });

  it("lets others pass who waits for a place of its own key", async () => {
    const limiter = new Limiter(2);
    const mail = { key: "mail", keyLimit: 1 };
    const first = taken(limiter.take(mail));
    const second = Promise.resolve(limiter.take(mail));
    const other = taken(limiter.take({ key: "read" }));
    expect(limiter.waiting).toBe(1);
    other();
    expect(limiter.waiting).toBe(1);
    first();
    taken(await second)();
    expect(limiter.running).toBe(0);
  });
});
