import type { Action, ApprovalRequest, Message, ToolDefinition, ToolResult, Transcript, Usage } from "@toolglot/core";
import { defined, errorText } from "@toolglot/internal";
import type { AgentEvent, RunEvent, StepEvent } from "../events.ts";
import { ownSetting, type StepSetting } from "../hooks/prepare-step.ts";
import { finalAnswerTool } from "../output/final-answer.ts";
import { plainJson } from "../plain-json.ts";
import { type Resumed, RunSession } from "../session/run-session.ts";
import type { RunSnapshot } from "../session/types.ts";
import type { Settings } from "../settings.ts";
import { Deadline, type StopCause } from "../stop.ts";
import type { LimitKind, RunError, RunResult, RunStatus, RunStep } from "../types.ts";
import { type Wording, wordings } from "../wording.ts";
import { expectedCalls } from "./act.ts";
import { Artifacts } from "./artifacts.ts";
import { Conversation } from "./conversation.ts";
import { Injected } from "./injected.ts";
import { LiveTools, type ToolsChange } from "./live-tools.ts";
import { Trace } from "./trace.ts";

/** How a run ends, before the sums are added. */
export interface Outcome {
  status: RunStatus;
  text: string;
  value?: unknown;
  limit?: LimitKind;
  error?: RunError;
  pending?: ApprovalRequest[];
  snapshot?: RunSnapshot;
}

/** All that changes while one run goes on. */
export class RunState {
  readonly runId: string;
  readonly settings: Settings;
  readonly wording: Wording;
  readonly events: EventLog;
  readonly conversation: Conversation;
  readonly tools: LiveTools;
  readonly artifacts: Artifacts;
  readonly results: ToolResult[] = [];
  readonly usage: Usage = {};
  /** Without what tools used; there once one has used something. */
  own?: Usage | undefined;
  readonly steps: RunStep[] = [];
  readonly injected: Injected;
  readonly compactions: { stepIndex: number; reason: "estimate" | "overflow" }[] = [];
  readonly deadline: Deadline;
  readonly trace: Trace;
  readonly session: RunSession;
  /** What the run goes on from. */
  readonly resumed: Resumed | undefined;
  /** These counts are compared with the limits. */
  tokens = 0;
  turns = 0;
  denied = 0;
  stepIndex = 0;
  /** Visible text of the newest answer, complete or not. */
  lastText = "";
  stop: StopCause | undefined;
  /** The answer in the form that the host asked for, once the model has called for it in this step. */
  final: { value: unknown } | undefined;
  /** What was said of parts of the model that were left out. */
  readonly unknownParts: Set<string> = new Set();
  /** What was said of calls without exactly one result. */
  readonly unpaired: Set<string> = new Set();
  /** What the step is made with. */
  step: StepSetting;
  /** Of the last step, one for each call. */
  lastResults: readonly ToolResult[] = [];
  /** The tools that the last request declared. */
  declared: readonly ToolDefinition[] | undefined;

  readonly #controller = new AbortController();
  readonly #callIds = new Set<string>();
  readonly #namesTwice = new Set<string>();
  #nextCall = 0;
  readonly #usedMs: number;
  /** When the last event was. */
  at = 0;
  readonly #observer: ((event: AgentEvent) => void) | undefined;
  #onEvent: Settings["onEvent"];
  ended: boolean = false;

  constructor(
    settings: Settings,
    messages: readonly Message[],
    runId: string,
    observer: ((event: AgentEvent) => void) | undefined,
    resumed?: Resumed,
  ) {
    this.#observer = observer;
    this.resumed = resumed;
    this.settings = settings;
    this.runId = runId;
    this.wording = wordings[settings.locale];
    this.conversation = new Conversation(settings.protocol, messages, this.wording.noResultKept);
    this.tools = new LiveTools(settings.readTools);
    this.artifacts = new Artifacts(this);
    const finalAnswer = finalAnswerTool(this);
    if (finalAnswer) this.tools.addOwn(finalAnswer);
    this.step = ownSetting(this);
    this.injected = new Injected(settings.mode);
    this.events = new EventLog(settings.keepEvents);
    const { maxTokens, protocol, model } = settings;
    this.trace = new Trace(settings.tracing, () => ({
      runId,
      messages,
      ...defined({ model: model.info, maxTokens, stop: protocol.stop.length > 0 ? protocol.stop : undefined }),
      ...defined({ resumedFrom: resumed?.restored.head.traceparent }),
    }));
    this.#onEvent = settings.onEvent;
    const usedMs = resumed?.restored.counts.ms ?? 0;
    this.#usedMs = usedMs;
    this.deadline = new Deadline(Math.max(0, settings.limits.timeMs - usedMs), settings.runtime, () =>
      this.requestStop({ cause: "limit", limit: "time" }),
    );
    this.session = new RunSession(this, resumed);
    if (resumed) this.#restore(resumed);
  }

