import { getEventListeners } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  andFinally,
  andThen,
  asPromise,
  ignoreRejection,
  settleSoon,
  sleep,
  unlessGivenUp,
  unsettled,
  whenDone,
} from "../src/index.ts";

const never = new Promise<never>(() => {});
afterEach(() => void vi.useRealTimers());

/** How many microtasks pass until it settles. */
async function turnsOf(promise: PromiseLike<unknown>): Promise<number> {
  let isOver = false;
  promise.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  let turns = 0;
  for (; !isOver; turns++) await undefined;
  return turns;
}

describe("steps behind a promise", () => {
  it("run in order and at once, however many there are", async () => {
    const ran: number[] = [];
    let chain: number | Promise<number> = Promise.resolve(0);
    for (let step = 1; step <= 50; step++) {
      chain = andThen(chain, (value) => {
        ran.push(step);
        return value + 1;
      });
    }
    expect(await turnsOf(asPromise(chain))).toBeLessThan(6);
    expect(ran).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(await chain).toBe(50);
  });

  it("are a promise to everybody else", async () => {
    const later = andThen(Promise.resolve(1), (value) => value + 1) as Promise<number>;
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBe(2);
    expect(await Promise.all([later, later.then((value) => value * 2)])).toEqual([2, 4]);
    expect(await later.finally(() => {})).toBe(2);
    expect(await asPromise(andThen(later, (value) => Promise.resolve(value + 1)))).toBe(3);
    expect(await asPromise(andThen(later, (value) => andThen(Promise.resolve(value), String)))).toBe("2");
  });

  it("pass on what fails, and what a step throws, until a step takes it", async () => {
    const ends: unknown[] = [];
    const failing = andFinally(
      () => andThen(Promise.reject(new Error("no")), () => ends.push("not here")),
      () => ends.push("end"),
    );
    const taken = whenDone(
      () => failing,
      () => "done",
      (error) => (error as Error).message,
    );
    expect(await taken).toBe("no");
    expect(ends).toEqual(["end"]);
    const thrown = andThen(Promise.resolve(), () => {
      throw new RangeError("step");
    }) as Promise<never>;
    await expect(thrown).rejects.toThrow("step");
    await expect(thrown.catch((error: Error) => error.message)).resolves.toBe("step");
    await expect(andThen(thrown, () => 1)).rejects.toThrow("step");
  });

  it("that fail while nobody asks are told to the host, once", async () => {
    const heard: unknown[] = [];
    const listeners = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", (reason) => heard.push(reason));
    try {
      const error = new Error("nobody");
      andThen(Promise.reject(error), () => {});
      ignoreRejection(andThen(Promise.reject(new Error("somebody")), () => {}));
      await sleep(5);
      expect(heard).toEqual([error]);
    } finally {
      process.removeAllListeners("unhandledRejection");
      for (const listener of listeners) process.on("unhandledRejection", listener);
    }
  });
});

describe("work that may be given up", () => {
  it("is not watched while it is done within a turn", async () => {
    let watched = 0;
    const watch = (): (() => void) => {
      watched++;
      return () => {};
    };
    await Promise.all(Array.from({ length: 10 }, (_, index) => unlessGivenUp(Promise.resolve(index), watch)));
    await sleep(1);
    expect(watched).toBe(0);
    let ended = 0;
    await unlessGivenUp(sleep(5), () => () => ended++);
    expect(ended).toBe(1);
  });

  it("ends as it is given up, and not again", async () => {
    let fail: (error: Error) => void = () => {};
    const work = new Promise<string>((_, reject) => {
      fail = reject;
    });
    let stopped = 0;
    const given = unlessGivenUp(work, (giveUp) => {
      giveUp(() => "given up");
      giveUp(() => "again");
      return () => stopped++;
    });
    expect(await given).toBe("given up");
    fail(new Error("too late, and no matter"));
    await sleep(1);
    expect(stopped).toBe(1);
    const thrown = unlessGivenUp(never, (giveUp) => {
      giveUp(() => {
        throw new Error("late");
      });
      return () => {};
    });
    await expect(thrown).rejects.toThrow("late");
  });

  it("leaves neither timer nor listener, by whichever it ends", async () => {
    const controller = new AbortController();
    const by = { signal: controller.signal };
    expect(await settleSoon(never, 1, by)).toBe(unsettled);
    expect(await settleSoon(sleep(1), 1000, by)).toBe(true);
    const aborted = settleSoon(never, 100_000, by);
    await sleep(1);
    controller.abort();
    expect(await aborted).toBe(unsettled);
    expect(getEventListeners(by.signal, "abort")).toEqual([]);
  });

  it("is given up in order of its times, though the turn in which it began lasts longer than all of them", async () => {
    const by = { signal: new AbortController().signal };
    const ended: string[] = [];
    const note = (name: string, work: Promise<unknown>): Promise<unknown> => work.then(() => ended.push(name));
    const others = Array.from({ length: 3 }, () => settleSoon(Promise.resolve(), 1000, by));
    const soon = settleSoon(never, 5, by);
    const overdue = unlessGivenUp<string>(never, (giveUp) => {
      const timer = setTimeout(() => giveUp(() => "second"), 0);
      return () => clearTimeout(timer);
    });
    const late = [note("first", soon), note("second", overdue)];
    await Promise.all(others);
    for (const until = performance.now() + 20; performance.now() < until; );
    await Promise.all(late);
    expect(ended).toEqual(["first", "second"]);
  });

  it("is watched though a test has put its own timers in place meanwhile, and forgotten them", async () => {
    vi.useFakeTimers();
    const first = settleSoon(never, 1, { signal: new AbortController().signal });
    ignoreRejection(first);
    vi.useRealTimers();
    await sleep(1);
    expect(await settleSoon(never, 1, { signal: new AbortController().signal })).toBe(unsettled);
  });
});
