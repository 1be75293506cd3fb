import type {
  Action,
  AnyTool,
  ApprovalRequest,
  CallHooks,
  Decision,
  Executor,
  ExecutorContext,
  ExecutorEvent,
  ToolResult,
} from "@toolglot/core";
import { ToolError } from "@toolglot/core";
import { describe, expect, it } from "vitest";

/** The calls that the suite makes. Every executor has its own way to have them. */
export type CallKind = "read" | "write" | "fail" | "guarded" | "stream" | "generator" | "stuck" | "outside";

/** An executor under test. */
export interface ExecutorUnderTest {
  executor: Executor;
  /** An action that makes these calls in this order. */
  action(kinds: readonly CallKind[]): Action;
  /** What took effect, in order: `write`, `guarded`. */
  effects: readonly string[];
  /** Another valid input for a call of the kind `guarded`. Default `{ n: 7 }`. */
  otherInput?: unknown;
}

/** What an executor does on purpose in another way, with the reason. */
export interface ExecutorDifferences {
  /** Kinds that it has no calls of. */
  without?: Partial<Record<CallKind, string>>;
  /** It shows no progress of streams. */
  noProgress?: string;
  /** What a call comes to that nobody decided about, as the host threw. Default `denied`. */
  undecided?: { status: ToolResult["status"]; why: string };
  /** It shows no values of calls. */
  noData?: string;
}

/** The tools of the suite, for executors that take tools. What they do is written to `effects`. */
export function suiteTools(effects: string[]): AnyTool[] {
  const inputSchema = { type: "object" as const, properties: { n: { type: "integer" as const } } };
  const tool = (name: CallKind, execute: AnyTool["execute"], annotations: AnyTool["annotations"] = {}): AnyTool => ({
    ...{ name, description: `Does ${name}.`, inputSchema, annotations, execute },
  });
  return [
    tool("read", () => new Promise((resolve) => setTimeout(resolve, 20, "read")), { readOnlyHint: true }),
    tool("write", () => effects.push("write")),
    tool("fail", () => {
      throw new ToolError("there is no such page");
    }),
    tool("guarded", () => effects.push("guarded"), { requiresApproval: true }),
    tool("stream", async function* () {
      yield 1;
      yield 2;
      yield 3;
    }),
    tool("generator", function* () {
      yield 1;
      return 2;
    }),
    tool("stuck", () => new Promise(() => {}), { readOnlyHint: true }),
    { ...tool("outside", () => effects.push("outside")), external: true },
  ];
}

type Start = ExecutorEvent & { type: "tool-call-start" };
type End = ExecutorEvent & { type: "tool-call-end" };

