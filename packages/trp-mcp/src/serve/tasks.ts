import { randomUUID } from "node:crypto";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Question, QuestionAnswer } from "@toolglot/core";
import { defined, maxTimerMs, sleep } from "@toolglot/internal";
import { told } from "../calls/answers.ts";
import type { Face } from "../faces/face.ts";
import type { Caller, ToolAnswer, ToolCalls } from "../types.ts";
import { type Askable, decisionOf, questionAnswer, questionElicitation } from "./asking.ts";
import { RunningCall } from "./parked-calls.ts";
import { principalKey } from "./principal-key.ts";
import { runTarget } from "./run-target.ts";
import { type TaskCall, TaskLog, type TaskState, type TaskStore } from "./task-log.ts";
import { askedIn, handleOf, isFinal, type TaskView, viewOf } from "./task-view.ts";

/** Milliseconds from a task's beginning to its end, and for which its result is kept after an approval can't be decided any more. */
const keptMs = 3_600_000;
/** Milliseconds for which a process is sure of a task that it works on, and after which it says again that it does. */
const leaseMs = 30_000;
const renewMs = 10_000;
/** Milliseconds between two tries while the same effect is running elsewhere, and between two looks for a client's answer. */
const busyMs = 2_000;
const lookMs = 500;
/** Milliseconds that a server's question waits for the client. */
const answerMs = 600_000;
const maxWorking = 1_000;

/** Who asks about a task, and what the client lets itself be asked. */
export interface TaskClient {
  caller: Caller;
  can: Askable;
}

/** What a task begins with: a call that waits for an approval, or one that runs. */
export type TaskStart = { approval: NonNullable<TaskState["approval"]> } | { running: RunningCall<ToolAnswer> };

/** A task that this process works on, and the approval that it began with. */
interface Work {
  ending: AbortController;
  approvalId: string | undefined;
}

interface TaskParts {
  store: TaskStore;
  face: Face;
  calls: ToolCalls;
  onError(error: Error): void;
}

/**
 * Tasks of clients of 2026-07-28. They are in the store, so any process that shares it answers about them; one of them works on each. When
 * that one is gone, the next that is asked goes on, with the same arguments and key.
 */
export class Tasks {
  readonly #face: Face;
  readonly #calls: ToolCalls;
  readonly #log: TaskLog;
  readonly #onError: (error: Error) => void;
  readonly #worker = randomUUID();
  readonly #working = new Map<string, Work>();
  #closed = false;

  constructor({ store, face, calls, onError }: TaskParts) {
    this.#face = face;
    this.#calls = calls;
    this.#log = new TaskLog(store);
    this.#onError = onError;
  }

  /** Whether no more tasks can be begun in this process. */
  get isFull(): boolean {
    return this.#closed || this.#working.size >= maxWorking;
  }

  /** Returns what an answer waits for, where that is an approval. */
  approvalIn({ outcome, question }: ToolAnswer): TaskState["approval"] {
    if (outcome.status !== "pending" || outcome.approvalId === undefined) return undefined;
    return question ?? { approvalId: outcome.approvalId, expiresAt: this.#log.now() + keptMs };
  }

  /** Makes a task. Resolves with what the client gets once every process finds it. Rejects as the store. */
  async begin(call: TaskCall, client: TaskClient, start: TaskStart): Promise<ReturnType<typeof handleOf>> {
    const now = this.#log.now();
    const isRunning = "running" in start;
    const known = isRunning ? undefined : await this.#waitingFor(start.approval.approvalId, client);
    if (known !== undefined) return handleOf(known);
    const last = isRunning ? now : start.approval.expiresAt;
    const { id, state } = await this.#log.create({
      ...{ owner: principalKey(client.caller), call, worker: this.#worker, leaseUntil: now + leaseMs },
      ttlMs: Math.max(0, last - now) + keptMs,
      // An effect of a call that runs now is done later.
      ...(isRunning ? { stage: "running", begunAt: now } : { stage: "waiting", approval: start.approval }),
    });
    this.#work(id, state, client, isRunning ? start.running : undefined);
    return handleOf(viewOf(id, state, client.can));
  }

  /** The task that waits for an approval: a call that is repeated meanwhile begins no other. */
  async #waitingFor(approvalId: string, client: TaskClient): Promise<TaskView | undefined> {
    const [id] = [...this.#working].find(([, work]) => work.approvalId === approvalId) ?? [];
    const state = id === undefined ? undefined : await this.#log.read(id, client.caller);
    return id === undefined || state?.stage !== "waiting" ? undefined : viewOf(id, state, client.can);
  }

  async get(id: string, client: TaskClient): Promise<TaskView> {
    const state = await this.#find(id, client);
    await this.#takeOver(id, state, client);
    return viewOf(id, state, client.can);
  }

