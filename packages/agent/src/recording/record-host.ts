import type { ArtifactStore, Model, Usage } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import type { Compaction } from "../context/compaction.ts";
import { toRunError } from "../loop/run-error.ts";
import type { AgentOptions, StepChange } from "../options.ts";
import { canonicalJson } from "../plain-json.ts";
import type { RunLogs } from "../session/run-logs.ts";
import type { Settings } from "../settings.ts";
import type { Log } from "./log.ts";
import type { HostHook, RecordedStepChange } from "./types.ts";

/** The hooks that a host may have. */
export const hostHooks: readonly HostHook[] = ["prepareStep", "beforeCall", "afterCall"];

const hookFailed = "agent/hook-failed";

/**
 * Returns settings with the host's functions recorded: what they return or throw is a crossing. `recordModel` records what a model is
 * asked; the loop's own compaction returns the same again.
 */
export function recordHost(
  settings: Settings,
  hasCompaction: boolean,
  log: Log,
  recordModel: (model: Model) => Model,
): Partial<Settings> {
  const { approve, ask, price, sessions, output, stopWhen, context, fixedTools, readTools } = settings;
  const { estimate, artifacts, compact } = context;
  return {
    ...(fixedTools === undefined && { readTools: recordTools(readTools, log) }),
    ...(approve && {
      approve: (request, about) =>
        log.answeredLater({ type: "decision", callId: request.callId }, "decision", "agent/approve-failed", () =>
          approve(request, about),
        ),
    }),
    ...(ask && {
      ask: (question, about) =>
        log.answeredLater({ type: "answer", callId: about.callId }, "answer", "agent/ask-failed", () =>
          ask(question, about),
        ),
    }),
    ...(price && {
      price: (...about) => log.answered({ type: "price" }, "cost", "agent/price-failed", () => price(...about)),
    }),
    ...(sessions && { sessions: recordSessions(sessions, log) }),
    ...recordHooks(settings, log, recordModel),
    output: output && {
      ...output,
      validate: (value) =>
        log.answeredLater({ type: "validated" }, "validation", hookFailed, () => output.validate(value)),
    },
    stopWhen: stopWhen.map(
      (condition) => (state) => log.answeredLater({ type: "condition" }, "isTrue", hookFailed, () => condition(state)),
    ),
    context: {
      ...context,
      ...(hasCompaction && { compact: recordCompaction(compact, log) }),
      ...(estimate && {
        estimate: (...asked) =>
          log.answered({ type: "estimate" }, "tokens", "agent/estimate-failed", () => estimate(...asked)),
      }),
      ...(artifacts && { artifacts: recordStore(artifacts, log) }),
    },
  };
}

function recordHooks(
  { prepareStep, beforeCall, afterCall }: Pick<AgentOptions, HostHook>,
  log: Log,
  recordModel: (model: Model) => Model,
): Pick<AgentOptions, HostHook> {
  const noted = <Value>(hook: HostHook, callId: string, ask: () => Value | Promise<Value>): Promise<Value> =>
    log.answeredLater({ type: "hook", hook, callId }, "answer", hookFailed, ask);
  return {
    ...(prepareStep && {
      async prepareStep(step) {
        const change = await log.answeredLater(
          { type: "hook", hook: "prepareStep" },
          "answer",
          hookFailed,
          () => prepareStep(step),
          recordedChange,
        );
        return change?.model ? { ...change, model: recordModel(change.model) } : change;
      },
    }),
    ...(beforeCall && { beforeCall: (call, about) => noted("beforeCall", call.id, () => beforeCall(call, about)) }),
    ...(afterCall && {
      afterCall: (call, result, about) => noted("afterCall", call.id, () => afterCall(call, result, about)),
    }),
  };
}

function recordedChange(change: StepChange | undefined): RecordedStepChange | undefined {
  const { model, protocol, ...data } = change ?? {};
  return change && { ...data, ...defined({ model: model && (model.info ?? {}), protocol: protocol?.version }) };
}

/** Records the tools only when they changed: the source is read often. */
function recordTools(read: Settings["readTools"], log: Log): Settings["readTools"] {
  let before: string | undefined;
  return () => {
    try {
      const given = read();
      const now = canonicalJson(given);
      if (now !== before) log.crossing({ type: "tools", ...given });
      before = now;
      return given;
    } catch (error) {
      before = undefined;
      log.crossing({ type: "tools", error: toRunError(error, "agent/tools-failed") });
      throw error;
    }
  };
}

function recordStore(store: ArtifactStore, log: Log): ArtifactStore {
  return {
    put: (...args) => log.answeredLater({ type: "artifact-put" }, "id", hookFailed, () => store.put(...args)),
    read: (...args) => log.answeredLater({ type: "artifact-read" }, "piece", hookFailed, () => store.read(...args)),
  };
}

function recordCompaction(compact: Compaction, log: Log): Compaction {
  return async (input) => {
    const used: Usage[] = [];
    const report = (usage: Usage): void => {
      input.report?.(usage);
      used.push({ ...usage });
    };
    const reported = (): { used?: Usage[] } => (used.length > 0 ? { used } : {});
    try {
      const messages = await compact({ ...input, report });
      log.crossing({ type: "compacted", messages, ...reported() });
      return messages;
    } catch (error) {
      log.crossing({ type: "compacted", error: toRunError(error, hookFailed), ...reported() });
      throw error;
    }
  };
}

/** Records the failures of a session's store. */
function recordSessions(sessions: RunLogs, log: Log): RunLogs {
  return {
    read: (runId) => sessions.read(runId),
    async append(runId, lines, at) {
      try {
        await sessions.append(runId, lines, at);
      } catch (error) {
        log.crossing({ type: "session-failed", at, error: toRunError(error, "agent/session-failed") });
        throw error;
      }
    },
  };
}
