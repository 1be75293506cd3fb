import type { Diagnostic, EndOptions, FinishReason } from "@toolglot/core";
import type { BridgeAnswer, BridgeEvent, BridgeReader } from "@toolglot/core/bridge";
import type { Finish, Part, ProviderData, Warning } from "./spec.ts";
import { openAnswer } from "./tools/turns.ts";
import { type CallState, other } from "./transform-params.ts";

/** End of an answer. */
export interface ConvertedFinish {
  finishReason: Finish;
  providerMetadata: ProviderData | undefined;
  /** Findings as warnings, and what the answer owes. */
  warnings: Warning[];
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "filter",
  error: "error",
  "tool-calls": "calls",
};

/** Parts that may stand within a text: they say nothing of the answer's content. */
const besideText: ReadonlySet<string> = new Set(["raw", "ping", "response-metadata", "stream-start", "finish"]);

/**
 * Turns an answer's text into parts of a stream: text, reasoning, and the calls that stand in it. Every other part passes as it is.
 * The same for whole answers and for streams.
 */
export class AnswerConverter {
  readonly #state: CallState;
  readonly #emit: (part: Part) => void;
  readonly #onDiagnostic: (diagnostic: Diagnostic) => void;
  readonly #reader: BridgeReader | undefined;
  /** The text or reasoning that is open. */
  #open: { type: "text" | "reasoning"; id: string } | undefined;
  readonly #inputs = new Set<string>();
  #count = 0;
  /** Calls for the client to make, ours or the provider's. */
  #calls = 0;
  /** The provider made calls itself: what stands in the text besides is not run. */
  #hasNative = false;
  /** Tools that were called. */
  readonly #called = new Set<string>();
  /** Nothing may run any more. */
  #failed = false;
  #ended = false;
  /** Takes the ids of the answer's calls, for {@link inOrder}. */
  readonly #remember: (callId: string) => void;

  constructor(state: CallState, emit: (part: Part) => void, onDiagnostic: (diagnostic: Diagnostic) => void) {
    this.#state = state;
    this.#emit = emit;
    this.#onDiagnostic = onDiagnostic;
    this.#remember = openAnswer(state.isPlan);
    this.#reader = state.bridge?.createReader({ onEvent: (event) => this.#onEvent(event) });
  }

  /** Warnings about the request, for where an answer begins. */
  get warnings(): readonly Warning[] {
    return this.#state.warnings;
  }

  /** Whether text is read here; else it passes as it is. */
  get reads(): boolean {
    return this.#reader !== undefined;
  }

  text(text: string): void {
    if (text !== "") this.#reader?.feed(text);
  }

  /** Passes a part that is not the answer's text. */
  pass(part: Part): void {
    if (this.#reader && !besideText.has(part.type)) this.#close();
    if (part.type === "error") {
      this.#failed = true;
      this.abandon();
    }
    if (part.type === "tool-call" && part.providerExecuted !== true) {
      this.#calls += 1;
      this.#hasNative = true;
      this.#called.add(part.toolName as string);
    }
    this.#emit(part);
  }

  /** Closes what is open: nothing more of the answer follows. */
  abandon(): void {
    this.#close();
    for (const id of this.#inputs) this.#emit({ type: "tool-input-end", id });
    this.#inputs.clear();
  }

  /** Ends the answer: emits what waited for that. */
  end(finish?: Finish, providerMetadata?: ProviderData): ConvertedFinish {
    const reason = finishReasons[finish?.unified ?? ""];
    if (reason === "filter" || reason === "error") this.#failed = true;
    const stopSequence = this.#stopSequence(finish, providerMetadata);
    const ending: EndOptions = {
      ...(reason && { finish: reason }),
      ...(stopSequence !== undefined && { stopSequence }),
    };
    const answer = this.#ended ? undefined : this.#reader?.end(ending);
    this.#ended = true;
    this.abandon();
    const { unified = "other", raw } = finish ?? {};
    const made = !this.#failed && this.#calls > 0;
    const calm = /^(?:stop|other|tool-calls|unknown)$/.test(unified);
    const finishReason =
      this.#reader && calm
        ? { unified: made ? "tool-calls" : unified === "tool-calls" ? "stop" : unified, raw }
        : { unified, raw };
    const warnings = answer ? this.#warningsOf(answer) : [];
    return { finishReason, warnings, providerMetadata: withFindings(providerMetadata, answer, warnings) };
  }

  #warningsOf({ diagnostics }: BridgeAnswer): Warning[] {
    const { required } = this.#state;
    const owed = required === true ? this.#calls === 0 : required !== undefined && !this.#called.has(required);
    return [
      ...diagnostics
        .filter(({ severity }) => severity !== "info")
        .map(({ code, message }) => other(`${code}: ${message}`)),
      ...(owed
        ? [other(`the answer makes no call${required === true ? "" : ` of ${required}`}, though it was asked for.`)]
        : []),
    ];
  }

  #stopSequence(finish: Finish | undefined, providerMetadata: ProviderData | undefined): string | undefined {
    const reported = providerMetadata?.anthropic?.stopSequence;
    if (typeof reported === "string") return reported;
    return this.#state.stop.find((sequence) => sequence === finish?.raw);
  }

