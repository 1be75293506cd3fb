import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { clockSince, keepLease, type Lease, type LeaseLoss } from "../src/index.ts";

const leaseMs = 300;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function kept(renew: () => Promise<boolean>, signal?: AbortSignal): { lease: Lease; losses: LeaseLoss[] } {
  const losses: LeaseLoss[] = [];
  const options = { leaseMs, leaseUntil: Date.now() + leaseMs, now: () => Date.now(), signal };
  return { lease: keepLease({ renew }, "claim", { ...options, onLost: (loss) => losses.push(loss) }), losses };
}

describe("keepLease", () => {
  it("renews every third of the lease, and no more once stopped", async () => {
    const renew = vi.fn(async () => true);
    const { lease } = kept(renew);
    await vi.advanceTimersByTimeAsync(10 * leaseMs);
    expect(renew).toHaveBeenCalledTimes(30);
    expect(lease.loss).toBeUndefined();
    lease.stop();
    await vi.advanceTimersByTimeAsync(leaseMs);
    expect(renew).toHaveBeenCalledTimes(30);
  });

  it("has stopped when no renewal is under way any more", async () => {
    const order: string[] = [];
    const { lease } = kept(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      order.push("renewed");
      return true;
    });
    await vi.advanceTimersByTimeAsync(leaseMs / 3);
    const stopped = lease.stop().then(() => order.push("stopped"));
    await vi.advanceTimersByTimeAsync(50);
    await stopped;
    expect(order).toEqual(["renewed", "stopped"]);
  });

  it("is lost when the log says so", async () => {
    const { lease, losses } = kept(async () => false);
    await vi.advanceTimersByTimeAsync(leaseMs);
    expect(losses).toEqual(["taken"]);
    expect(lease.signal.aborted).toBe(true);
    expect(await lease.hold()).toBe(false);
  });

  it("outlives failures that are shorter than the lease", async () => {
    let fails = 2;
    const { lease } = kept(async () => {
      if (fails-- > 0) throw new Error("busy");
      return true;
    });
    await vi.advanceTimersByTimeAsync(3 * leaseMs);
    expect(lease.loss).toBeUndefined();
    lease.stop();
  });

  it("is lost when the log fails, or is silent, for longer", async () => {
    const failing = kept(async () => {
      throw new Error("down");
    });
    const silent = kept(() => new Promise(() => {}));
    await vi.advanceTimersByTimeAsync(2 * leaseMs);
    expect(failing.losses).toEqual(["expired"]);
    expect(silent.losses).toEqual(["expired"]);
    expect(await silent.lease.hold()).toBe(false);
  });

  it("asks the log before it holds a lease that is half over, and waits no longer than the lease", async () => {
    const renew = vi.fn(async () => true);
    const { lease } = kept(renew);
    expect(await lease.hold()).toBe(true);
    expect(renew).not.toHaveBeenCalled();
    vi.setSystemTime(Date.now() + leaseMs);
    expect(await lease.hold()).toBe(true);
    expect(renew).toHaveBeenCalledTimes(1);
    lease.stop();
    const silent = kept(() => new Promise(() => {}));
    vi.setSystemTime(Date.now() + leaseMs);
    const held = silent.lease.hold();
    await vi.advanceTimersByTimeAsync(leaseMs);
    await expect(held).resolves.toBe(false);
  });

  it("keeps the claim of a process that was stopped, when the log still knows it", async () => {
    let answer: (held: boolean) => void = () => {};
    const { lease } = kept(() => new Promise((resolve) => (answer = resolve)));
    await vi.advanceTimersByTimeAsync(leaseMs / 3);
    // Stopped for a long time; then one round passes before the answer is read.
    vi.setSystemTime(Date.now() + 100 * leaseMs);
    await vi.advanceTimersByTimeAsync(leaseMs / 3);
    answer(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(lease.loss).toBeUndefined();
    lease.stop();
  });

  it("passes on an abort, which is no loss", async () => {
    const controller = new AbortController();
    const { lease, losses } = kept(async () => true, controller.signal);
    controller.abort(new Error("stop"));
    expect(lease.signal.reason).toEqual(new Error("stop"));
    expect(losses).toEqual([]);
    lease.stop();
  });
});

describe("clockSince", () => {
  it("is never behind the log's clock", () => {
    const asked = performance.now();
    const claimedAt = 1_000_000;
    const now = clockSince(claimedAt, asked);
    vi.advanceTimersByTime(50);
    expect(now()).toBeGreaterThanOrEqual(claimedAt + 50);
  });
});
