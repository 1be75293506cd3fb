import { checkKeys, defined } from "@toolglot/internal";
import type { Action } from "../action.ts";
import type { ToolErrorInfo } from "../call.ts";
import type { Diagnostic } from "../diagnostic.ts";
import {
  type BlockBase,
  concernsCalls,
  type EndOptions,
  isRunnable,
  type ParseResult,
  type ProtocolEvent,
} from "../protocol.ts";
import type { Span } from "../span.ts";
import { InputStream, parseInput, textParams } from "./input-stream.ts";
import { Prose } from "./prose.ts";
import type { BridgeSetup } from "./setup.ts";
import type { BridgeAnswer, BridgeEvent, BridgeReader, BridgeReaderOptions } from "./types.ts";
import { lostFeatures, type WantedCall, wantedOf } from "./wanted.ts";

/** The tool of a refusal when it is not known which one was meant. */
const unreadableCall = "unreadable_call";

/** One block, from its beginning to what becomes of it. */
interface BlockDraft {
  /** Its calls in the order in which they began; without a stream, the input is not emitted while it comes in. */
  emitted: { tool: string; stream: InputStream | undefined }[];
  /** For a program: whether it is known to be one, and what came before that. */
  isProgram: boolean;
  code: string;
  block?: BlockBase;
  actions: Action[];
  found: Found[];
}

/** A call that a block asks for, with its stream and the whole of its input if that fits; or one that it only began; or what is said instead. */
interface Found {
  tool?: string;
  call?: WantedCall;
  stream?: InputStream;
  json?: string;
  message?: string;
}

type Queued = { type: "text" | "reasoning"; text: string } | BlockDraft;

/**
 * Reads one answer. Text before the first block goes out as it comes, and so do inputs; everything behind the end of a block waits for
 * the end of the answer, which shows whether the block may run.
 */
export class AnswerReader implements BridgeReader {
  readonly #setup: BridgeSetup;
  readonly #newId: () => string;
  readonly #emit: (event: BridgeEvent) => void;
  readonly #prose: Prose;
  readonly #parser;
  readonly #queue: Queued[] = [];
  #draft: BlockDraft | undefined;
  #source = "";
  #explanation: string | undefined;
  #answer: BridgeAnswer = { calls: 0, refusals: 0, diagnostics: [], actions: [] };

