import type { Action } from "./action.ts";
import type { ToolResult } from "./call.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Message } from "./message.ts";
import type { FinishReason } from "./model.ts";
import type { Span } from "./span.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** `complete` and `recovered` may run; `truncated` and `invalid` never. */
export type BlockStatus = "complete" | "recovered" | "truncated" | "invalid";

/** What every protocol's block has. */
export interface BlockBase {
  status: BlockStatus;
  /** The block's own text, without a fence around it. */
  span: Span;
  /** Found inside reasoning text: never run. */
  inReasoning?: true;
  /** Stands after a result or a turn that the model made up, or one of its calls does: not run. */
  afterFabricatedResult?: true;
  /** Calls of it that could not be read, where the others can run all the same. */
  rejected?: readonly { span: Span }[];
  /** Shown and not sent, within a sentence, a quotation, a comment, or a fence that holds more: not run. */
  shown?: true;
}

/** A stretch of the model's text. Segments are in order, do not overlap, and take in the fences around a block. */
export type Segment<Block> =
  | { type: "text" | "reasoning"; text: string; span: Span }
  | { type: "block"; block: Block; span: Span };

/** All that was understood of a text. */
export interface ParseResult<Block> {
  segments: Segment<Block>[];
  blocks: Block[];
  diagnostics: Diagnostic[];
}

/** Options of every parser. */
export interface ParseOptions {
  /** No repairs; prose, fences and reasoning around a block stay allowed. Default false. */
  strict?: boolean;
  /** UTF-16 units; beyond it: error `<package>/input-too-long`, nothing executable. Default 16 Mi. */
  maxInputLength?: number;
  /** Definitions for binding and for near-miss names. */
  tools?: readonly ToolDefinition[];
  /** Whether calls are looked for inside reasoning; found ones are marked `inReasoning`. Default `skip`. */
  reasoning?: "skip" | "search";
  /**
   * Marks that reasoning stands between, as `["<notes>", "</notes>"]`, besides those that are known: elements such as `<think>`,
   * `<reasoning>` and `<scratchpad>`, `[THINK]`, `◁think▷`, the analysis channel of harmony and others. Default none.
   */
  reasoningTags?: readonly (readonly [open: string, close: string])[];
  /** The prompt already opened a reasoning block. Default false. */
  startsInReasoning?: boolean;
  /**
   * What becomes of a block that is shown and not sent: the model quotes it, or writes it into a sentence, a comment, a page or a
   * program. A block is sent on lines of its own, or as all that a fence holds. `mark`: it has `shown`, and does not run;
   * `run`: it is like any other. Default `mark`.
   */
  shown?: "mark" | "run";
  /** Which repairs are allowed, by diagnostic code. Default `all`. */
  repairs?: "all" | "none" | Readonly<Record<string, boolean>>;
}

/** How the message ended, from the model's `finish` part. */
export interface EndOptions {
  finish?: FinishReason;
  /** The stop sequence that ended the message, and that the provider stripped. */
  stopSequence?: string;
}

/**
 * What every protocol's events have in common; `type` is the protocol's own, `phase` is all that the agent reads.
 *
 * Deltas of calls say which one they are of: `call` counts the calls of their block from 0, in the order in which they begin. The first
 * delta of a call has `tool`, the tool's name as declared, and no `param`. With `call` and `param`, `text` is a piece of that argument:
 * joined, they are the value in the block when that is a string, whatever the chunks; any other value comes in one delta, as JSON.
 * Of programs, `code-delta`s are the program's text.
 */
export type ProtocolEvent<Block = BlockBase> =
  | { phase: "text"; type: string; text: string }
  | { phase: "reasoning"; type: string; text: string }
  | { phase: "block-start"; type: string; start: number }
  | { phase: "delta"; type: string; text: string; call?: number; tool?: string; param?: string }
  | { phase: "block-end"; type: string; block: Block }
  | { phase: "diagnostic"; type: string; diagnostic: Diagnostic };

/** A synchronous push parser. The result does not depend on how the text is split into chunks. */
export interface Parser<Block> {
  /** Throws `TypeError` when the chunk is no string, or after `end()`. */
  feed(chunk: string): void;
  end(options?: EndOptions): ParseResult<Block>;
  /** Forgets everything; the parser can be used again. */
  reset(): void;
}

/** `single`: one program, its result is the outcome. `loop`: results go back until the model answers. */
export type ProtocolMode = "single" | "loop";

