import type { ApprovalRequest, Message, ToolResult, Transcript, Usage } from "@toolglot/core";
import { CallGuard } from "@toolglot/core/check-call";
import type { AgentEvent, RunEvent, StepEvent } from "../events.ts";
import { plainJson } from "../plain-json.ts";
import type { RunResult, RunStep } from "../result.ts";
import type { SessionCounts } from "../session/types.ts";
import type { Settings } from "../settings.ts";
import { Deadline, type StopCause } from "../stop.ts";
import { type Wording, wordings } from "../wording.ts";
import { Conversation } from "./conversation.ts";
import { Injected } from "./injected.ts";
import type { Part } from "./part.ts";
import { EventLog, RunLog } from "./run-log.ts";
import { RunTools } from "./tools.ts";
import type { Outcome, StepSetting } from "./types.ts";

/** Start of a run. */
export interface RunStart {
  runId: string;
  messages: readonly Message[];
  /** Receives every event, before `onEvent`. */
  observer?: ((event: AgentEvent) => void) | undefined;
  /** Of a run that another process has begun: its log, who continues it, and the milliseconds that it has used. */
  known?: { lines: readonly string[]; owner: string; ms: number } | undefined;
}

/** State of one run that the loop itself changes. What belongs to a single feature is in the closure of its part. */
export class Run {
  readonly runId: string;
  readonly settings: Settings;
  readonly wording: Wording;
  readonly events: EventLog;
  readonly conversation: Conversation;
  readonly tools: RunTools;
  readonly injected: Injected;
  readonly deadline: Deadline;
  /** Looks for damaged calls; not there where the host wants none looked for. */
  readonly guard: CallGuard | undefined;
  /** Everything that another process needs to continue the run. */
  readonly log: RunLog;
  /** Features, in the order in which they are called. */
  parts: readonly Part[] = [];
  /** Listeners of events, called before the host's. */
  readonly observers: ((event: AgentEvent) => void)[];
  /** Facts for the transcript. */
  readonly compactions: { stepIndex: number; reason: "estimate" | "overflow" }[] = [];
  /** Name of the run in traces. */
  traceparent: string | undefined;

  readonly results: ToolResult[] = [];
  readonly steps: RunStep[] = [];
  readonly usage: Usage = {};
  /** Without what tools used; present once one has used something. */
  own?: Usage | undefined;
  /** These counts are compared with the limits. */
  tokens = 0;
  turns = 0;
  denied = 0;
  stepIndex = 0;
  step: StepSetting;
  /** Visible text of the newest answer, complete or not. */
  lastText = "";
  /** Of the last step, one for each call. */
  lastResults: readonly ToolResult[] = [];
  /** Requests of the action under way that were answered with "later", and its calls that have come to an end. */
  readonly postponed: ApprovalRequest[] = [];
  readonly ended: Set<string> = new Set();

  stop: StopCause | undefined;
  isOver: boolean = false;
  /** Number of the next call id. */
  nextCall = 0;
  readonly callIds: Set<string> = new Set();
  readonly #warned = new Set<string>();
  readonly #controller = new AbortController();
  readonly #usedMs: number;
  /** When the last event was. */
  at = 0;
  #onEvent: Settings["onEvent"];

