import { describe, expect, it } from "vitest";
import { type AnyTool, type ToolAnnotations, type ToolContext, ToolError } from "../../src/index.ts";
import { onceTool, settleOnce } from "../../src/once-layer.ts";
import { log } from "./support.ts";

const context = (more: Partial<ToolContext> = {}): ToolContext => ({
  signal: new AbortController().signal,
  callId: "c",
  ...more,
});

function pay(execute: AnyTool["execute"], annotations?: ToolAnnotations): AnyTool {
  return { name: "pay", description: "Pays.", inputSchema: {}, execute, ...(annotations && { annotations }) };
}

const watch = (execute: AnyTool["execute"], more: object = {}): AnyTool =>
  onceTool(pay(execute), { log: log(), scope: "shop", allowVolatile: true, ...more });

const said = /^\(This call was made before, at \S+Z\. Nothing was done now\. Its result:\)/;

describe("onceTool", () => {
  it.each<[string, unknown, (again: unknown) => void]>([
    ["a text", "paid", (again) => expect(again).toMatch(new RegExp(`${said.source}\\npaid$`))],
    ["nothing", undefined, (again) => expect(again).toMatch(new RegExp(`${said.source}\\n$`))],
    [
      "data",
      { paid: 1 },
      (again) =>
        expect(again).toMatchObject([{ text: expect.stringMatching(said) }, { type: "text", text: '{"paid":1}' }]),
    ],
    [
      "content",
      [{ type: "image", mediaType: "image/png", data: "AAAA" }],
      (again) => expect(again).toMatchObject([{ text: expect.stringMatching(said) }, { type: "image", data: "AAAA" }]),
    ],
  ])(
    "should give %s the first time, and say in its first line that nothing was done the second time",
    async (_, value, check) => {
      let runs = 0;
      const tool = watch(async () => {
        runs += 1;
        return value;
      });
      expect(await tool.execute({ n: 1 } as never, context())).toBe(value);
      check(await tool.execute({ n: 1 } as never, context()));
      expect(runs).toBe(1);
    },
  );

  it("should leave the value to programs, and say it beside", async () => {
    const notes: string[] = [];
    const tool = watch(() => ({ paid: 1 }));
    for (let time = 0; time < 2; time++)
      expect(await tool.execute({} as never, context({ note: (text) => notes.push(text) }))).toEqual({ paid: 1 });
    expect(notes).toEqual([expect.stringMatching(said)]);
  });

  it("should give values one after another as they come, and keep the last", async () => {
    const outputs = async (tool: AnyTool): Promise<unknown[]> => {
      const seen: unknown[] = [];
      const iterator = tool.execute({} as never, context()) as AsyncGenerator<unknown>;
      for (;;) {
        const { value, done } = await iterator.next();
        seen.push(value);
        if (done) return seen;
      }
    };
    const tool = watch(async function* () {
      yield "a";
      yield "b";
    });
    expect(await outputs(tool)).toEqual(["a", "b", "b"]);
    expect(await outputs(tool)).toEqual([expect.stringMatching(/\nb$/)]);
    const hidden = watch(() =>
      (function* () {
        yield 1;
        return 2;
      })(),
    );
    expect(await hidden.execute({} as never, context())).toBe(2);
  });

  it("should leave alone what may be called again, unless its effect is given", () => {
    for (const annotations of [{ readOnlyHint: true }, { idempotentHint: true }]) {
      const tool = pay(() => 1, annotations);
      const options = { log: log(), scope: "shop", allowVolatile: true };
      expect(onceTool(tool, options)).toBe(tool);
      expect(onceTool(tool, { ...options, effect: "opaque" })).not.toBe(tool);
    }
  });

  it("should end a call in doubt in an error for the model, until somebody settles it", async () => {
    const own = log();
    let runs = 0;
    const tool = watch(
      () => {
        runs += 1;
        throw new Error("secret of the other system");
      },
      { log: own, key: ({ order }: { order: string }) => order },
    );
    for (let time = 0; time < 2; time++) {
      const error = await Promise.resolve(tool.execute({ order: "o7" } as never, context())).catch(
        (thrown: unknown) => thrown,
      );
      expect(ToolError.isInstance(error) && [error.message, error.data.type]).toEqual([
        'Nobody knows whether this call took effect. It is not run again: tell the user, who can find out and settle it (settleOnce, scope "shop/pay", key "o7").',
        "InDoubt",
      ]);
    }
    expect(runs).toBe(1);
    expect(await settleOnce(own, { scope: "shop/pay", key: "o7" }, { happened: true, value: "paid" }, "ann")).toBe(
      true,
    );
    expect(await tool.execute({ order: "o7" } as never, context())).toMatch(/paid$/);
    await expect(tool.execute({ order: "o7", more: 1 } as never, context())).rejects.toMatchObject({
      data: { type: "Conflict" },
    });
  });

  it("should know that a tool has done nothing that needs something first", async () => {
    let runs = 0;
    const tool = watch(() => {
      if (++runs === 1) throw new ToolError("A person must decide.", { data: { needs: "later" } });
      return "paid";
    });
    await expect(tool.execute({} as never, context())).rejects.toThrow("A person must decide.");
    expect(await tool.execute({} as never, context())).toBe("paid");
  });

  it("should name inputs by what they are in JSON, and refuse what looks like another one", async () => {
    let runs = 0;
    const tool = watch(() => ++runs);
    expect(await tool.execute({ at: new Date(0) } as never, context())).toBe(1);
    expect(await tool.execute({ at: new Date(1) } as never, context())).toBe(2);
    await expect(tool.execute({ set: new Set([1]) } as never, context())).rejects.toThrow(/pass \{ key \}/);
    const keyed = watch(() => ++runs, { key: () => "k" });
    expect(await keyed.execute({ set: new Set([1]) } as never, context())).toBe(3);
    expect(await keyed.execute(undefined as never, context())).toMatchObject([{}, { text: "3" }]);
  });

  it.each<[string, object]>([
    ["needs a log and a scope", { scope: "a" }],
    ["no option", { log: log(), scope: "a", keys: {} }],
    ["effect must be", { log: log(), scope: "a", effect: "pure" }],
  ])("should refuse a mistake in the options: %s", (text, options) => {
    expect(() =>
      onceTool(
        pay(() => 1),
        options as never,
      ),
    ).toThrow(text);
    expect(() =>
      onceTool(
        pay(() => 1),
        options as never,
      ),
    ).toThrow(TypeError);
  });
});
