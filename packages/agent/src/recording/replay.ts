import type {
  Action,
  ApprovalRequest,
  ArtifactStore,
  Decision,
  ExecutorContext,
  Message,
  Model,
  ModelInfo,
  ModelPart,
  ModelRequest,
  QuestionAnswer,
  ToolCall,
  ToolDefinition,
  ToolResult,
  Usage,
  WaitOutcome,
} from "@toolglot/core";
import { checkKeys, defined } from "@toolglot/internal";
import type { CompactionInput } from "../context/compaction.ts";
import { createAgent } from "../create-agent.ts";
import type { OutputOptions, OutputValidation } from "../output/types.ts";
import { canonicalJson } from "../plain-json.ts";
import type { SessionStore } from "../session/types.ts";
import type { AgentOptions, AgentRun, RunError, RunOptions } from "../types.ts";
import { RequestDigests } from "./digest.ts";
import { callHook } from "./hooks.ts";
import { PendingAnswers } from "./pending-answers.ts";
import { diverged, outOfOrder, overflows, playedError, toError } from "./played-errors.ts";
import { checkProtocols, playedPrepareStep, playedSessions, type ReplayOptions } from "./played-hooks.ts";
import { type Divergence, Player } from "./player.ts";
import type { Crossing, HostHook, Recording, RecordingHead } from "./types.ts";

/** A recorded run, ready to be run again. Good for one run. */
export interface Replay {
  /** Everything `createAgent` needs but the protocol, which is code: pass the one that was recorded. */
  options: Omit<AgentOptions, "protocol">;
  input: Message[];
  runOptions: Required<RunOptions>;
  /** Where the replay first differed from the recording; undefined as long as it doesn't. */
  readonly divergence: Divergence | undefined;
}

/**
 * A model, an executor and a host that do what they did in the recording, so that the same run gives the same events,
 * times and ids included, without a provider, a tool or a person. When the run asks the model, or wants to run, something
 * else, it ends with the error `agent/replay-divergence`, whose message has the first difference.
 */
export function replay(recording: Recording, options: Pick<ReplayOptions, "protocols"> = {}): Replay {
  checkKeys("replay", options, "protocols:object[]");
  const { head } = recording;
  const { protocols = [] } = options;
  checkProtocols(recording, protocols);
  const player = new Player(recording);
  const host = new PlayedHost(player);
  const digests = new RequestDigests();
  const modelOf = (info: ModelInfo | undefined): Model =>
    Object.assign(
      (request: ModelRequest, signal: AbortSignal) =>
        playModel(player, request, digests.of(request), signal, head.options.maxTokens),
      defined({ info }),
    );
  return {
    options: {
      ...optionsOf(head),
      tools: head.tools ?? {
        definitions: () => player.tools() as ToolDefinition[],
        instructions: () => player.instructions() as string | undefined,
      },
      model: modelOf(head.model),
      executor: {
        ...(head.honoursHooks && { honoursHooks: true }),
        handles: () => true,
        execute: (action, context) => host.execute(action, context),
      },
      ...(head.approves && { approve: (request: ApprovalRequest) => host.approve(request) }),
      context: {
        ...optionsOf(head).context,
        isContextOverflow: (error: unknown) => overflows.has(error as object),
        ...(head.compacts && { compact: (input: CompactionInput) => host.compacted(input) }),
        ...(head.estimates && { estimate: () => player.number("estimate") }),
        ...(head.artifacts !== "memory" && { artifacts: head.artifacts === "host" && host.artifacts() }),
      },
      ...(head.output && { output: host.output(head.output) }),
      ...host.hooks(head.hooks),
      ...(head.hooks.includes("prepareStep") && { prepareStep: playedPrepareStep(player, protocols, modelOf) }),
      ...(head.sessions && { sessions: host.sessions(recording) }),
      ...(head.priced && { price: () => player.number("price") }),
      ...(head.asks && { ask: (_question: unknown, { callId }: { callId: string }) => host.ask(callId) }),
      stopWhen: Array.from({ length: head.conditions }, () => () => host.condition()),
      onEvent: (event) => player.observe(event),
      runtime: {
        now: () => player.now(),
        newRunId: () => head.runId,
        newOwner: () => head.owner,
        startTimer: (name, _ms, callback) => player.startTimer(name, callback),
        onRun: (run) => player.steers(run),
      },
    },
    input: head.input,
    runOptions: { signal: player.signal, runId: head.runId },
    get divergence() {
      return player.divergence;
    },
  };
}

