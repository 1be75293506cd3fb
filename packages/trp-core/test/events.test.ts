import { expect, it, vi } from "vitest";
import { createEmitter } from "../src/events/emitter.ts";
import type { RouterEvent } from "../src/events/types.ts";

// Linters fear the word in a definition.
const thenName = "then";

const event = (epoch: number): RouterEvent => ({
  type: "catalog.synced",
  at: 1,
  sessionId: "sess_1",
  epoch,
  capabilities: 3,
});

it("hands each event to every listener, in order (TRP v0.1 draft, 14.2)", () => {
  const emitter = createEmitter();
  const got: string[] = [];
  emitter.subscribe((one) => got.push(`a${(one as { epoch: number }).epoch}`));
  emitter.subscribe((one) => got.push(`b${(one as { epoch: number }).epoch}`));
  emitter.emit(event(1));
  emitter.emit(event(2));
  expect(got).toEqual(["a1", "b1", "a2", "b2"]);
});

it("goes on when a listener throws", () => {
  const emitter = createEmitter();
  const last = vi.fn();
  emitter.subscribe(() => {
    throw new Error("broken");
  });
  emitter.subscribe(() => {
    throw null;
  });
  emitter.subscribe(last);
  expect(() => emitter.emit(event(1))).not.toThrow();
  expect(last).toHaveBeenCalledOnce();
});

it("does not wait for async listeners, and takes their rejections", async () => {
  const emitter = createEmitter();
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  emitter.subscribe(async () => {
    await Promise.resolve();
    throw new Error("late");
  });
  const hostile = Object.defineProperty({}, thenName, {
    get() {
      throw new Error("hostile");
    },
  });
  emitter.subscribe(() => hostile);
  emitter.emit(event(1));
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

it("tells no listener that left, and a new one only from the next event on, also during an event", () => {
  const emitter = createEmitter();
  const got: string[] = [];
  const late = (one: RouterEvent): void => void got.push(`late${(one as { epoch: number }).epoch}`);
  let once = true;
  emitter.subscribe(() => {
    got.push("first");
    leaveSecond();
    if (once) emitter.subscribe(late);
    once = false;
  });
  const leaveSecond = emitter.subscribe(() => got.push("second"));
  emitter.emit(event(1));
  emitter.emit(event(2));
  expect(got).toEqual(["first", "first", "late2"]);
});

it("ends a subscription once, and only that one", () => {
  const emitter = createEmitter();
  const listener = vi.fn();
  const leave = emitter.subscribe(listener);
  emitter.subscribe(listener);
  leave();
  leave();
  emitter.emit(event(1));
  expect(listener).toHaveBeenCalledOnce();
  expect(emitter.active).toBe(true);
});

it("lets no listener change an event for the others", () => {
  const emitter = createEmitter();
  let seen = 0;
  emitter.subscribe((one) => {
    (one as { epoch: number }).epoch = 99;
  });
  emitter.subscribe((one) => {
    seen = (one as { epoch: number }).epoch;
  });
  emitter.emit(event(7));
  expect(seen).toBe(7);
});

it("says at once when a listener is no function", () => {
  expect(() => createEmitter().subscribe("log" as never)).toThrow(TypeError);
});
