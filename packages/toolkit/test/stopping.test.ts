import { ToolError } from "@toolglot/core";
import { describe, expect, it, vi } from "vitest";
import { collect, final, kitWith, lastOf, sleep, texts } from "./support.ts";

const never = new Promise<never>(() => {});
const notice = "The tool call was interrupted before it ended.";
const readOnly = { annotations: { readOnlyHint: true } };

describe("abort", () => {
  it("should reach the tool, and end the call as interrupted", async () => {
    const controller = new AbortController();
    let seen: AbortSignal | undefined;
    const kit = kitWith((_input, { signal }) => {
      seen = signal;
      return never;
    });
    setTimeout(() => controller.abort(new Error("user left")), 5);
    const response = await final(kit, {}, { signal: controller.signal });
    expect(response).toMatchObject({
      status: "interrupted",
      isInterrupted: true,
      error: { type: "Interrupted" },
      content: [{ type: "text", text: notice }],
    });
    expect(seen?.aborted).toBe(true);
    expect(seen?.reason).toEqual(new Error("user left"));
  });

  it("should not start a tool when it came before", async () => {
    const execute = vi.fn();
    const response = await final(kitWith(execute), {}, { signal: AbortSignal.abort() });
    expect(response.status).toBe("interrupted");
    expect(execute).not.toHaveBeenCalled();
  });

  it("should keep the content so far", async () => {
    const controller = new AbortController();
    const kit = kitWith(async function* () {
      yield "a";
      yield "ab";
      await never;
    });
    const responses = [];
    for await (const response of kit.callToolFunction({ name: "t" }, { signal: controller.signal })) {
      responses.push(response);
      if (responses.length === 2) setTimeout(() => controller.abort(), 1);
    }
    expect(texts(responses)).toEqual(["a", "ab", `ab\n\n${notice}`]);
    expect(lastOf(responses)).toMatchObject({ status: "interrupted", stream: true });
  });

  it("should end an endless generator that never waits", async () => {
    const controller = new AbortController();
    const cleaned = vi.fn();
    const kit = kitWith(function* () {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        cleaned();
      }
    });
    let count = 0;
    let last: unknown;
    for await (const response of kit.callToolFunction({ name: "t" }, { signal: controller.signal })) {
      last = response;
      if (++count === 10) controller.abort();
    }
    expect(last).toMatchObject({ status: "interrupted" });
    expect(cleaned).toHaveBeenCalledOnce();
  });

  it("should count an error after the abort as the abort", async () => {
    const controller = new AbortController();
    const kit = kitWith(async (_input, { signal }) => {
      await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    });
    setTimeout(() => controller.abort(), 1);
    expect((await final(kit, {}, { signal: controller.signal })).status).toBe("interrupted");
  });

  it("should leave no listener behind", async () => {
    const controller = new AbortController();
    const added = vi.spyOn(controller.signal, "addEventListener");
    const removed = vi.spyOn(controller.signal, "removeEventListener");
    await final(
      kitWith(() => 1),
      {},
      { signal: controller.signal },
    );
    expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  });
});

describe("timeout", () => {
  it("should be an error the model reads, and the tool sees", async () => {
    let seen: AbortSignal | undefined;
    const kit = kitWith(
      (_input, { signal }) => {
        seen = signal;
        return never;
      },
      { timeoutMs: 10 },
    );
    expect(await final(kit)).toMatchObject({
      status: "error",
      isInterrupted: false,
      error: { type: "Timeout", message: 'The tool "t" did not end within 10 ms.' },
    });
    expect(seen?.reason).toMatchObject({ name: "TimeoutError" });
    await expect(collect(kit, {}, { onError: "throw" })).rejects.toMatchObject({ code: "toolkit/timeout" });
  });

  it("should keep the content so far", async () => {
    const kit = kitWith(
      async function* () {
        yield "half";
        await never;
      },
      { timeoutMs: 10 },
    );
    expect(texts(await collect(kit))).toEqual(["half", 'half\n\nError: The tool "t" did not end within 10 ms.']);
  });

  it("should not disturb a tool that is quick enough", async () => {
    expect((await final(kitWith(() => sleep(1).then(() => "ok"), { timeoutMs: 5000 }))).data).toBe("ok");
  });
});

describe("retries", () => {
  function flaky(failures: number, error: () => unknown = () => new Error("flaky")) {
    let calls = 0;
    return vi.fn(() => {
      if (++calls <= failures) throw error();
      return calls;
    });
  }

  it.each([[{ idempotentHint: true }], [{ readOnlyHint: true }]])(
    "should repeat a tool with %j",
    async (annotations) => {
      const execute = flaky(2);
      expect(await final(kitWith(execute, { annotations, retries: 2 }))).toMatchObject({ status: "ok", data: 3 });
      expect(execute).toHaveBeenCalledTimes(3);
    },
  );

  it("should give up after the last, with its error", async () => {
    const execute = flaky(9);
    expect(await final(kitWith(execute, { ...readOnly, retries: 1 }))).toMatchObject({ error: { message: "flaky" } });
    expect(execute).toHaveBeenCalledTimes(2);
  });

  it("should never repeat a tool that may do something twice", async () => {
    const execute = flaky(1);
    const kit = kitWith(execute, { name: "u" });
    expect(kit.registerToolFunction(execute, { name: "t", description: "d", retries: 3 })[0]).toContain(
      "is not retried",
    );
    expect((await final(kit)).status).toBe("error");
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it("should not repeat after a chunk, a ToolError or a fault of post-processing", async () => {
    const streamed = vi.fn(function* () {
      yield 1;
      throw new Error("x");
    });
    await final(kitWith(streamed, { ...readOnly, retries: 3 }));
    expect(streamed).toHaveBeenCalledTimes(1);
    const told = flaky(1, () => new ToolError("no such city"));
    await final(kitWith(told, { ...readOnly, retries: 3 }));
    expect(told).toHaveBeenCalledTimes(1);
    const fine = flaky(0);
    const broken = () => {
      throw new Error("post");
    };
    await final(kitWith(fine, { ...readOnly, retries: 3, postprocess: broken }));
    expect(fine).toHaveBeenCalledTimes(1);
  });

  it("should repeat a generator that failed before its first chunk, and one that took too long", async () => {
    let calls = 0;
    const generator = kitWith(
      async function* () {
        if (++calls === 1) throw new Error("x");
        yield "ok";
      },
      { ...readOnly, retries: 1 },
    );
    expect((await final(generator)).data).toBe("ok");
    let slow = 0;
    const hanging = kitWith(() => (++slow === 1 ? never : "ok"), { ...readOnly, retries: 1, timeoutMs: 20 });
    expect((await final(hanging)).data).toBe("ok");
  });

  it("should stop waiting when aborted between attempts", async () => {
    const controller = new AbortController();
    const execute = flaky(9);
    setTimeout(() => controller.abort(), 20);
    const response = await final(kitWith(execute, { ...readOnly, retries: 9 }), {}, { signal: controller.signal });
    expect(response.status).toBe("interrupted");
    expect(execute.mock.calls.length).toBeLessThan(9);
  });
});