/** Locales that prompts exist in. */
export type Locale = "zh" | "en";

/** Builds the system prompt of a protocol. Made by `@toolglot/prompts`, passed in so that no arrow runs between them. */
export interface PromptBuilder {
  /** The protocol version it teaches, as `attp/1`. Checked. */
  forProtocol: string;
  /**
   * Returns the prompt. `toolsText` is what the protocol rendered of the tools, in the same locale. `session`: the programs of a
   * conversation share their variables, and the prompt states it.
   */
  build(options: { toolsText: string; locale: Locale; mode: ProtocolMode; session?: boolean }): string;
}

/** How {@link ToolProtocol.formatActions} writes. */
export interface FormatActionsOptions {
  /** The declared tools: their schemas say how values are read back. Default: those that the protocol was asked about last. */
  tools?: readonly ToolDefinition[];
  /** Visible text that came with the actions; it stands before them. Default: none. */
  text?: string;
  /** For histories: writes the nearest form of what the format can't say, and never throws. Default false. */
  lossy?: boolean;
}

/** How {@link ToolProtocol.encodeMessages} writes. */
export interface EncodeOptions {
  /** Results are as long as the model may read them: whoever calls has cut them. Default false. */
  isFitted?: boolean;
}

/** A way for a model to ask for tools, from prompt to result. */
export interface ToolProtocol<Block extends BlockBase = BlockBase> {
  /** `attp`, `native`. */
  id: string;
  /** Counted apart from npm versions, as `attp/1`. */
  version: string;
  /** Stop sequences to ask the provider for. */
  stop: string[];
  /** What its answers ask for: calls made together, plans of steps, or programs. */
  carries: "calls" | "plan" | "code";
  /** True when tools are declared to the provider, and calls come back as call parts. */
  declaresTools?: boolean;
  /** With `declaresTools`: calls may come as text, too, and are found in it. Native calls are used when they come. */
  readsText?: boolean;
  renderTools(tools: readonly ToolDefinition[], options?: { locale?: Locale }): string;
  instructions(tools: readonly ToolDefinition[], options: { locale: Locale; mode: ProtocolMode }): string;
  createParser(options: ParseOptions & { onEvent?: (event: ProtocolEvent<Block>) => void }): Parser<Block>;
  /** Returns what a block asks for, in order. Empty for blocks that must not run. */
  actions(block: Block): Action[];
  /**
   * Returns actions as the model would have written them: parsing the text yields the same names, inputs, programs and messages in the same
   * order, complete and without findings. Ids, spans, request ids and comments are not kept; of lone surrogates U+FFFD may be left.
   *
   * Throws `ToolglotError` with `<id>/unserializable` and `data: { tool?, path }` (a JSON pointer into the input) for what the
   * format can't express. Throws `TypeError` where calls are never text, as with the provider's own function calls.
   */
  formatActions(actions: readonly Action[], options?: FormatActionsOptions): string;
  /** The most characters of results that the host wants the model to read at once, where it has said so. */
  maxResultChars?: number;
  /** Returns what the model reads next. A text protocol cuts it to `maxResultChars`, or to a number of its own. */
  formatResults(results: readonly ToolResult[]): string;
  /** Returns what the model should know about its own mistakes; undefined when there is nothing to explain. */
  explain(result: ParseResult<Block>): string | undefined;
  /** Messages as the provider gets them: calls and results as text, untrusted text neutralised. `isFitted`: nothing is to be cut any more. */
  encodeMessages(messages: readonly Message[], options?: EncodeOptions): Message[];
  /**
   * Returns one message as the provider gets it, whatever stands around it; `encodeMessages` returns these in order. With it
   * a loop encodes each message once, and not the whole conversation at each step. Default: `encodeMessages` at each step.
   */
  encodeMessage?(message: Message, options?: EncodeOptions): Message[];
}

/** Whether a finding concerns the calls of a block that can run: not when it lies in one that was rejected. */
export function concernsCalls({ span }: Diagnostic, { rejected = [] }: BlockBase): boolean {
  return !rejected.some((one) => one.span.start <= span.start && span.end <= one.span.end);
}

/** Whether a block may run: complete or recovered, outside reasoning, not after a made-up result or turn, and not just shown. */
export function isRunnable({ status, inReasoning, afterFabricatedResult, shown }: BlockBase): boolean {
  return (status === "complete" || status === "recovered") && !inReasoning && !afterFabricatedResult && !shown;
}
