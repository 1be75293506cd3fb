import { randomUUID } from "node:crypto";
import { ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Question } from "@toolglot/core";
import { maxTimerMs, sleep } from "@toolglot/internal";
import type { Principal } from "@toolglot/trp-core";
import { outcomeAnswer, outcomeMeta } from "../calls/answers.ts";
import type { Face } from "../faces/face.ts";
import { firstText } from "../import/kept-result.ts";
import type { Caller, ToolAnswer, ToolCalls } from "../types.ts";
import { type Askable, inputRequestOf, type OpenQuestions, questionAnswer } from "./asking.ts";
import type { GateCaller } from "./options.ts";
import { RunningCall } from "./parked-calls.ts";
import { type RunTarget, runTarget } from "./run-target.ts";
import type { TaskLog, TaskState } from "./task-log.ts";

/** Milliseconds from a task's beginning to its end, and for which its result is kept after an approval can't be decided any more. */
export const keptMs = 3_600_000;
/** Milliseconds between two tries while the same effect is running elsewhere, and between two looks for a client's answer. */
const busyMs = 2_000;
const lookMs = 500;
/** Milliseconds that a server's question waits for the client. */
const answerMs = 600_000;

/** Who asks about a task, and what the client lets itself be asked. */
export interface TaskClient {
  caller: Caller;
  can: Askable;
  /** Whose request it is, with what it came in by. */
  from: GateCaller;
}

/** What tasks are worked on with. `ready`: resolves when the servers, and a principal's lists, are there, or were waited for. */
export interface TaskParts {
  face: Face;
  calls: ToolCalls;
  ready(principal: Principal): Promise<void>;
}

/** The work on tasks: waits for a decision, makes the call, asks what its server asks, and notes the result. */
export class TaskSteps {
  readonly #face: Face;
  readonly #calls: ToolCalls;
  readonly #log: TaskLog;
  readonly #ready: TaskParts["ready"];

  constructor({ face, calls, ready }: TaskParts, log: TaskLog) {
    this.#face = face;
    this.#calls = calls;
    this.#log = log;
    this.#ready = ready;
  }