/** A run that is played again. */
export interface ReplayedRun extends AgentRun {
  readonly divergence: Divergence | undefined;
}

/**
 * Plays a recording from start to end with the protocol it was made with. Throws `TypeError` when the protocol has another
 * version, or that of a step is missing.
 */
export function replayRun(recording: Recording, options: ReplayOptions): ReplayedRun {
  checkKeys("replayRun", options, "protocol:object protocols:object[]", ["protocol"]);
  const { protocol, protocols = [] } = options;
  const { protocol: wanted } = recording.head;
  if (protocol.version !== wanted) {
    throw new TypeError(`The recording was made with ${wanted}, and this protocol is ${protocol.version}.`);
  }
  const replayed = replay(recording, { protocols: [protocol, ...protocols] });
  const run = createAgent({ ...replayed.options, protocol }).run(replayed.input, replayed.runOptions);
  return {
    ...run,
    get divergence() {
      return replayed.divergence;
    },
  };
}

/** Options as they were; a number that JSON could not hold was `Infinity`. */
function optionsOf({ options }: RecordingHead): RecordingHead["options"] {
  return { ...options, limits: withInfinity(options.limits), context: withInfinity(options.context) };
}

function withInfinity<Numbers extends object>(numbers: Numbers | undefined): Numbers {
  const all = Object.entries(numbers ?? {}).map(([key, value]) => [key, value ?? Number.POSITIVE_INFINITY]);
  return Object.fromEntries(all) as Numbers;
}

async function* playModel(
  player: Player,
  request: ModelRequest,
  digest: string,
  signal: AbortSignal,
  maxTokens: number | undefined,
): AsyncGenerator<ModelPart> {
  const asked = await player.next();
  if (signal.aborted) return;
  if (asked?.type !== "model-request") throw outOfOrder(player, "the model is asked", asked);
  if (asked.digest !== digest) {
    const { messages, tools, stop } = player.lastRequest() ?? {};
    const recorded = { messages, tools, stop, maxTokens };
    throw diverged(player.diverge("request", "the request to the model", recorded, request));
  }
  player.advance();
  for (;;) {
    const crossing = await player.next();
    if (signal.aborted) return;
    switch (crossing?.type) {
      case "model-part":
        player.advance();
        yield crossing.part;
        break;
      case "model-end":
        player.advance();
        return;
      case "model-error":
        player.advance();
        throw playedError(crossing);
      case "timer":
        player.advance();
        player.fireTimer(crossing.name);
        // A timer that stops the run is the last thing its model sees.
        if (signal.aborted) return;
        break;
      default:
        throw outOfOrder(player, "the model answers", crossing);
    }
  }
}

/** Executor and people. Approvals that the executor asks for are answered where they were answered then. */
class PlayedHost {
  readonly #player: Player;
  readonly #answers = new PendingAnswers<unknown>();
  /** Waits of the executor that go on, by what is waited for. */
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
    const player = this.#player;
    const crossing = await player.next();
    if (player.signal.aborted) return false;
    if (crossing?.type !== "decision") throw outOfOrder(player, "the host is asked", crossing);
    player.advance();
    if (crossing.error) throw toError(crossing.error);
    return crossing.decision ?? false;
  }

  /** Servers ask only while an action is run. */
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

  /** The next crossing, which must be of that type. Undefined when the run was stopped. */
  async #given<Type extends Crossing["type"]>(
    type: Type,
    now: string,
    /** Is given the crossing, also where it is an error. */
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
    const tell = ({ used = [] }: { used?: Usage[] }): void => {
      for (const usage of used) report?.(usage);
    };
    return (await this.#given("compacted", "the conversation is made shorter", tell))?.messages ?? [];
  }

  /** Hooks that answer as the host's did. */
  hooks(names: readonly HostHook[]): Pick<AgentOptions, HostHook> {
    const played = (hook: HostHook) => (call: ToolCall) =>
      this.#answers.wait(`${hook} ${call.id}`) as Promise<undefined>;
    return Object.fromEntries(names.filter((hook) => hook !== "prepareStep").map((hook) => [hook, played(hook)]));
  }

  /** A store that keeps nothing, and fails where the host's did. */
  sessions(recording: Recording): SessionStore {
    return playedSessions(this.#player, recording, async () => (this.#executing ? this.#sessionFault : undefined));
  }

  /** What was answered while an action ran. */
  #answer(what: string, { callId = "", error }: { callId?: string; error?: RunError }, value: unknown): void {
    this.#answers.settle(`${what} ${callId}`, error ? Promise.reject(toError(error)) : Promise.resolve(value));
  }
}