/** What every executor does alike: the events of a call, the order of calls, questions to the host, and how calls end. */
export function describeExecutor(
  name: string,
  open: () => Promise<ExecutorUnderTest> | ExecutorUnderTest,
  differences: ExecutorDifferences = {},
): void {
  const { without = {}, noProgress, undecided, noData } = differences;
  /** A test that makes these calls, where the executor has them. */
  const needs = (kinds: CallKind[]): ((name: string, test: () => Promise<void>) => void) =>
    kinds.some((kind) => without[kind] !== undefined) ? () => {} : it;

  async function run(
    kinds: readonly CallKind[],
    approve: ExecutorContext["approve"] = async () => ({ approved: true }),
    controller: AbortController = new AbortController(),
    onStart: () => void = () => {},
    hooksOf?: (under: ExecutorUnderTest, log: string[]) => CallHooks,
  ) {
    const under = await open();
    const { executor, action } = under;
    const events: ExecutorEvent[] = [];
    const log: string[] = [];
    const hooks = hooksOf?.(under, log);
    const context: ExecutorContext = {
      ...{ signal: controller.signal, runId: "run", stepIndex: 0 },
      ...(hooks && { hooks }),
      approve(request) {
        log.push(`approve ${JSON.stringify(request.input)}`);
        return approve(request);
      },
      emit(event) {
        // A host's context may be an object with a `this`.
        expect(this).toBe(context);
        events.push(event);
        if (event.type === "tool-call-start") onStart();
      },
    };
    const results = await executor.execute(action(kinds), context);
    const starts = events.filter((event): event is Start => event.type === "tool-call-start");
    const ends = events.filter((event): event is End => event.type === "tool-call-end");
    return { results, events, starts, ends, effects: under.effects, log };
  }
  const yes = async (): Promise<Decision> => ({ approved: true });
  const withHooks = (
    kinds: readonly CallKind[],
    hooksOf: (under: ExecutorUnderTest, log: string[]) => CallHooks,
    approve?: ExecutorContext["approve"],
  ) => run(kinds, approve ?? yes, undefined, undefined, hooksOf);

  describe(`${name}, as every executor`, () => {
    needs(["read", "write", "fail"])("reports a start and an end for each call, with the same fields", async () => {
      const { events, starts, ends, results } = await run(["read", "write", "fail"]);
      expect(starts).toHaveLength(3);
      expect(ends.map(({ callId }) => callId).sort()).toEqual(starts.map(({ callId }) => callId).sort());
      expect(new Set(starts.map(({ callId }) => callId)).size).toBe(3);
      for (const start of starts) {
        expect(Object.keys(start).sort()).toEqual(["callId", "input", "name", "type"]);
        const end = ends.find(({ callId }) => callId === start.callId) as End;
        expect(events.indexOf(end)).toBeGreaterThan(events.indexOf(start));
        expect(end.name).toBe(start.name);
        expect(end.ms).toBeGreaterThanOrEqual(0);
        const allowed = ["callId", "data", "error", "ms", "name", "status", "type"];
        expect(allowed).toEqual(expect.arrayContaining(Object.keys(end)));
      }
      expect(ends.map(({ status }) => status).sort()).toEqual(["error", "ok", "ok"]);
      const error = ends.find(({ status }) => status === "error")?.error;
      expect(error).toMatchObject({ type: expect.stringMatching(/./), message: expect.stringMatching(/./) });
      for (const result of results)
        expect(result).toMatchObject({ status: expect.any(String), content: expect.any(Array) });
    });

    needs(["read", "write"])(
      "lets what changes something wait for what stands before it, and hold up what follows",
      async () => {
        const { events, starts } = await run(["read", "read", "write", "read"]);
        const at = (index: number, type: string): number =>
          events.findIndex((event) => event.type === type && event.callId === starts[index]?.callId);
        expect(at(2, "tool-call-start")).toBeGreaterThan(Math.max(at(0, "tool-call-end"), at(1, "tool-call-end")));
        expect(at(3, "tool-call-start")).toBeGreaterThan(at(2, "tool-call-end"));
      },
    );

    needs(["guarded"])("asks the host about the input as it was, and runs what was approved", async () => {
      const asked: unknown[] = [];
      const { starts, ends, effects } = await run(["guarded"], async (request) => {
        asked.push(request);
        return { approved: true };
      });
      expect(asked).toEqual([
        {
          kind: "tool-call",
          callId: starts[0]?.callId,
          tool: expect.any(String),
          input: expect.anything(),
          reason: expect.stringMatching(/[.?]$/),
        },
      ]);
      expect(ends).toMatchObject([{ status: "ok" }]);
      expect(effects).toEqual(["guarded"]);
    });

    needs(["guarded"])("runs nothing that was denied, and says who did not want it", async () => {
      const { ends, effects } = await run(["guarded"], async () => ({ approved: false, reason: "not on Fridays" }));
      expect(ends).toMatchObject([
        { status: "denied", error: { type: "Denied", message: expect.stringContaining("not on Fridays") } },
      ]);
      expect(effects).toEqual([]);
    });

    const undecidedStatus = undecided?.status ?? "denied";
    needs(["guarded"])(`takes a host that can't be asked for no approval: ${undecidedStatus}`, async () => {
      const gone = (): Promise<Decision> => Promise.reject(new Error("gone"));
      const silent = (): Promise<Decision> => Promise.resolve(undefined as never as Decision);
      for (const approve of [gone, silent]) {
        const { ends, effects } = await run(["guarded"], approve);
        expect(ends).toMatchObject([{ status: undecidedStatus }]);
        expect(effects).toEqual([]);
      }
    });

    needs(["guarded"])("asks one question at a time", async () => {
      let open = 0;
      let most = 0;
      await run(["guarded", "guarded"], async () => {
        most = Math.max(most, ++open);
        await new Promise((resolve) => setTimeout(resolve, 5));
        open--;
        return { approved: true };
      });
      expect(most).toBe(1);
    });

    for (const [kind, progress, value] of [
      ["stream", [1, 2, 3], 3],
      ["generator", [1], 2],
    ] as const) {
      needs([kind])(`gives one result of a ${kind}: what it returns, else the last value`, async () => {
        const { events, ends } = await run([kind]);
        expect(ends).toMatchObject([{ status: "ok" }]);
        const { data } = ends[0] as End;
        const given = typeof data === "object" && data !== null && "data" in data ? data.data : data;
        if (noData === undefined) expect(given).toEqual(value);
        const shown = events.flatMap((event) => (event.type === "tool-call-progress" ? [event.data] : []));
        expect(shown).toEqual(noProgress === undefined ? progress : []);
      });
    }

    needs(["stuck"])("ends every call soon after an abort, and never rejects", async () => {
      const controller = new AbortController();
      const abortSoon = (): unknown => setTimeout(() => controller.abort(), 20);
      const { starts, ends, results } = await run(["stuck"], undefined, controller, abortSoon);
      expect(starts).toHaveLength(1);
      expect(ends).toMatchObject([{ status: "interrupted" }]);
      expect(results).toMatchObject([{ status: "interrupted" }]);
    });

    needs(["guarded"])(
      "has hooks around a call, in their order, and runs the input that was decided about",
      async () => {
        const { log, effects, ends, starts } = await withHooks(["guarded"], (under, lines) => ({
          beforeCall(call, { runId, stepIndex, tool }) {
            expect([runId, stepIndex, call.id]).toEqual(["run", 0, expect.any(String)]);
            expect(tool?.name).toBe(call.name);
            lines.push("before");
            const input = under.otherInput ?? { n: 7 };
            // What is done to the copy is nothing to the call.
            (call.input as Record<string, unknown>).n = "not at all";
            return { input };
          },
          startCall(call) {
            expect(call.input).toEqual(under.otherInput ?? { n: 7 });
            lines.push(`start, ${under.effects.length} effects`);
          },
          afterCall(call, result) {
            expect(result).toMatchObject({ callId: call.id, name: call.name, status: "ok" });
            lines.push(`after, ${under.effects.length} effects`);
            return { ...result, content: [{ type: "text", text: "seen to" }], data: "seen to" };
          },
        }));
        const { otherInput = { n: 7 } } = await open();
        const asked = `approve ${JSON.stringify(otherInput)}`;
        const order = log.filter((line) => !line.startsWith("approve"));
        expect(order).toEqual(["before", "start, 0 effects", "after, 1 effects"]);
        expect(log.filter((line) => line === asked)).toHaveLength(1);
        expect(log.indexOf(asked)).toBeGreaterThan(log.indexOf("before"));
        expect(effects).toEqual(["guarded"]);
        expect(starts).toHaveLength(1);
        expect(ends).toMatchObject([{ status: "ok" }]);
        if (noData === undefined) expect(ends[0]?.data).toBe("seen to");
      },
    );

    needs(["guarded"])("runs nothing that a hook denies, or has the result of, and asks nobody", async () => {
      for (const [answer, status] of [
        [{ deny: "not on Fridays" }, "denied"],
        [{ result: { callId: "", status: "ok", content: [{ type: "text", text: "made up" }], data: "made up" } }, "ok"],
      ] as const) {
        const { log, effects, ends } = await withHooks(["guarded"], (_, lines) => ({
          beforeCall: () => answer as { deny: string } | { result: ToolResult },
          startCall: () => void lines.push("start"),
          afterCall: (_call, result) => void lines.push(`after ${result.status}`),
        }));
        expect(log).toEqual([`after ${status}`]);
        expect(effects).toEqual([]);
        expect(ends).toMatchObject([{ status }]);
        if (status === "denied") expect(ends[0]?.error?.message).toContain("not on Fridays");
      }
    });

    needs(["write"])("fails closed when a hook throws, or says what is no answer", async () => {
      const fail = (): never => {
        throw new Error("secret of the host");
      };
      const odd = (): never => ({ inputs: {} }) as never;
      const cases: [hooks: CallHooks, runs: boolean][] = [
        [{ beforeCall: fail }, false],
        [{ beforeCall: async () => fail() }, false],
        [{ beforeCall: odd }, false],
        [{ startCall: async () => fail() }, false],
        [{ afterCall: fail }, true],
        [{ afterCall: async () => odd() }, true],
      ];
      let next = -1;
      const { effects, ends, results } = await withHooks(
        cases.map(() => "write"),
        () => ({
          beforeCall: (...asked) => cases[++next]?.[0].beforeCall?.(...asked),
          startCall: (...told) => cases[next]?.[0].startCall?.(...told),
          afterCall: (...told) => cases[next]?.[0].afterCall?.(...told),
        }),
      );
      expect(effects).toEqual(cases.flatMap(([, runs]) => (runs ? ["write"] : [])));
      expect(ends).toHaveLength(cases.length);
      for (const end of ends) expect(end).toMatchObject({ status: "error", error: { type: "HookFailed" } });
      expect(JSON.stringify([ends, results])).not.toContain("secret of the host");
    });

    needs(["guarded"])("does not run a call whose decision comes later", async () => {
      const { effects, ends, log } = await withHooks(
        ["guarded"],
        (_, lines) => ({ afterCall: (_call, result) => void lines.push(`after ${result.status}`) }),
        async () => ({ approved: false, later: true }),
      );
      expect(effects).toEqual([]);
      expect(log.filter((line) => line.startsWith("after ok"))).toEqual([]);
      expect(ends).toMatchObject([{ status: expect.stringMatching(/^(pending|denied)$/) }]);
    });

    const result: ToolResult = {
      ...{ callId: "?", name: "?", status: "ok", data: { paid: 5 } },
      content: [{ type: "text", text: "paid 5" }],
    };
    for (const kind of ["guarded", "outside"] as const) {
      const asked: unknown[] = [];
      const decided = async (request: ApprovalRequest, given: ToolResult = result): Promise<Decision> => {
        asked.push(request.kind);
        return { approved: false, result: given };
      };
      needs([kind])(
        `takes a result from elsewhere for a call that is ${kind}: hooks see it, nothing runs`,
        async () => {
          const seen: unknown[] = [];
          const { effects, ends } = await withHooks(
            [kind],
            () => ({ afterCall: (_call, { status, data }) => void seen.push([status, data]) }),
            decided,
          );
          expect(asked.splice(0)).toEqual([kind === "guarded" ? "tool-call" : "external-call"]);
          expect(effects).toEqual([]);
          expect(seen).toEqual([["ok", result.data]]);
          expect(ends).toMatchObject([{ status: "ok" }]);
          if (noData === undefined) expect(JSON.stringify(ends[0]?.data)).toContain(JSON.stringify(result.data));
        },
      );

      needs([kind])(`tells of a call that is ${kind} how it failed elsewhere`, async () => {
        const error = { type: "CardRefused", message: "The card was refused." };
        const failed: ToolResult = { ...result, status: "error", content: [], error };
        const { effects, ends } = await run([kind], (request) => decided(request, failed));
        expect(effects).toEqual([]);
        expect(ends).toMatchObject([{ status: "error", error: { message: expect.stringContaining("refused") } }]);
      });
    }

    needs(["outside"])("never runs itself what is run elsewhere: approved, denied, later or undecided", async () => {
      for (const decision of [{ approved: true }, { approved: false }, { approved: false, later: true }, undefined]) {
        const { effects, ends } = await run(["outside"], async () => decision as Decision);
        expect(effects).toEqual([]);
        expect(ends).toMatchObject([{ status: expect.stringMatching(/^(pending|denied)$/) }]);
      }
    });

    needs(["write"])("runs nothing once it was aborted, and gives a result all the same", async () => {
      const controller = new AbortController();
      controller.abort();
      const { results, effects } = await run(["write"], undefined, controller);
      expect(results).toMatchObject([{ status: "interrupted" }]);
      expect(effects).toEqual([]);
    });
  });
}
