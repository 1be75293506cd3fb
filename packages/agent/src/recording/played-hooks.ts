import type { ExecutorContext, Model, ModelInfo, ToolCall, ToolProtocol, ToolResult } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import type { SessionStore } from "../session/types.ts";
import type { AgentOptions } from "../types.ts";
import { outOfOrder, toError } from "./played-errors.ts";
import type { Player } from "./player.ts";
import type { Crossing, RecordedStepChange, Recording } from "./types.ts";

/** The code that a recording can't hold. */
export interface ReplayOptions {
  /** That of the run. */
  protocol: ToolProtocol;
  /** Those that `prepareStep` chose for single steps. Default: none. */
  protocols?: readonly ToolProtocol[];
}

/** Throws `TypeError` when a step was made with a protocol that is missing. */
export function checkProtocols({ entries }: Recording, protocols: readonly ToolProtocol[]): void {
  for (const entry of entries) {
    if (entry.type !== "hook" || entry.hook !== "prepareStep") continue;
    const { protocol } = (entry.answer ?? {}) as RecordedStepChange;
    if (protocol === undefined || protocols.some(({ version }) => version === protocol)) continue;
    throw new TypeError(`A step of the recording was made with ${protocol}: pass that one in protocols.`);
  }
}

/** Returns a `prepareStep` that answers as the recorded one. */
export function playedPrepareStep(
  player: Player,
  protocols: readonly ToolProtocol[],
  modelOf: (info: ModelInfo) => Model,
): NonNullable<AgentOptions["prepareStep"]> {
  return async () => {
    const crossing = await player.next();
    if (player.signal.aborted) return undefined;
    if (crossing?.type !== "hook") throw outOfOrder(player, "a step is prepared", crossing);
    player.advance();
    if (crossing.error) throw toError(crossing.error);
    const change = crossing.answer as RecordedStepChange | undefined;
    const { model, protocol: version, ...data } = change ?? {};
    const protocol = protocols.find((one) => one.version === version);
    return change && { ...data, ...defined({ model: model && modelOf(model), protocol }) };
  };
}

/** Calls a hook as the recorded executor did. */
export function callHook(
  { hooks = {}, signal, runId, stepIndex }: ExecutorContext,
  { hook, callId, name, readOnly, result }: Extract<Crossing, { type: "executor-hook" }>,
): void {
  const call: ToolCall = { id: callId, name, input: {}, protocol: "replay" };
  const tool = readOnly === undefined ? undefined : { ...nothing, name, annotations: { readOnlyHint: readOnly } };
  const about = { signal, runId, stepIndex, ...defined({ tool }) };
  const called =
    hook === "afterCall" ? hooks.afterCall?.(call, result as ToolResult, about) : hooks[hook]?.(call, about);
  // What it throws was handled by the recorded executor.
  Promise.resolve(called).catch(() => undefined);
}

/** Fields of a tool that nobody reads in a replay. */
const nothing = { description: "", inputSchema: { type: "object" as const } };

/** Returns a store that keeps nothing, and fails where the host's did. `inAction` rejects so, while an action is played. */
export function playedSessions(player: Player, { entries }: Recording, inAction: () => Promise<void>): SessionStore {
  const failures = entries.flatMap((entry) => (entry.type === "session-failed" ? [entry.at] : []));
  return {
    read: async () => undefined,
    async append(_, lines, at) {
      if (!failures.some((failed) => failed >= at && failed < at + lines.length)) return;
      await inAction();
      const crossing = await player.next();
      if (crossing?.type !== "session-failed") throw outOfOrder(player, "the session is written", crossing);
      player.advance();
      throw toError(crossing.error);
    },
  };
}
