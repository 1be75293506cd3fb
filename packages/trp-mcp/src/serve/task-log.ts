import { randomUUID } from "node:crypto";
import type { JsonObject } from "@toolglot/core";
import { parseJson } from "@toolglot/internal";
import type { RouterStore } from "@toolglot/trp-core/store";
import { principalKey } from "../principal-key.ts";
import type { ApprovalQuestion, ToolAnswer } from "../types.ts";
import type { InputRequest } from "./asking.ts";
import type { GateCaller } from "./options.ts";

/** What a task needs of a store. */
export type TaskStore = Pick<RouterStore, "logs" | "now">;

/** The call of a client, as it can be made again. */
export interface TaskCall {
  /** The name that the client called. */
  name: string;
  arguments: JsonObject;
  key?: string;
  meta?: JsonObject;
}

/**
 * `waiting`: for a decision about its approval. `running`: its call has been begun, or soon will be; nothing takes it back from here. The
 * others are final.
 */
type TaskStage = "waiting" | "running" | "completed" | "failed" | "cancelled";

/** A task, as it is now. */
export interface TaskState {
  /** Of the principal that the task is bound to. */
  owner: string;
  call: TaskCall;
  stage: TaskStage;
  /** Milliseconds since the epoch, by the store's clock. */
  createdAt: number;
  updatedAt: number;
  /** Milliseconds from `createdAt` to the task's end. */
  ttlMs: number;
  /** When its call was begun. */
  begunAt?: number;
  /** Which process works on it, and until when that is sure. */
  worker: string;
  leaseUntil: number;
  approval?: Pick<ApprovalQuestion, "approvalId" | "expiresAt"> & Partial<ApprovalQuestion>;
  /** What the server asks the client in the middle of the call, and what the client has answered of it, by keys of the task's own. */
  questions?: Record<string, InputRequest>;
  answers?: Record<string, unknown>;
  cancelAsked?: boolean;
  result?: ToolAnswer["result"];
  error?: { code: number; message: string; data?: JsonObject };
}

const folder = "gateway/tasks/";
/** Milliseconds between two looks for tasks that are over. */
const sweepMs = 300_000;

/**
 * Tasks in a store, for all processes on it. Each is a log: the task, and what changed since, one change a line. A change is made to the
 * newest state or not at all.
 */
export class TaskLog {
  readonly #store: TaskStore;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(store: TaskStore) {
    this.#store = store;
  }

  now(): number {
    return this.#store.now();
  }

  /** Resolves with the task's id once every process finds it. Rejects as the store. */
  async create(first: Omit<TaskState, "createdAt" | "updatedAt">): Promise<{ id: string; state: TaskState }> {
    await this.#sweep();
    const now = this.now();
    const state: TaskState = { ...first, createdAt: now, updatedAt: now };
    // The id tells when the task is over: to sweep, no task is read.
    const id = `${(now + first.ttlMs).toString(36)}-${randomUUID()}`;
    if (!(await this.#store.logs.append(folder + id, [JSON.stringify(state)], 0)))
      throw new Error("a task's id was used");
    return { id, state };
  }

  /** Resolves to `undefined` for a task that is unknown, over, or another principal's. Rejects as the store. */
  async read(id: string, caller: Pick<GateCaller, "principal">): Promise<TaskState | undefined> {
    const found = await this.#read(id);
    return found?.state.owner === principalKey(caller) ? found.state : undefined;
  }

  /** Changes a task: `change` gets the newest state. Resolves with the new one; to `undefined` when there is nothing to change. */
  async change(
    id: string,
    change: (state: TaskState) => Partial<TaskState> | undefined,
  ): Promise<TaskState | undefined> {
    for (;;) {
      const found = await this.#read(id);
      const changed = found && change(found.state);
      if (found === undefined || changed === undefined) return undefined;
      const isLease = Object.keys(changed).every((member) => member === "worker" || member === "leaseUntil");
      const line = JSON.stringify({ ...changed, ...(!isLease && { updatedAt: this.now() }) });
      if (await this.#store.logs.append(folder + id, [line], found.lines)) {
        return { ...found.state, ...(parseJson(line) as Partial<TaskState>) };
      }
    }
  }

  async #read(id: string): Promise<{ state: TaskState; lines: number } | undefined> {
    const endsAt = endOf(id);
    if (endsAt === undefined || endsAt <= this.now()) return undefined;
    const lines = await this.#store.logs.read(folder + id);
    if (lines === undefined || lines.length === 0) return undefined;
    return { state: Object.assign({}, ...lines.map((line) => parseJson(line))), lines: lines.length };
  }

  /** Deletes tasks that are over. */
  async #sweep(): Promise<void> {
    const now = this.now();
    if (now < this.#sweptAt + sweepMs) return;
    this.#sweptAt = now;
    for await (const name of this.#store.logs.list(folder)) {
      if ((endOf(name.slice(folder.length)) ?? 0) <= now) await this.#store.logs.delete(name);
    }
  }
}

/** When a task is over, by its id; undefined where that is no task's id. */
function endOf(id: string): number | undefined {
  const [, end] = /^([0-9a-z]{1,11})-[0-9a-f-]{36}$/.exec(id) ?? [];
  return end === undefined ? undefined : Number.parseInt(end, 36);
}