  /** Works on a task until it is final, or another process or the signal has ended that. Rejects as the store. */
  async toTheEnd(
    id: string,
    first: TaskState,
    client: TaskClient,
    running: RunningCall<ToolAnswer> | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    let state: TaskState | undefined = first;
    // What another process has begun: nobody knows how far it came.
    let isRepeated = first.stage === "running" && running === undefined;
    let call = running;
    for (;;) {
      if (state.stage === "waiting") state = await this.#decided(id, state, client, signal);
      if (state?.stage !== "running") return;
      // A process that has just been started waits for its servers.
      if (call === undefined) await this.#ready(client.caller.principal);
      call ??= this.#call(state, client, isRepeated);
      if (call === undefined) {
        const error = { code: ProtocolErrorCode.InvalidParams, message: `Tool ${state.call.name} not found` };
        return void (await this.#change(id, "running", { stage: "failed", error }));
      }
      const answer: ToolAnswer = await this.#answer(id, call, client, signal);
      call = undefined;
      const approval = approvalIn(answer, this.#log.now());
      if (approval === undefined) {
        if (!isBusy(answer) || !isRepeatable(this.#target(state, client)))
          return void (await this.#change(id, "running", ended(answer)));
        isRepeated = true;
        await sleep(busyMs, signal);
        state = await this.#log.read(id, client.caller);
      } else {
        isRepeated = false;
        state = await this.#change(id, "running", { stage: "waiting", approval });
      }
      if (state === undefined || signal.aborted) return;
    }
  }

  /** Resolves with the state after the decision; to `undefined` when it is no longer waited for. */
  async #decided(
    id: string,
    { approval }: TaskState,
    { caller }: TaskClient,
    signal: AbortSignal,
  ): Promise<TaskState | undefined> {
    const { approvalId, expiresAt } = approval as NonNullable<TaskState["approval"]>;
    // A little longer than the request lives: then it is known to have expired.
    const ms = Math.min(Math.max(0, expiresAt - this.#log.now()) + 100, maxTimerMs);
    await this.#calls.whenDecided(caller, approvalId, { signal, ms });
    if (signal.aborted) return undefined;
    const begunAt = this.#log.now();
    if (begunAt < expiresAt) return this.#change(id, "waiting", { stage: "running", begunAt });
    const { result } = await this.#calls.status(approvalId, { caller });
    return this.#change(id, "waiting", { stage: "completed", result: { ...result, isError: true } });
  }

  #target({ call }: Pick<TaskState, "call">, { caller }: Pick<TaskClient, "caller">): RunTarget | undefined {
    const target = this.#face.target(caller, call.name, call.arguments);
    return target?.kind === "text" ? undefined : target;
  }

  /** Makes a task's call. Returns `undefined` where there is no such tool any more. */
  #call(
    { call, begunAt }: TaskState,
    { caller, can }: TaskClient,
    isRepeated: boolean,
  ): RunningCall<ToolAnswer> | undefined {
    const { name, arguments: args, key, meta } = call;
    const target = this.#target({ call }, { caller });
    if (target === undefined) return undefined;
    return new RunningCall<ToolAnswer>([name, args], async ({ signal, ask }) => {
      if (isRepeated && !isRepeatable(target)) return lost();
      const context = { caller, signal, waitMs: 0, ...(Object.values(can).includes(true) && { ask }) };
      return runTarget(this.#calls, target, context, { key, meta, begunAt: isRepeated ? begunAt : undefined });
    });
  }

  /** Resolves with a call's answer. What its server asks is asked through the task. */
  async #answer(
    id: string,
    call: RunningCall<ToolAnswer>,
    client: TaskClient,
    signal: AbortSignal,
  ): Promise<ToolAnswer> {
    for (;;) {
      const end = await call.next({ signal: undefined, onProgress: undefined });
      if ("result" in end) return end.result;
      if ("questions" in end) await this.#ask(id, call, end.questions, client, signal);
    }
  }

  /** Asks the client all that is open, and passes on each answer as it comes. Nobody answers for a client that wants the task's end. */
  async #ask(
    id: string,
    call: RunningCall<ToolAnswer>,
    open: OpenQuestions,
    { caller, can }: TaskClient,
    signal: AbortSignal,
  ): Promise<void> {
    const names = new Map<string, string>();
    const questions: NonNullable<TaskState["questions"]> = {};
    for (const [name, question] of Object.entries(open)) {
      const request = inputRequestOf(question, can);
      if (request === undefined) {
        call.answer(name, { action: "decline" });
        continue;
      }
      // A key is never used again, so it can't be the server's.
      const key = randomUUID();
      names.set(key, name);
      questions[key] = request;
    }
    if (names.size === 0) return;
    let state = await this.#change(id, "running", { questions, answers: {} });
    const end = this.#log.now() + answerMs;
    for (;;) {
      const isOver = state === undefined || state.cancelAsked || signal.aborted || this.#log.now() >= end;
      for (const [key, name] of names) {
        const answer = state?.answers?.[key];
        if (answer === undefined && !isOver) continue;
        call.answer(name, questionAnswer((open[name] as Question).kind, answer));
        names.delete(key);
      }
      if (names.size === 0) break;
      await sleep(lookMs, signal);
      state = await this.#log.read(id, caller);
    }
    await this.#change(id, "running", { questions: {}, answers: {} });
  }

  /** Changes a task that is still in a stage. */
  #change(id: string, stage: TaskState["stage"], changed: Partial<TaskState>): Promise<TaskState | undefined> {
    return this.#log.change(id, (now) => (now.stage === stage ? changed : undefined));
  }
}

/** Returns what an answer waits for, where that is an approval. */
export function approvalIn({ outcome, question }: ToolAnswer, now: number): TaskState["approval"] {
  if (outcome.status !== "pending" || outcome.approvalId === undefined) return undefined;
  return question ?? { approvalId: outcome.approvalId, expiresAt: now + keptMs };
}

/** Whether it may be made again when it is not known how far it came: each time, the others are something new. */
function isRepeatable(target: RunTarget | undefined): boolean {
  return target?.kind === "call" || target?.kind === "status";
}

/** A server's error of JSON-RPC is a task's, too; what was refused or has failed in other ways is its result. */
function ended({ result, errorCode }: ToolAnswer): Partial<TaskState> {
  const over = { questions: {}, answers: {} };
  if (errorCode === undefined) return { stage: "completed", result, ...over };
  const { [outcomeMeta]: outcome = null } = result._meta;
  const error = { code: errorCode, message: firstText(result), data: { [outcomeMeta]: outcome } };
  return { stage: "failed", error, ...over };
}

/** Whether the same effect is being done elsewhere. */
function isBusy({ outcome: { status, code } }: ToolAnswer): boolean {
  return status === "pending" && code === "TRP_3003";
}

function lost(): ToolAnswer {
  return outcomeAnswer(
    { status: "unknown", code: "TRP_3001", dispatched: true, receipt: randomUUID() },
    {
      message: "The process that ran this has ended, and nobody knows how far it came.",
      fix: "Find out by other means what was done before you repeat it.",
    },
  );
}