  constructor(setup: BridgeSetup, { onEvent, newId = randomId }: BridgeReaderOptions) {
    this.#setup = setup;
    this.#newId = newId;
    this.#prose = new Prose(onEvent);
    this.#emit = (event) => {
      this.#prose.interrupt();
      onEvent(event);
    };
    this.#parser = setup.protocol.createParser({ tools: setup.shown, onEvent: (event) => this.#onEvent(event) });
  }

  feed(text: string): void {
    this.#parser.feed(text);
    this.#source += text;
  }

  end(options?: EndOptions): BridgeAnswer {
    checkKeys("end", options, 'finish:"calls"|"stop"|"length"|"filter"|"error" stopSequence:string');
    const result = this.#parser.end(options);
    const drafts = this.#queue.filter((one) => "emitted" in one);
    this.#answer.diagnostics = [...result.diagnostics, ...lostFeatures(drafts.flatMap(({ actions }) => actions))];
    for (const one of this.#queue.splice(0)) {
      if (!("emitted" in one)) this.#prose.add(one.type, one.text);
      else {
        this.#prose.block();
        this.#decide(one, result);
      }
    }
    this.#prose.end();
    for (const diagnostic of this.#answer.diagnostics) this.#emit({ type: "diagnostic", diagnostic });
    return this.#answer;
  }

  #onEvent(event: ProtocolEvent): void {
    switch (event.phase) {
      case "text":
      case "reasoning":
        if (this.#queue.length > 0) this.#queue.push({ type: event.phase, text: event.text });
        else this.#prose.add(event.phase, event.text);
        return;
      case "block-start":
        this.#draft = newDraft();
        return;
      case "delta":
        this.#draft ??= newDraft();
        this.#onDelta(event, this.#draft);
        return;
      case "block-end":
        this.#endBlock(event.block, this.#draft ?? newDraft());
        this.#draft = undefined;
    }
  }

  #onDelta({ type, text, call, tool, param }: ProtocolEvent & { phase: "delta" }, draft: BlockDraft): void {
    const { programs } = this.#setup;
    if (programs) {
      if (type === "status") draft.isProgram = text === "success";
      else if (type === "code-delta") draft.code += text;
      if (!draft.isProgram || draft.code === "") return;
      if (draft.emitted.length === 0) draft.emitted.push(this.#begin(programs.tool));
      draft.emitted[0]?.stream?.piece("code", draft.code);
      draft.code = "";
    } else if (call !== undefined) {
      if (tool !== undefined && call === draft.emitted.length) draft.emitted.push(this.#begin(tool));
      else if (param !== undefined) draft.emitted[call]?.stream?.piece(param, text);
    }
  }

  /** Begins a call: its input is emitted if its tool is declared. Whether one beside native calls is made is known only at the end. */
  #begin(name: string): BlockDraft["emitted"][number] {
    const { tools, feedback, protocol } = this.#setup;
    const isShown = tools.has(name) && feedback && !protocol.declaresTools;
    return { tool: name, stream: isShown ? this.#open(name) : undefined };
  }

  #open(name: string, id: string = this.#newId()): InputStream {
    const { programs, tools } = this.#setup;
    const tool = tools.get(name) ?? { name, description: "", inputSchema: {} };
    return new InputStream(id, tool, programs ? new Set(["code"]) : textParams(tool), this.#emit);
  }

  /** Ends a block that is read: its inputs are whole. */
  #endBlock(block: BlockBase, draft: BlockDraft): void {
    draft.block = block;
    draft.actions = isRunnable(block) ? this.#setup.protocol.actions(block) : [];
    draft.found = this.#pair(draft);
    for (const { stream, json } of draft.found) if (json !== undefined) stream?.end(json);
    for (const { stream } of draft.emitted) stream?.end();
    this.#queue.push(draft);
  }

  /** Returns what a block asks for, each call with its stream; then the streams of calls that it doesn't ask for after all. */
  #pair({ emitted, actions }: BlockDraft): Found[] {
    const left = [...emitted];
    const found = wantedOf(actions, this.#setup).map((call): Found => {
      if ("message" in call) return call;
      const same = left.filter(({ tool }) => tool === call.tool);
      const own = same.find(({ stream }) => stream?.complete(call.input) !== undefined) ?? same[0];
      if (own) left.splice(left.indexOf(own), 1);
      const stream = own?.stream ?? (this.#setup.feedback && !call.error ? this.#open(call.tool) : undefined);
      const json = call.error ? undefined : stream?.complete(call.input);
      return { call, ...defined({ stream, json }) };
    });
    return [...found, ...left.map(({ tool, stream }) => ({ tool, ...defined({ stream }) }))];
  }

  /** Decides what becomes of a block: calls, refusals or text. */
  #decide(draft: BlockDraft, result: ParseResult<BlockBase>): void {
    const { block, found, emitted } = draft;
    if (!block) return;
    const runs = isRunnable(block) && draft.actions.length > 0;
    // What was only thought or shown is not meant to run, unless its input was emitted already.
    if (!runs && (block.inReasoning || block.shown) && !emitted.some(({ stream }) => stream)) {
      if (block.shown && !block.inReasoning) this.#prose.add("text", this.#written(block, result));
      return;
    }
    if (!runs) {
      this.#refuseAll(draft, result);
      return;
    }
    this.#answer.actions.push(...draft.actions);
    const calls = found.flatMap(({ call }) => call ?? []);
    const repairs = this.#answer.diagnostics.filter(
      (one) => one.affects === "value" && overlaps(one.span, block.span) && concernsCalls(one, block),
    );
    const between = repairs.filter(({ span }) => !calls.some((call) => overlaps(span, call.span)));
    let stopped = false;
    for (const { call, tool, stream, json, message } of found) {
      if (message !== undefined) this.#prose.add("text", message);
      else if (!call) this.#refuse(stream?.id, tool, this.#explain(result), "");
      else {
        const own = [...repairs.filter(({ span }) => overlaps(span, call.span)), ...between];
        const { words } = this.#setup;
        const fault: ToolErrorInfo | undefined = stopped
          ? { type: "NotRun", message: words.stopped }
          : (call.error ??
            (stream && json === undefined
              ? { type: "InvalidInput", message: words.mismatch }
              : this.#heldBack(call.tool, own)));
        const id = stream?.id ?? this.#newId();
        const refused: ToolErrorInfo | undefined = fault ?? this.#damageOf(call, id);
        stopped ||= refused !== undefined && call.stops;
        if (!refused) this.#make(call, stream, json, id);
        else if (this.#setup.feedback) this.#refuse(id, call.tool, this.#faultText(call.tool, refused), "");
        else this.#refuse(id, call.tool, "", this.#source.slice(call.span.start, call.span.end));
      }
    }
  }

  /** Returns the fault of a call whose values may not be what was meant. */
  #heldBack(tool: string, repairs: readonly Diagnostic[]): ToolErrorInfo | undefined {
    const { holds, tools, words } = this.#setup;
    if (!holds || repairs.length === 0 || tools.get(tool)?.annotations?.readOnlyHint === true) return undefined;
    const said = repairs.map(({ message, hint }) => (hint ? `${message} ${hint}` : message));
    return { type: "RepairedValue", message: words.held(said) };
  }

  /** Returns the fault of a call that looks damaged. */
  #damageOf({ tool: name, input }: WantedCall, id: string): ToolErrorInfo | undefined {
    const message = this.#setup.guard?.check({ id, name, input }, this.#setup.tools.get(name))?.refusal;
    return message === undefined ? undefined : { type: "DamagedCall", message };
  }

  #make(call: WantedCall, open: InputStream | undefined, whole: string | undefined, id: string): void {
    const stream = open ?? this.#open(call.tool, id);
    const json = whole ?? stream.complete(call.input) ?? "{}";
    stream.end(json);
    this.#answer.calls += 1;
    this.#emit({ type: "call", id: stream.id, tool: call.tool, input: parseInput(json) });
  }

  /** Nothing of a block runs. */
  #refuseAll({ block, emitted }: BlockDraft, result: ParseResult<BlockBase>): void {
    const text = this.#written(block, result).trim();
    const message = this.#explain(result);
    const streams = emitted.flatMap(({ stream }) => stream ?? []);
    const { tools, programs } = this.#setup;
    const meant = programs?.tool ?? emitted.find(({ tool }) => tools.has(tool))?.tool;
    if (streams.length === 0) this.#refuse(undefined, meant, message, text);
    for (const [at, stream] of streams.entries()) this.#refuse(stream.id, stream.tool, message, at === 0 ? text : "");
  }

  /** Returns a block as it was written. */
  #written(block: BlockBase | undefined, { segments }: ParseResult<BlockBase>): string {
    const segment = segments.find((one) => one.type === "block" && one.block === block);
    return segment ? this.#source.slice(segment.span.start, segment.span.end) : "";
  }

  #refuse(id: string | undefined, tool = unreadableCall, message: string, text: string): void {
    if (!this.#setup.feedback) {
      this.#prose.add("text", text);
      return;
    }
    this.#answer.refusals += 1;
    this.#emit({ type: "refusal", id: id ?? this.#newId(), tool, message, text });
  }

  #explain(result: ParseResult<BlockBase>): string {
    const { protocol, words } = this.#setup;
    this.#explanation ??= protocol.explain(result);
    return this.#explanation ?? this.#faultText("", { type: "FormatError", message: words.unreadable });
  }

  /** Returns the text of one call's fault, as the protocol writes results; in words alone, where the stack has results of its own. */
  #faultText(name: string, error: ToolErrorInfo): string {
    if (this.#setup.protocol.declaresTools) return error.message;
    const result = { callId: name, status: "error" as const, content: [], error };
    return this.#setup.protocol.formatResults([name === "" ? result : { ...result, name }]);
  }
}

const newDraft = (): BlockDraft => ({ emitted: [], isProgram: false, code: "", actions: [], found: [] });

const overlaps = (one: Span, other: Span): boolean => one.start < other.end && one.end > other.start;

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return `tg_${Array.from(bytes, (byte) => alphabet[byte & 63]).join("")}`;
}

/** Reads an answer in which nothing is searched. */
export function readPlainText({ onEvent }: BridgeReaderOptions): BridgeReader {
  let ended = false;
  return {
    feed(text) {
      if (typeof text !== "string") throw new TypeError(`feed() takes a string, not ${typeof text}`);
      if (ended) throw new TypeError("feed() after end()");
      if (text !== "") onEvent({ type: "text", text });
    },
    end(options) {
      checkKeys("end", options, 'finish:"calls"|"stop"|"length"|"filter"|"error" stopSequence:string');
      ended = true;
      return { calls: 0, refusals: 0, diagnostics: [], actions: [] };
    },
  };
}
