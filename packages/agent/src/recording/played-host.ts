import type {
  Action,
  ApprovalRequest,
  ArtifactStore,
  Decision,
  ExecutorContext,
  Message,
  Model,
  ModelInfo,
  QuestionAnswer,
  ToolCall,
  ToolProtocol,
  ToolResult,
  Usage,
  WaitOutcome,
} from "@toolglot/core";
import { type LogStore, memoryStorage, type Storage } from "@toolglot/core/storage";
import { defined } from "@toolglot/internal";
import type { CompactionInput } from "../context/compaction.ts";
import type { AgentOptions, StepChange } from "../options.ts";
import type { OutputOptions, OutputValidation } from "../output/types.ts";
import { canonicalJson } from "../plain-json.ts";
import type { RunError } from "../result.ts";
import { PendingAnswers } from "./pending-answers.ts";
import { diverged, outOfOrder, toError } from "./played-errors.ts";
import type { Player } from "./player.ts";
import type { Crossing, HostHook, RecordedStepChange, Recording, RecordingHead } from "./types.ts";

/** Executor and people of a replay. Approvals that the executor asks for are answered where they were answered then. */
export class PlayedHost {
  readonly #player: Player;
  readonly #answers = new PendingAnswers<unknown>();
  /** Open waits of the executor, by what is waited for. */
  readonly #waits = new Map<string, (end: { outcome: WaitOutcome }) => void>();
  #executing = false;
  /** Rejects where the store of the session failed while an action ran. */
  readonly #sessionFault: Promise<never>;
  #failSession: (error: Error) => void = () => {};