  /** Takes what the client answered. What it was not asked, or has answered already, is passed over. */
  async update(id: string, answers: Record<string, unknown>, client: TaskClient): Promise<void> {
    const state = await this.#find(id, client);
    const asked = askedIn(state, client.can);
    if (asked !== undefined && Object.hasOwn(answers, asked.key)) {
      const answer = answers[asked.key] ?? { action: "cancel" };
      if (state.stage === "waiting") {
        const said = decisionOf(answer, "mode" in asked.params);
        const { fingerprint } = state.approval ?? {};
        if (said.decision !== "cancel") {
          await this.#calls.decide(client.caller, asked.key, { ...said, ...defined({ fingerprint }) });
        }
      } else {
        await this.#log.change(id, (now) =>
          now.question?.key === asked.key && now.answer == null ? { answer } : undefined,
        );
      }
    }
    await this.#takeOver(id, state, client);
  }

  /** Withdraws a call that waits for an approval; of any other, it is noted that the client wanted its end. */
  async cancel(id: string, client: TaskClient): Promise<void> {
    await this.#find(id, client);
    const cancelled = await this.#log.change(id, (now) => {
      if (now.stage === "waiting") return { stage: "cancelled", cancelAsked: true };
      return isFinal(now) || now.cancelAsked ? undefined : { cancelAsked: true };
    });
    if (cancelled?.stage !== "cancelled" || cancelled.approval === undefined) return;
    this.#working.get(id)?.ending.abort();
    const { approvalId, fingerprint } = cancelled.approval;
    const comment = "Withdrawn: the client has cancelled its task.";
    await this.#calls.decide(client.caller, approvalId, { decision: "deny", comment, ...defined({ fingerprint }) });
  }

  /** Leaves what waits to other processes. Calls that run go on. */
  async close(): Promise<void> {
    this.#closed = true;
    const left = [...this.#working].map(async ([id, { ending }]) => {
      ending.abort();
      await this.#log.change(id, (now) =>
        now.worker === this.#worker && now.stage === "waiting" ? { leaseUntil: 0 } : undefined,
      );
    });
    for (const { status, reason } of (await Promise.allSettled(left)) as PromiseRejectedResult[]) {
      if (status === "rejected") this.#onError(reason as Error);
    }
  }

  async #find(id: string, { caller }: TaskClient): Promise<TaskState> {
    const state = await this.#log.read(id, caller);
    if (state === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Task not found");
    return state;
  }

  /** Works on a task that nobody works on any more. */
  async #takeOver(id: string, { leaseUntil }: TaskState, client: TaskClient): Promise<void> {
    if (leaseUntil > this.#log.now() || this.#working.has(id) || this.isFull) return;
    const taken = await this.#log.change(id, (now) =>
      isFinal(now) || now.leaseUntil > this.#log.now() ? undefined : this.#lease(),
    );
    if (taken !== undefined) this.#work(id, taken, client, undefined);
  }

  #lease(): Pick<TaskState, "worker" | "leaseUntil"> {
    return { worker: this.#worker, leaseUntil: this.#log.now() + leaseMs };
  }

  /** Works on a task, in the background. When the store can't serve, the task is left to the next that is asked. */
  #work(id: string, state: TaskState, client: TaskClient, running: RunningCall<ToolAnswer> | undefined): void {
    const ending = new AbortController();
    this.#working.set(id, { ending, approvalId: state.approval?.approvalId });
    const renew = setInterval(() => {
      this.#log
        .change(id, (now) => (isFinal(now) || now.worker !== this.#worker ? undefined : this.#lease()))
        .catch(this.#onError);
    }, renewMs);
    renew.unref();
    this.#toTheEnd(id, state, client, running, ending.signal)
      .catch(async (error: Error) => {
        if (!(error instanceof ProtocolError)) throw error;
        const { code, message } = error;
        await this.#change(id, "running", { stage: "failed", error: { code, message } });
      })
      .catch(this.#onError)
      .finally(() => {
        clearInterval(renew);
        this.#working.delete(id);
      });
  }

  async #toTheEnd(
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
      call ??= this.#call(state, client, isRepeated);
      const answer: ToolAnswer = await this.#answer(id, call, client, signal);
      call = undefined;
      const approval = this.approvalIn(answer);
      if (approval === undefined) {
        if (!isBusy(answer)) return void (await this.#change(id, "running", ended(answer)));
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

  /** Makes a task's call. Throws `ProtocolError` where there is no such tool any more. */
  #call({ call, begunAt }: TaskState, { caller, can }: TaskClient, isRepeated: boolean): RunningCall<ToolAnswer> {
    const { name, arguments: args, key, meta } = call;
    const target = this.#face.target(caller, name, args);
    if (target === undefined || target.kind === "text") {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
    }
    return new RunningCall<ToolAnswer>([name, args], async ({ signal, ask }) => {
      if (isRepeated && (target.kind === "again" || target.kind === "own")) return lost();
      const context = { caller, signal, waitMs: 0, ...((can.forms || can.urls) && { ask }) };
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
      if ("question" in end) call.answer(await this.#ask(id, end.question, client, signal));
    }
  }

  async #ask(
    id: string,
    question: Question,
    { caller, can }: TaskClient,
    signal: AbortSignal,
  ): Promise<QuestionAnswer> {
    const params = questionElicitation(question, can);
    if (params === undefined) return { action: "decline" };
    const key = randomUUID();
    let state = await this.#change(id, "running", { question: { key, params }, answer: null });
    const end = this.#log.now() + answerMs;
    while (state?.question?.key === key && state.answer == null && !signal.aborted && this.#log.now() < end) {
      await sleep(lookMs, signal);
      state = await this.#log.read(id, caller);
    }
    await this.#change(id, "running", { question: null, answer: null });
    return questionAnswer(state?.answer);
  }

  /** Changes a task that is still in a stage. */
  #change(id: string, stage: TaskState["stage"], changed: Partial<TaskState>): Promise<TaskState | undefined> {
    return this.#log.change(id, (now) => (now.stage === stage ? changed : undefined));
  }
}

function ended({ result }: ToolAnswer): Partial<TaskState> {
  return { stage: "completed", result, question: null, answer: null };
}

/** Whether the same effect is being done elsewhere. */
function isBusy({ outcome: { status, code } }: ToolAnswer): boolean {
  return status === "pending" && code === "TRP_3003";
}

function lost(): ToolAnswer {
  return told(
    { status: "unknown", code: "TRP_3001", dispatched: true, receipt: randomUUID() },
    {
      message: "The process that ran this has ended, and nobody knows how far it came.",
      fix: "Find out by other means what was done before you repeat it.",
    },
  );
}
