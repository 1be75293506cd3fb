import { describe, expect, it } from "vitest";
import { MemoryOperationLog } from "../../src/memory-operation-log.ts";
import { once, settleOnce } from "../../src/once-layer.ts";
import { brokenAt, codeOf, log, options } from "./support.ts";

const scope = "shop/refund";

describe("once, when the log fails", () => {
  const down = async (): Promise<never> => {
    throw new Error("disk full");
  };

  it.each(["claim", "begin"] as const)("should not do what it can't write down: %s", async (method) => {
    const own = log();
    let effects = 0;
    const error = await once(brokenAt(own, method, down), options(), () => ++effects).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "once/not-recorded", cause: { message: "disk full" } });
    expect(effects).toBe(0);
    expect((await once(own, options({ waitMs: 0 }), () => ++effects)).value).toBe(1);
  });

  it("should give a key back whose beginning was written without an answer", async () => {
    const own = log();
    const deaf = brokenAt(own, "begin", async (run) => {
      await run();
      throw new Error("no answer");
    });
    expect(await codeOf(once(deaf, options(), () => 1))).toBe("once/not-recorded");
    expect((await once(own, options({ waitMs: 0 }), () => 2)).value).toBe(2);
  });

  it.each([
    ["fails", down],
    ["was lost to another", async () => false],
  ])("should not report what is not written down: the end %s", async (_, end) => {
    let now = 0;
    const own = new MemoryOperationLog({ now: () => now });
    expect(await codeOf(once(brokenAt(own, "finish", end), options(), () => 1))).toBe("once/lost");
    expect(await codeOf(once(own, options({ waitMs: 0 }), () => 2))).toBe("once/busy");
    now = 60_000;
    expect(await codeOf(once(own, options(), () => 2))).toBe("once/in-doubt");
  });

  it("should be in doubt by its lease when the doubt can't be written down", async () => {
    let now = 0;
    const own = new MemoryOperationLog({ now: () => now });
    const failed = once(brokenAt(own, "doubt", down), options(), () => {
      throw new Error("reset");
    });
    await expect(failed).rejects.toMatchObject({ code: "once/lost", cause: { message: "reset" } });
    now = 60_000;
    expect(await codeOf(once(own, options(), () => 2))).toBe("once/in-doubt");
  });

  it("should tell the work when its lease is lost, and not report its value", async () => {
    const own = log();
    const run = once(
      brokenAt(own, "renew", async () => false),
      options({ leaseMs: 30 }),
      async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        await settleElsewhere();
        return 1;
      },
    );
    async function settleElsewhere(): Promise<void> {
      while ((await own.claim({ scope, key: "k", fingerprint: "", owner: "b", leaseMs: 1 })).status === "busy")
        await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(await codeOf(run)).toBe("once/lost");
    expect(await own.read({ scope, key: "k" })).toMatchObject({ state: "in-doubt" });
  });

  it("should not note anything for an attempt that was lost", async () => {
    const own = log();
    const run = once(own, options(), async ({ note }) => {
      await own.doubt({ scope, key: "k", fence: 1 }, "taken");
      await settleOnce(own, { scope, key: "k" }, { happened: false }, "ann");
      await note(1);
      return 1;
    });
    expect(await codeOf(run)).toBe("once/lost");
  });
});
