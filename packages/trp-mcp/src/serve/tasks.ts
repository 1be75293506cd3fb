import { randomUUID } from "node:crypto";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { defined } from "@toolglot/internal";
import { principalKey } from "../principal-key.ts";
import type { ToolAnswer, ToolCalls } from "../types.ts";
import { type Askable, decisionOf } from "./asking.ts";
import type { GateCaller } from "./options.ts";
import type { RunningCall } from "./parked-calls.ts";
import { type TaskCall, TaskLog, type TaskState, type TaskStore } from "./task-log.ts";
import { approvalIn, keptMs, type TaskClient, type TaskParts, TaskSteps } from "./task-steps.ts";
import { askedIn, handleOf, isFinal, type TaskView, viewOf } from "./task-view.ts";

/** Milliseconds for which a process is sure of a task that it works on, and after which it renews that. */
const leaseMs = 30_000;
const renewMs = 10_000;
const maxWorking = 1_000;

/** What a task begins with: a call that waits for an approval, or one that runs. */
export type TaskStart = { approval: NonNullable<TaskState["approval"]> } | { running: RunningCall<ToolAnswer> };

/** A task that this process works on, and the approval that it began with. */
interface Work {
  ending: AbortController;
  approvalId: string | undefined;
  from: GateCaller;
}

/**
 * Tasks of clients of 2026-07-28. They are in the store, so any process that shares it answers about them; one of them works on each. When
 * that one is gone, the next that is asked goes on, with the same arguments and key.
 */
export class Tasks {
  readonly #calls: ToolCalls;
  readonly #log: TaskLog;
  readonly #steps: TaskSteps;
  readonly #onError: (error: Error) => void;
  readonly #worker = randomUUID();
  readonly #working = new Map<string, Work>();
  #closed = false;

  constructor({ store, onError, ...parts }: TaskParts & { store: TaskStore; onError(error: Error): void }) {
    this.#calls = parts.calls;
    this.#log = new TaskLog(store);
    this.#steps = new TaskSteps(parts, this.#log);
    this.#onError = onError;
  }

  /** Whether no more tasks can be begun in this process. */
  get isFull(): boolean {
    return this.#closed || this.#working.size >= maxWorking;
  }

  /** Returns what an answer waits for, where that is an approval. */
  approvalIn(answer: ToolAnswer): TaskState["approval"] {
    return approvalIn(answer, this.#log.now());
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

  /** A task as a client sees it, if it is the caller's, and whether it will not change any more. Nobody takes it over for that. Rejects as the store. */
  async look(
    id: string,
    caller: Pick<GateCaller, "principal">,
    can: Askable,
  ): Promise<{ view: TaskView; isFinal: boolean } | undefined> {
    const state = await this.#log.read(id, caller);
    return state && { view: viewOf(id, state, can), isFinal: isFinal(state) };
  }

  /** Takes what the client answered. What it was not asked, or has answered already, is passed over. */
  async update(id: string, answers: Record<string, unknown>, client: TaskClient): Promise<void> {
    const state = await this.#find(id, client);
    if (state.stage === "waiting") await this.#decide(state, answers, client);
    else {
      await this.#log.change(id, (now) => {
        const given = Object.keys(askedIn(now, client.can)).filter((key) => Object.hasOwn(answers, key));
        if (now.stage !== "running" || given.length === 0) return undefined;
        return { answers: { ...now.answers, ...Object.fromEntries(given.map((key) => [key, answers[key]])) } };
      });
    }
    await this.#takeOver(id, state, client);
  }

  /** Decides about the approval that a task waits for, where the client was asked about it and has answered. */
  async #decide(state: TaskState, answers: Record<string, unknown>, { caller, can }: TaskClient): Promise<void> {
    for (const [key, { params }] of Object.entries(askedIn(state, can))) {
      const said = decisionOf(answers[key], "mode" in params);
      const { fingerprint } = state.approval ?? {};
      if (said.decision !== "cancel") await this.#calls.decide(caller, key, { ...said, ...defined({ fingerprint }) });
    }
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

  /** Waits no longer for approvals of such callers; their principals' other requests about the tasks go on with them later. */
  end(matches: (caller: GateCaller) => boolean): void {
    for (const { from, ending } of this.#working.values()) if (matches(from)) ending.abort();
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
    this.#working.set(id, { ending, approvalId: state.approval?.approvalId, from: client.from });
    const renew = setInterval(() => {
      this.#log
        .change(id, (now) => (isFinal(now) || now.worker !== this.#worker ? undefined : this.#lease()))
        .catch(this.#onError);
    }, renewMs);
    renew.unref();
    this.#steps
      .toTheEnd(id, state, client, running, ending.signal)
      .catch(this.#onError)
      .finally(() => {
        clearInterval(renew);
        this.#working.delete(id);
      });
  }
}
