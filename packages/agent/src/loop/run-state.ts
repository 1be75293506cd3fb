import type { Message, ToolDefinition, ToolResult, Transcript, Usage } from "@toolglot/core";
import { Deadline } from "../deadline.ts";
import { EventLog } from "../event-log.ts";
import type { AgentEvent } from "../events.ts";
import { plainJson } from "../plain-json.ts";
import type { Settings } from "../settings.ts";
import type { StopCause } from "../stop.ts";
import type { LimitKind, RunError, RunResult, RunStatus } from "../types.ts";
import { type Wording, wordingOf } from "../wording.ts";
import { Conversation } from "./conversation.ts";
import { LiveTools, type ToolsChange } from "./live-tools.ts";

/** `Omit` that keeps a union a union. */
type WithoutTime<Event> = Event extends AgentEvent ? Omit<Event, "at"> : never;

/** An event before it gets its time. */
export type Untimed = WithoutTime<AgentEvent>;

/** How a run ends, before the sums are added. */
export interface Outcome {
  status: RunStatus;
  text: string;
  value?: unknown;
  limit?: LimitKind;
  error?: RunError;
}

/** All that changes while one run goes on. */
export class RunState {
  readonly runId: string;
  readonly settings: Settings;
  readonly wording: Wording;
  readonly events: EventLog;
  readonly conversation: Conversation;
  readonly tools: LiveTools;
  readonly results: ToolResult[] = [];
  readonly usage: Usage = {};
  readonly deadline: Deadline;
  /** Counts what limits are made of; see `limits.ts`. */
  tokens = 0;
  turns = 0;
  denied = 0;
  stepIndex = 0;
  /** Visible text of the newest answer, complete or not. */
  lastText = "";
  stop: StopCause | undefined;
  /** The tools that the last request declared, or would have. */
  declared: readonly ToolDefinition[] | undefined;

  readonly #controller = new AbortController();
  readonly #callIds = new Set<string>();
  readonly #toldTwice = new Set<string>();
  #nextCall = 0;
  readonly #observer: ((event: AgentEvent) => void) | undefined;
  #tap: Settings["onEvent"];
  #ended = false;

  constructor(
    settings: Settings,
    messages: readonly Message[],
    runId: string,
    observer: ((event: AgentEvent) => void) | undefined,
  ) {
    this.#observer = observer;
    this.settings = settings;
    this.runId = runId;
    this.wording = wordingOf(settings.locale);
    this.conversation = new Conversation(settings.protocol, messages);
    this.tools = new LiveTools(settings.readTools);
    this.events = new EventLog(settings.keepEvents);
    this.#tap = settings.onEvent;
    this.deadline = new Deadline(settings.limits.timeMs, settings.runtime, () =>
      this.requestStop({ cause: "limit", limit: "time" }),
    );
  }

  /** Aborted when the run is told to stop. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get ended(): boolean {
    return this.#ended;
  }

  emit(event: Untimed): void {
    if (this.#ended) return;
    this.#push(event);
  }

  /**
   * Reads the tools of the moment; what is wrong with them is a warning, and the tools of the step before stand. Before the
   * first event, the caller says what is wrong.
   */
  readTools(warn: (code: string, message: string) => void = (...said) => this.warn(...said)): {
    change?: ToolsChange;
    failed?: string;
  } {
    try {
      const { change, twice } = this.tools.refresh();
      if (twice !== undefined && !this.#toldTwice.has(twice)) {
        this.#toldTwice.add(twice);
        warn("agent/tool-name-twice", `Two tools are named ${JSON.stringify(twice)}; the model is shown the first.`);
      }
      return change ? { change } : {};
    } catch (error) {
      const failed = `The tools can't be read: ${error instanceof Error ? error.message : String(error)}`;
      warn("agent/tools-failed", failed);
      return { failed };
    }
  }

  warn(code: string, message: string): void {
    this.emit({ type: "warning", code, message, stepIndex: this.stepIndex });
  }

  /**
   * Tells everything that runs to stop; the loop notices at its next await. The event comes at once: where it stands
   * among the others must not depend on who notices first.
   */
  requestStop(cause: StopCause): void {
    if (this.stop || this.#ended) return;
    this.stop = cause;
    this.emit({ type: "run-abort", ...cause });
    this.#controller.abort();
  }

  /** A call id that no other call of this run has: the wished one when it is free. */
  uniqueCallId(wished?: string): string {
    let id = wished;
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
    const result: RunResult = {
      runId: this.runId,
      ...plainJson(outcome),
      results: [...this.results],
      transcript: this.#transcript(),
      usage: { ...this.usage },
      turns: this.turns,
      denied: this.denied,
    };
    // Ended first: a listener that aborts on hearing of the end must not bring about another event.
    this.#ended = true;
    this.#push({ type: "run-end", result });
    this.events.close();
    return result;
  }

  #transcript(): Transcript {
    const { protocol, mode, locale } = this.settings;
    return {
      version: 1,
      messages: this.conversation.messages,
      meta: { runId: this.runId, protocol: protocol.version, mode, locale },
    };
  }

  #push(event: Untimed): void {
    const timed = { ...event, at: this.settings.runtime.now() } as AgentEvent;
    this.events.push(timed);
    this.#observer?.(timed);
    const tap = this.#tap;
    if (!tap) return;
    try {
      tap(timed);
    } catch (error) {
      // One report, then silence: a listener that throws each time must not double every event.
      this.#tap = undefined;
      this.warn("agent/on-event-failed", `onEvent threw and is not called again: ${String(error)}`);
    }
  }
}
