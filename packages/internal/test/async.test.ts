import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { ignoreRejection, isThenable, onAbort, settleWithin, sleep, unsettled, untilAborted } from "../src/index.ts";

const never = new Promise<never>(() => {});

describe("onAbort", () => {
  it("runs what was registered once, and not what was taken away", () => {
    const controller = new AbortController();
    const ran: string[] = [];
    onAbort(controller.signal, () => ran.push("a"));
    const stop = onAbort(controller.signal, () => ran.push("b"));
    stop();
    controller.abort();
    expect(ran).toEqual(["a"]);
  });

  it("runs at once on an aborted signal, and never without one", () => {
    const ran: string[] = [];
    onAbort(AbortSignal.abort(), () => ran.push("now"));
    onAbort(undefined, () => ran.push("never"));
    expect(ran).toEqual(["now"]);
  });

  it("needs one listener for any number of waits, and leaves none when all have ended", async () => {
    const controller = new AbortController();
    const listeners = () => getEventListeners(controller.signal, "abort").length;
    const done = Promise.all(Array.from({ length: 1000 }, () => settleWithin(1, { signal: controller.signal })));
    expect(listeners()).toBe(0);
    await done;
    let finish = () => {};
    const work = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const waiting = Promise.all(Array.from({ length: 1000 }, () => settleWithin(work, { signal: controller.signal })));
    await sleep(0);
    expect(listeners()).toBe(1);
    finish();
    await waiting;
    expect(listeners()).toBe(0);
    const stop = onAbort(controller.signal, () => {});
    expect(listeners()).toBe(1);
    stop();
    stop();
    expect(listeners()).toBe(0);
  });
});

describe("settleWithin", () => {
  it("gives the work's end, good or bad", async () => {
    await expect(settleWithin(Promise.resolve(1), { ms: 1000 })).resolves.toBe(1);
    await expect(settleWithin(Promise.reject(new Error("no")), { ms: 1000 })).rejects.toThrow("no");
  });

  it("gives up when the time is over, the signal is aborted, or was", async () => {
    await expect(settleWithin(never, { ms: 1 })).resolves.toBe(unsettled);
    const controller = new AbortController();
    const waiting = settleWithin(never, { signal: controller.signal });
    controller.abort();
    await expect(waiting).resolves.toBe(unsettled);
    await expect(settleWithin(Promise.reject(new Error("late")), { signal: controller.signal })).resolves.toBe(
      unsettled,
    );
  });
});

describe("untilAborted", () => {
  it("rejects with the signal's reason", async () => {
    const controller = new AbortController();
    const waiting = untilAborted(never, controller.signal);
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(untilAborted(2, new AbortController().signal)).resolves.toBe(2);
  });
});

describe("sleep", () => {
  it("says whether the time went by", async () => {
    await expect(sleep(1)).resolves.toBe(true);
    const controller = new AbortController();
    const sleeping = sleep(1_000_000, controller.signal);
    controller.abort();
    await expect(sleeping).resolves.toBe(false);
    await expect(sleep(0, controller.signal)).resolves.toBe(false);
  });

  it("doesn't end at once when the time is longer than a timer can wait", async () => {
    const controller = new AbortController();
    const sleeping = sleep(2 ** 40, controller.signal);
    await expect(settleWithin(sleeping, { ms: 20 })).resolves.toBe(unsettled);
    controller.abort();
  });
});

describe("promises of any kind", () => {
  it("are known by their `then`", () => {
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library.
    expect(isThenable({ then: () => {} })).toBe(true);
    for (const value of [undefined, null, 1, "then", {}, []]) expect(isThenable(value)).toBe(false);
  });

  it("are let go without a word", async () => {
    ignoreRejection(Promise.reject(new Error("nobody's")));
    ignoreRejection({
      // biome-ignore lint/suspicious/noThenProperty: reading it is what fails.
      get then(): never {
        throw new Error("no promise");
      },
    });
    await sleep(1);
  });
});