  constructor(player: Player) {
    this.#player = player;
    this.#sessionFault = new Promise((_, reject) => {
      this.#failSession = reject;
    });
    this.#sessionFault.catch(() => undefined);
  }

  async execute(action: Action, context: ExecutorContext): Promise<ToolResult[]> {
    const player = this.#player;
    const asked = await player.next();
    if (asked?.type !== "execute") throw outOfOrder(player, "an action is run", asked);
    if (canonicalJson(asked.action) !== canonicalJson(action)) {
      throw diverged(player.diverge("action", "the action", asked.action, action));
    }
    player.advance();
    this.#executing = true;
    try {
      return await this.#play(context);
    } finally {
      this.#executing = false;
    }
  }

  async #play(context: ExecutorContext): Promise<ToolResult[]> {
    const player = this.#player;
    for (;;) {
      const crossing = await player.next();
      if (crossing?.type !== "execute" && crossing?.type !== "model-request") player.advance();
      switch (crossing?.type) {
        case "executor-event":
          context.emit(crossing.event);
          break;
        case "executor-approval":
          void context.approve(crossing.request);
          break;
        case "executor-question": {
          const { type: _, question, clock: __, ...call } = crossing as typeof crossing & { clock?: unknown };
          void context.ask?.(question, call);
          break;
        }
        case "executor-wait": {
          const { request } = crossing;
          const waiting = new Promise<{ outcome: WaitOutcome }>((end) => this.#waits.set(canonicalJson(request), end));
          void context.wait?.(request, () => waiting);
          break;
        }
        case "executor-waited":
          this.#waits.get(canonicalJson(crossing.request))?.({ outcome: crossing.outcome });
          break;
        case "executor-hook":
          callHook(context, crossing);
          break;
        case "decision":
          this.#answer("decision", crossing, crossing.decision ?? false);
          break;
        case "answer":
          this.#answer("question", crossing, crossing.answer);
          break;
        case "session-failed":
          this.#failSession(toError(crossing.error));
          break;
        case "hook":
          this.#answer(crossing.hook, crossing, crossing.answer);
          break;
        case "timer":
          player.fireTimer(crossing.name);
          break;
        case "executor-results":
          return crossing.results;
        case "executor-error":
          throw toError(crossing.error);
        default:
          // The recorded executor did not answer either, and was left behind.
          if (context.signal.aborted) return new Promise(() => undefined);
          throw outOfOrder(player, "an action is run", crossing);
      }
    }
  }

  async approve({ callId }: ApprovalRequest): Promise<Decision | boolean | "later"> {
    if (this.#executing) return (await this.#answers.wait(`decision ${callId}`)) as Decision | boolean | "later";
    return (await this.#given("decision", "the host is asked"))?.decision ?? false;
  }

  /** Answers a server, which asks only while an action is run. */
  ask(callId: string): Promise<QuestionAnswer> {
    return this.#answers.wait(`question ${callId}`) as Promise<QuestionAnswer>;
  }

  async condition(): Promise<boolean> {
    return (await this.#given("condition", "a condition is asked"))?.isTrue ?? false;
  }

  output({ jsonSchema, ...more }: NonNullable<RecordingHead["output"]>): OutputOptions {
    const validate = async (): Promise<OutputValidation> =>
      (await this.#given("validated", "the answer is validated"))?.validation ?? { success: false, issues: [] };
    return { schema: { jsonSchema, validate }, ...more };
  }

  artifacts(): ArtifactStore {
    return {
      put: async () => (await this.#given("artifact-put", "an artifact is kept"))?.id,
      read: async () => (await this.#given("artifact-read", "an artifact is read"))?.piece,
    };
  }

  /** Resolves to the next crossing, which must be of that type. Undefined when the run was stopped. */
  async #given<Type extends Crossing["type"]>(
    type: Type,
    now: string,
    /** Called with the crossing, also where it is an error. */
    take?: (crossing: Extract<Crossing, { type: Type }>) => void,
  ): Promise<Extract<Crossing, { type: Type }> | undefined> {
    const player = this.#player;
    const crossing = await player.next();
    if (player.signal.aborted) return undefined;
    if (crossing?.type !== type) throw outOfOrder(player, now, crossing);
    player.advance();
    take?.(crossing as Extract<Crossing, { type: Type }>);
    if ("error" in crossing && crossing.error) throw toError(crossing.error as RunError);
    return crossing as Extract<Crossing, { type: Type }>;
  }

  async compacted({ report }: CompactionInput): Promise<readonly Message[]> {
    const reported = ({ used = [] }: { used?: Usage[] }): void => {
      for (const usage of used) report?.(usage);
    };
    return (await this.#given("compacted", "the conversation is made shorter", reported))?.messages ?? [];
  }

  /** Returns hooks that answer as the host's did. */
  hooks(names: readonly HostHook[]): Pick<AgentOptions, HostHook> {
    const played = (hook: HostHook) => (call: ToolCall) =>
      this.#answers.wait(`${hook} ${call.id}`) as Promise<undefined>;
    return Object.fromEntries(names.filter((hook) => hook !== "prepareStep").map((hook) => [hook, played(hook)]));
  }

  /** Answers as the recorded `prepareStep`. */
  async prepareStep(
    protocols: readonly ToolProtocol[],
    modelOf: (info: ModelInfo) => Model,
  ): Promise<StepChange | undefined> {
    const change = (await this.#given("hook", "a step is prepared"))?.answer as RecordedStepChange | undefined;
    const { model, protocol: version, ...data } = change ?? {};
    const protocol = protocols.find((one) => one.version === version);
    return change && { ...data, ...defined({ model: model && modelOf(model), protocol }) };
  }

  /** Returns a storage that keeps no run, and fails where the host's did. */
  storage({ entries }: Recording): Storage {
    const failures = entries.flatMap((entry) => (entry.type === "session-failed" ? [entry.at] : []));
    const storage = memoryStorage();
    const logs: LogStore = {
      ...storage.logs,
      append: async (_, lines, at) => {
        if (!failures.some((failed) => failed >= at && failed < at + lines.length)) return true;
        if (this.#executing) await this.#sessionFault;
        // Also after the caller's abort, which leaves nothing else to be played.
        const crossing = await this.#player.next();
        if (crossing?.type !== "session-failed") throw outOfOrder(this.#player, "the session is written", crossing);
        this.#player.advance();
        throw toError(crossing.error);
      },
    };
    return { ...storage, logs };
  }

  /** Settles an answer that was recorded while an action ran. */
  #answer(what: string, { callId = "", error }: { callId?: string; error?: RunError }, value: unknown): void {
    this.#answers.settle(`${what} ${callId}`, error ? Promise.reject(toError(error)) : Promise.resolve(value));
  }
}

/** Calls a hook as the recorded executor did. */
function callHook(
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
