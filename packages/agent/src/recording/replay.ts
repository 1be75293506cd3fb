import type {
  ApprovalRequest,
  Message,
  Model,
  ModelInfo,
  ModelPart,
  ModelRequest,
  ToolDefinition,
  ToolProtocol,
} from "@toolglot/core";
import { checkKeys, defined, isObject, parseJson } from "@toolglot/internal";
import type { CompactionInput } from "../context/compaction.ts";
import { createAgent } from "../create-agent.ts";
import type { AgentOptions } from "../options.ts";
import type { AgentTracing } from "../tracing.ts";
import type { AgentRun, RunOptions } from "../types.ts";
import { RequestDigests } from "./digest.ts";
import { diverged, outOfOrder, overflows, playedError } from "./played-errors.ts";
import { PlayedHost } from "./played-host.ts";
import { type Divergence, Player } from "./player.ts";
import type { RecordedStepChange, Recording, RecordingHead } from "./types.ts";

/** The code that a recording can't hold. */
export interface ReplayOptions {
  /** That of the run. */
  protocol: ToolProtocol;
  /** Those that `prepareStep` chose for single steps. Default: none. */
  protocols?: readonly ToolProtocol[];
}

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
 * Returns a model, an executor and a host that do what they did in the recording, so that the same run emits the same events,
 * times and ids included, without a provider, a tool or a person. When the run asks the model, or wants to run, something
 * else, it ends with the error `agent/replay-divergence`, whose message has the first difference.
 *
 * @example
 * ```ts
 * const { options: played, input, runOptions } = replay(recording);
 * const run = createAgent({ ...played, protocol }).run(input, runOptions);
 * ```
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
      ...(head.hooks.includes("prepareStep") && { prepareStep: () => host.prepareStep(protocols, modelOf) }),
      ...(head.sessions && { storage: host.storage(recording) }),
      ...defined({ tracing: playedTracing(recording) }),
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
 *
 * @example
 * ```ts
 * const recording = parseRecording(text);
 * const replayed = replayRun(recording, { protocol });
 * const { status } = await replayed.result;
 * ```
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

/** Throws `TypeError` when a step was made with a protocol that is missing. */
function checkProtocols({ entries }: Recording, protocols: readonly ToolProtocol[]): void {
  for (const entry of entries) {
    if (entry.type !== "hook" || entry.hook !== "prepareStep") continue;
    const { protocol } = (entry.answer ?? {}) as RecordedStepChange;
    if (protocol === undefined || protocols.some(({ version }) => version === protocol)) continue;
    throw new TypeError(`A step of the recording was made with ${protocol}: pass that one in protocols.`);
  }
}

/** Returns a tracing that only names the run as then: a run that waits has its name in its snapshot. */
function playedTracing({ entries }: Recording): AgentTracing | undefined {
  const last = entries.findLast(({ type }) => type === "event");
  const result = last?.type === "event" && last.event.type === "run-end" ? last.event.result : undefined;
  const head = parseJson(result?.snapshot?.lines[0] ?? "");
  if (!isObject(head) || typeof head.traceparent !== "string") return undefined;
  const silent = { within: (work: () => void) => work(), firstPart() {}, toolCall() {}, end() {} };
  const trace = { traceparent: head.traceparent, ...silent, startRequest: () => silent };
  return { startRun: () => trace };
}

/** Returns the options as they were; a number that JSON could not hold was `Infinity`. */
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
