import type { ExecutorContext } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { programTools, routerExecutor } from "../src/index.ts";
import { world } from "./support.ts";

// What is done on one side of an operation is carried through on the other.

const context: ExecutorContext = {
  signal: new AbortController().signal,
  emit: () => undefined,
  approve: async () => ({ approved: false }),
  runId: "run",
  stepIndex: 0,
};

describe("an effect and its replay", () => {
  it("are told apart by a model, a program of the host, and its code, in one field each", async () => {
    const { client, effects } = world();
    const trp = client();
    const first = await trp.callByCap("cap.note.add.v1", { text: "x" });
    const again = await trp.callByCap("cap.note.add.v1", { text: "x" }, { key: first.key ?? "" });
    expect([first.replayedFrom, again.replayedFrom, effects]).toEqual([undefined, first.callId, ["x"]]);
    expect(again.replayedAt).toBeLessThanOrEqual(Date.now());
    const executor = routerExecutor(trp);
    const calls = [{ id: "1", name: "add_note", input: { text: "y" }, protocol: "native" }];
    const told = async () => (await executor.execute({ kind: "calls", calls, span: { start: 0, end: 0 } }, context))[0];
    const [done, replayed] = [await told(), await told()];
    expect([done?.metadata?.replayedFrom, replayed?.metadata?.replayedFrom]).toEqual([
      undefined,
      done?.metadata?.trpCallId,
    ]);
    expect(JSON.stringify(done?.content)).not.toContain("Nothing was done now");
    expect(JSON.stringify(replayed?.content)).toMatch(
      /^\[\{"type":"text","text":"\{\\"replayed\\":\\"Nothing was done now/,
    );
  });
});

describe("a failure and its cause", () => {
  it("go to a program together: what it catches says whether anything was done", async () => {
    const { client } = world();
    const tools = await programTools(client(), { runId: "r" });
    const made = async (name: string, input: object): Promise<unknown> => {
      const tool = tools.find((one) => one.name === name);
      try {
        return await tool?.execute(input as never, { signal: context.signal, callId: `${name}:1` });
      } catch (error) {
        return (error as { data: unknown }).data;
      }
    };
    expect(await made("echo", { text: 5 })).toMatchObject({ code: "TRP_2001", executed: "no" });
    expect(await made("send_mail", { to: "a" })).toMatchObject({
      code: "TRP_4002",
      executed: "no",
      approvalIds: [expect.any(String)],
    });
    const [one] = (await made("router.batch", { calls: [{ name: "echo", args: { text: 5 } }] })) as object[];
    expect(one).toMatchObject({ ok: false, code: "TRP_2001", executed: "no" });
  });
});