  constructor(settings: Settings, { runId, messages, observer, known }: RunStart) {
    const { protocol, limits, runtime, sessions } = settings;
    this.settings = settings;
    this.runId = runId;
    this.observers = observer ? [observer] : [];
    this.wording = wordings[settings.locale];
    const { checkCalls: mode, locale } = settings;
    this.guard = mode === "off" ? undefined : new CallGuard({ mode, locale, now: () => runtime.now() });
    this.conversation = new Conversation(protocol, messages, this.wording.noResultKept);
    this.tools = new RunTools(settings.readTools);
    this.step = this.ownStep();
    this.injected = new Injected(settings.mode);
    this.events = new EventLog(settings.keepEvents);
    this.#onEvent = settings.onEvent;
    this.#usedMs = known?.ms ?? 0;
    this.deadline = new Deadline(Math.max(0, limits.timeMs - this.#usedMs), runtime, () =>
      this.requestStop({ cause: "limit", limit: "time" }),
    );
    const owner = known?.owner ?? runtime.newOwner();
    this.log = new RunLog({ runId, owner, store: sessions }, known?.lines ?? [], () =>
      this.requestStop({ cause: "session" }),
    );
  }

  /** Returns the members of that name, in the order of the parts. */
  each<Name extends Exclude<keyof Part, "tools">>(name: Name): NonNullable<Part[Name]>[] {
    return this.parts.flatMap((part) => part[name] ?? []) as NonNullable<Part[Name]>[];
  }

  /** Returns the first member of that name. */
  first<Name extends keyof Part>(name: Name): Part[Name] | undefined {
    return this.parts.find((part) => part[name] !== undefined)?.[name];
  }

  /** Returns the setting of a step that nothing changes. */
  ownStep(): StepSetting {
    const { model, protocol, system, maxTokens } = this.settings;
    const { current: tools, declared } = this.tools;
    const { stop } = protocol;
    return { model, protocol, system, maxTokens, tools, declared, stop, messages: undefined, isApart: false };
  }

  /** The model's context in this step, in tokens; undefined when nobody knows. */
  get window(): number | undefined {
    return this.settings.context.window ?? this.step.model.info?.contextWindow;
  }

  /** Sums that a run continues from. `ms`: of the run's time, in all processes, until the last event. */
  get counts(): SessionCounts {
    const { turns, tokens, usage, own, denied, nextCall } = this;
    const ms = this.#usedMs + this.deadline.used(this.at);
    return { turns, tokens, usage: { ...usage }, ...(own && { own: { ...own } }), denied, nextCall, ms };
  }

  /** Aborted when the run is to stop. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Emits an event. Returns its time; undefined after the end. */
  emit(event: RunEvent | StepEvent): number | undefined {
    return this.isOver ? undefined : this.#push(event);
  }

  warn(code: string, message: string): void {
    this.emit({ type: "warning", code, message, stepIndex: this.stepIndex });
  }

  /** Returns whether this is asked for the first time: what happens in each step is warned of once. */
  isFirst(warning: string): boolean {
    return this.#warned.size < this.#warned.add(warning).size;
  }

  /**
   * Aborts everything that runs; the loop notices at its next await. The event comes at once: its place among the others must not
   * depend on what notices first.
   */
  requestStop(cause: StopCause): void {
    if (this.stop || this.isOver) return;
    this.stop = cause;
    this.emit({ type: "run-abort", ...cause });
    this.#controller.abort();
  }

  /** Returns a call id that no other call of this run has: the given one when it is free. */
  uniqueCallId(given?: string): string {
    let id = given;
    while (!id || this.callIds.has(id)) {
      id = `call_${this.nextCall}`;
      this.nextCall += 1;
    }
    this.callIds.add(id);
    return id;
  }

  /** Emits the last event, and returns the result. */
  end(outcome: Outcome): RunResult {
    this.deadline.close();
    // Which of them there are depends on the status.
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
    // Over first: a listener that aborts on this event must not cause another one.
    this.isOver = true;
    this.#push({ type: "run-end", result });
    this.events.close();
    // What a schema made of the answer need not be JSON; in the event it is.
    return this.settings.output && outcome.value !== undefined
      ? ({ ...result, value: outcome.value } as RunResult)
      : result;
  }

  #transcript(): Transcript {
    const { runId, compactions, conversation } = this;
    const { protocol, mode, locale } = this.settings;
    return {
      version: 1,
      messages: conversation.messages,
      meta: {
        ...{ runId, protocol: protocol.version, mode, locale },
        ...(compactions.length > 0 && { compactions: [...compactions] }),
      },
    };
  }

  #push(event: RunEvent | StepEvent): number {
    const timed: AgentEvent = { ...event, at: this.settings.runtime.now() };
    this.at = timed.at;
    this.events.push(timed);
    for (const observer of this.observers) observer(timed);
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
