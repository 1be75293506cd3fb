import { createHash } from "node:crypto";
import { canonicalJson, inBackground, isObject, parseJson } from "@toolglot/internal";
import type { McpTask } from "@toolglot/toolkit";
import type { ExecuteContext } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";

/** The name of MCP's extension for tasks. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** As long as a task is followed whose server gives it no end, or a later one. Milliseconds. */
export const taskMs = 86_400_000;
/** Milliseconds after a task's end until the router has noted the outcome, and between two looks for tasks that are over. */
const notedMs = 60_000;
const sweepMs = 300_000;

const folder = "trp-mcp/upstream-tasks/";

/** The call whose task it is. */
type Call = Pick<ExecuteContext, "principal" | "operationKey">;

/**
 * The tasks that servers have made of calls, in a store: a process that goes on with a call whose own one is gone asks about its task, and
 * doesn't call the tool again. Of calls without a key nothing is kept.
 */
export class UpstreamTasks {
  readonly #store: Pick<RouterStore, "blobs" | "now">;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(store: Pick<RouterStore, "blobs" | "now">) {
    this.#store = store;
  }

  /** Resolves once every process finds the task. Rejects as the store. */
  async note(capId: string, call: Call, task: McpTask): Promise<void> {
    const place = placeOf(capId, call);
    if (place === undefined) return;
    await this.#sweep();
    const endsAt = this.#store.now() + Math.min(task.ttlMs ?? taskMs, taskMs);
    await this.#store.blobs.put(place, new TextEncoder().encode(JSON.stringify({ task, endsAt })));
  }

  /** The task of a call that was begun before; undefined when it has none, or its server may have forgotten it. Rejects as the store. */
  async of(capId: string, call: Call): Promise<McpTask | undefined> {
    const place = placeOf(capId, call);
    const kept = place === undefined ? undefined : await this.#read(place);
    return kept && { ...kept.task, ttlMs: kept.endsAt - this.#store.now() };
  }

  /** The task has ended: it is forgotten once that is noted. */
  ended(capId: string, call: Call): void {
    const place = placeOf(capId, call);
    if (place !== undefined) inBackground(() => void this.#store.blobs.delete(place).catch(() => {}), notedMs);
  }

  async #read(place: string): Promise<{ task: McpTask; endsAt: number } | undefined> {
    const bytes = await this.#store.blobs.get(place);
    const kept = bytes && parseJson(new TextDecoder().decode(bytes));
    if (!isObject(kept) || !isObject(kept.task) || Number(kept.endsAt) <= this.#store.now()) return undefined;
    return kept as unknown as { task: McpTask; endsAt: number };
  }

  async #sweep(): Promise<void> {
    const now = this.#store.now();
    if (now < this.#sweptAt + sweepMs) return;
    this.#sweptAt = now;
    for await (const place of this.#store.blobs.list(folder)) {
      if ((await this.#read(place)) === undefined) await this.#store.blobs.delete(place);
    }
  }
}

function placeOf(capId: string, { principal: { tenant, id }, operationKey }: Call): string | undefined {
  if (operationKey === undefined) return undefined;
  const digest = createHash("sha256").update(canonicalJson([capId, tenant, id, operationKey]));
  return folder + digest.digest("base64url");
}