  #onEvent(event: BridgeEvent): void {
    switch (event.type) {
      case "text":
      case "reasoning":
        if (this.#open?.type !== event.type) {
          // What is left of a text in front of another part.
          if (event.type === "text" && event.text.trim() === "") return;
          this.#close();
          this.#open = { type: event.type, id: `tg_${event.type}_${this.#count++}` };
          this.#emit({ type: `${event.type}-start`, id: this.#open.id });
        }
        this.#emit({ type: `${event.type}-delta`, id: this.#open.id, delta: event.text });
        return;
      case "input-start":
        if (this.#state.isNative && this.#hasNative) return;
        this.#close();
        if (this.#failed) return;
        this.#inputs.add(event.id);
        this.#emit({ type: "tool-input-start", id: event.id, toolName: event.tool });
        return;
      case "input-delta":
        if (this.#inputs.has(event.id)) this.#emit({ type: "tool-input-delta", id: event.id, delta: event.text });
        return;
      case "input-end":
        if (this.#inputs.delete(event.id)) this.#emit({ type: "tool-input-end", id: event.id });
        return;
      case "call":
        this.#call(event.id, event.tool, JSON.stringify(event.input));
        return;
      case "refusal": {
        const { message, text } = event;
        // No JSON: the SDK then shows the model this message as an error, and its loop continues.
        this.#call(event.id, event.tool, isJson(message) ? `Refused: ${message}` : message, {
          toolglot: { message, text },
        });
        return;
      }
      case "diagnostic":
        this.#onDiagnostic(event.diagnostic);
    }
  }

  #call(toolCallId: string, toolName: string, input: string, providerMetadata?: ProviderData): void {
    if (this.#state.isNative && this.#hasNative) return;
    this.#close();
    if (this.#failed) return;
    this.#calls += 1;
    this.#called.add(toolName);
    this.#remember(toolCallId);
    this.#emit({ type: "tool-call", toolCallId, toolName, input, ...(providerMetadata && { providerMetadata }) });
  }

  #close(): void {
    if (this.#open) this.#emit({ type: `${this.#open.type}-end`, id: this.#open.id });
    this.#open = undefined;
  }
}

/** Creates the converter of one answer, which passes its parts to `emit`. */
export type ConverterMaker = (emit: (part: Part) => void) => AnswerConverter;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Findings for programs: codes and places, no text of the answer. */
function withFindings(
  metadata: ProviderData | undefined,
  answer: BridgeAnswer | undefined,
  warnings: readonly Warning[],
): ProviderData | undefined {
  if (!answer || warnings.length === 0) return metadata;
  const diagnostics = answer.diagnostics.map(({ code, span }) => ({ code, span: { ...span } }));
  return { ...metadata, toolglot: { ...metadata?.toolglot, diagnostics } };
}