  #restore({ restored }: Resumed): void {
    const { counts, text, past, open, messages } = restored;
    const { usage, own, turns, tokens, denied, nextCall } = counts;
    this.results.push(...restored.results);
    this.steps.push(...restored.steps);
    Object.assign(this.usage, usage);
    Object.assign(this, {
      turns,
      tokens,
      denied,
      ...(own && { own: { ...own } }),
      stepIndex: restored.stepIndex,
      lastText: text,
    });
    this.#nextCall = nextCall;
    this.lastResults = restored.lastResults;
    const calls = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "call" ? [part.call.id] : [])),
    );
    const actions: Action[] = [...past.map(({ action }) => action), ...(open?.actions ?? [])];
    for (const id of [...calls, ...actions.flatMap((action) => expectedCalls(action).map(({ callId }) => callId))]) {
      this.#callIds.add(id);
    }
  }

  /** Number of the next call id. */
  get nextCall(): number {
    return this.#nextCall;
  }

  /** Milliseconds of the run's time so far, in all processes, until the last event. */
  get liveMs(): number {
    return this.#usedMs + this.deadline.used(this.at);
  }

  /** Aborted when the run is to stop. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The event's time; undefined after the end. */
  emit(event: RunEvent | StepEvent): number | undefined {
    if (this.ended) return undefined;
    if (event.type === "tool-call-end") {
      const { name, status, ms, error } = event;
      const isKnown = this.tools.current.some((tool) => tool.name === name);
      this.trace.toolCall({ name, isKnown, status, ms, ...defined({ errorType: error?.type }) });
    }
    return this.#push(event);
  }

  /**
   * Reads the tools of the moment. What is wrong with them is a warning, and the tools of the step before stay. Before the
   * first event, the caller collects the warnings.
   */
  readTools(warn: (code: string, message: string) => void = (...warning) => this.warn(...warning)): {
    change?: ToolsChange;
    isRetold?: boolean;
    failed?: string;
  } {
    try {
      const { change, twice, isRetold } = this.tools.refresh();
      if (twice !== undefined && !this.#namesTwice.has(twice)) {
        this.#namesTwice.add(twice);
        warn("agent/tool-name-twice", `Two tools are named ${JSON.stringify(twice)}; the model is shown the first.`);
      }
      return { isRetold, ...(change && { change }) };
    } catch (error) {
      const failed = `The tools can't be read: ${errorText(error)}`;
      warn("agent/tools-failed", failed);
      return { failed };
    }
  }

  warn(code: string, message: string): void {
    this.emit({ type: "warning", code, message, stepIndex: this.stepIndex });
  }

  /**
   * Aborts everything that runs; the loop notices at its next await. The event comes at once: its place among the others must not
   * depend on what notices first.
   */
  requestStop(cause: StopCause): void {
    if (this.stop || this.ended) return;
    this.stop = cause;
    this.emit({ type: "run-abort", ...cause });
    this.#controller.abort();
  }

  /** A call id that no other call of this run has: the given one when it is free. */
  uniqueCallId(given?: string): string {
    let id = given;
    if (!id || this.#callIds.has(id)) {
      do {
        id = `call_${this.#nextCall}`;
        this.#nextCall += 1;
      } while (this.#callIds.has(id));
    }
    this.#callIds.add(id);
    return id;
  }

  /** The last event; nothing is emitted after it. */
  end(outcome: Outcome): RunResult {
    this.deadline.close();
    // Which of them is there goes by the status.
    const result = {
      runId: this.runId,
      ...plainJson(outcome),
      results: [...this.results],
      transcript: this.#transcript(),
      usage: { ...this.usage, ...(this.own && { own: { ...this.own } }) },
      steps: [...this.steps],
      undelivered: this.injected.close(),
      turns: this.turns,
      denied: this.denied,
    } as unknown as RunResult;
    // Ended first: a listener that aborts on this event must not cause another one.
    this.ended = true;
    this.#push({ type: "run-end", result });
    this.events.close();
    this.trace.end(result);
    // What a schema made of the answer need not be JSON; in the event it is.
    return this.settings.output && outcome.value !== undefined
      ? ({ ...result, value: outcome.value } as RunResult)
      : result;
  }

  #transcript(): Transcript {
    const { protocol, mode, locale } = this.settings;
    return {
      version: 1,
      messages: this.conversation.messages,
      meta: {
        runId: this.runId,
        protocol: protocol.version,
        mode,
        locale,
        ...(this.compactions.length > 0 && { compactions: [...this.compactions] }),
      },
    };
  }

  #push(event: RunEvent | StepEvent): number {
    const timed: AgentEvent = { ...event, at: this.settings.runtime.now() };
    this.at = timed.at;
    this.events.push(timed);
    this.#observer?.(timed);
    const onEvent = this.#onEvent;
    if (!onEvent) return timed.at;
    try {
      onEvent(timed);
    } catch (error) {
      // One report, then silence: a listener that throws each time must not double every event.
      this.#onEvent = undefined;
      this.warn("agent/on-event-failed", `onEvent threw and is not called again: ${String(error)}`);
    }
    return timed.at;
  }
}

/** Keeps the events of a run, or the newest of them, so that they can be iterated while it goes on, afterwards, twice, or never. */
class EventLog implements AsyncIterable<AgentEvent> {
  readonly #keep: number;
  #events: AgentEvent[] = [];
  /** Number of the event that is first in `#events`: so many were dropped, or are about to be. */
  #first = 0;
  #closed = false;
  #waiting: (() => void)[] = [];

  constructor(keep: number = Number.POSITIVE_INFINITY) {
    this.#keep = keep;
  }

  push(event: AgentEvent): void {
    this.#events.push(event);
    // Half of them at once: dropping one costs as much as moving all.
    if (this.#events.length >= 2 * this.#keep) {
      this.#first += this.#events.length - this.#keep;
      this.#events = this.#events.slice(-this.#keep);
    }
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent> {
    for (let index = 0; ; ) {
      const kept = Math.max(this.#first, this.#first + this.#events.length - this.#keep);
      const event = this.#events[Math.max(index, kept) - this.#first];
      if (event !== undefined && index < kept) {
        yield { type: "events-dropped", count: kept - index, at: event.at };
        index = kept;
      } else if (event !== undefined) {
        index += 1;
        yield event;
      } else {
        if (this.#closed) return;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
