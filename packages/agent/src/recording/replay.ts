import {
  type Action,
  type ApprovalRequest,
  type Decision,
  type ExecutorContext,
  type Message,
  type ModelPart,
  type ModelRequest,
  type QuestionAnswer,
  type ToolDefinition,
  ToolglotError,
  type ToolProtocol,
  type ToolResult,
  type WaitOutcome,
} from "@toolglot/core";
import { checkKeys, defined } from "@toolglot/internal";
import { replayDivergence } from "../codes.ts";
import { createAgent } from "../create-agent.ts";
import { canonicalJson } from "../plain-json.ts";
import type { AgentOptions, AgentRun, RunError, RunOptions } from "../types.ts";
import { RequestDigests } from "./digest.ts";
import { PendingAnswers } from "./pending-answers.ts";
import { type Divergence, Player } from "./player.ts";
import type { Crossing, Recording, RecordingHead } from "./types.ts";

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
export function replay(recording: Recording): Replay {
  const { head } = recording;
  const player = new Player(recording);
  const host = new PlayedHost(player);
  const digests = new RequestDigests();
  return {
    options: {
      ...optionsOf(head),
      tools: head.tools ?? (() => player.tools() as ToolDefinition[]),
      model: Object.assign(
        (request: ModelRequest, signal: AbortSignal) =>
          playModel(player, request, digests.of(request), signal, head.options.maxTokens),
        defined({ info: head.model }),
      ),
      executor: { handles: () => true, execute: (action, context) => host.execute(action, context) },
      ...(head.approves && { approve: (request: ApprovalRequest) => host.approve(request) }),
      ...(head.asks && { ask: (_question: unknown, { callId }: { callId: string }) => host.ask(callId) }),
      ...(head.compacts && {
        context: { ...optionsOf(head).context, compact: () => host.compacted() },
      }),
      ...(head.priced && { price: () => player.price() }),
      stopWhen: Array.from({ length: head.conditions }, () => () => host.condition()),
      onEvent: (event) => player.observe(event),
      runtime: {
        now: () => player.now(),
        newRunId: () => head.runId,
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
 * version.
 */
export function replayRun(recording: Recording, options: { protocol: ToolProtocol }): ReplayedRun {
  checkKeys("replayRun", options, "protocol", ["protocol"]);
  const { protocol } = options;
  const { protocol: wanted } = recording.head;
  if (protocol.version !== wanted) {
    throw new TypeError(`The recording was made with ${wanted}, and this protocol is ${protocol.version}.`);
  }
  const replayed = replay(recording);
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
        throw crossing.isOverflow ? Object.assign(toError(crossing.error), { status: 413 }) : toError(crossing.error);
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
  readonly #approvals = new PendingAnswers<Decision | boolean>();
  readonly #questions = new PendingAnswers<QuestionAnswer | undefined>();
  /** Waits of the executor that go on, by what is waited for. */
  readonly #waits = new Map<string, (end: { outcome: WaitOutcome }) => void>();
  #executing = false;

  constructor(player: Player) {
    this.#player = player;
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
        case "decision":
          this.#approvals.settle(crossing.callId, given(crossing.decision ?? false, crossing.error));
          break;
        case "answer":
          this.#questions.settle(crossing.callId, given(crossing.answer, crossing.error));
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

  async approve({ callId }: ApprovalRequest): Promise<Decision | boolean> {
    if (this.#executing) return this.#approvals.wait(callId);
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
    return this.#questions.wait(callId) as Promise<QuestionAnswer>;
  }

  async condition(): Promise<boolean> {
    const player = this.#player;
    const crossing = await player.next();
    if (player.signal.aborted) return false;
    if (crossing?.type !== "condition") throw outOfOrder(player, "a condition is asked", crossing);
    player.advance();
    if (crossing.error) throw toError(crossing.error);
    return crossing.isTrue ?? false;
  }

  async compacted(): Promise<readonly Message[]> {
    const player = this.#player;
    const crossing = await player.next();
    if (crossing?.type !== "compacted") throw outOfOrder(player, "the conversation is made shorter", crossing);
    player.advance();
    if (crossing.error) throw toError(crossing.error);
    return crossing.messages ?? [];
  }
}

/** What somebody answered, or threw. */
function given<Answer>(answer: Answer, error: RunError | undefined): Promise<Answer> {
  return error ? Promise.reject(toError(error)) : Promise.resolve(answer);
}

function toError({ code, message, data }: RunError): Error {
  // Codes that the loop gave itself stand for foreign errors, which have none.
  const foreign = [
    "agent/model-failed",
    "agent/executor-failed",
    "agent/approve-failed",
    "agent/ask-failed",
    "agent/tools-failed",
    "agent/hook-failed",
  ].includes(code);
  return foreign ? new Error(message) : new ToolglotError(code, message, { data: data ?? {} });
}

function outOfOrder(player: Player, now: string, crossing: Crossing | undefined): ToolglotError {
  return diverged(player.diverge("order", "the order of things", crossing?.type ?? "the end of the recording", now));
}

function diverged({ what, message }: Divergence): ToolglotError {
  return new ToolglotError(replayDivergence, message, { data: { what } });
}
