import type { Action } from "../action.ts";
import type { CallGuard } from "../check-call/check-call.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { JsonObject } from "../json.ts";
import type { Message, MessagePart } from "../message.ts";
import type { EndOptions, Locale } from "../protocol.ts";
import type { ToolDefinition } from "../tool-definition.ts";

/** How the calls of another stack are written and read as text. */
export interface BridgeOptions {
  /** What may be called: shown to the model, unless it writes programs. */
  tools: readonly ToolDefinition[];
  /** Language of instructions and refusals. Default `en`. */
  locale?: Locale;
  /** Which tools the model must or may call. With `none` there are no tools, and an answer is not searched. Default `auto`. */
  toolChoice?: "auto" | "none" | "required" | { tool: string };
  /**
   * For protocols in which the model writes programs: the name of the tool, one of `tools`, that takes `{ code }`, and the tools that
   * programs may call, which the model is shown instead of the others.
   */
  programs?: { tool: string; tools: readonly ToolDefinition[] };
  /**
   * What becomes of a block that must not run. `feedback`: it is a refusal, so that the model learns of it. `text`: it is visible text,
   * and inputs come whole, not while they are written. Default `feedback`.
   */
  unreadable?: "feedback" | "text";
  /**
   * A call with a value that was changed by a repair, or that looks damaged, is refused, unless its tool has `readOnlyHint` (`hold`), or
   * made (`run`). Default `hold`.
   */
  values?: "hold" | "run";
  /** Looks for damaged calls; one for all bridges of a place, so that it knows what was sent a second time. Default: one for all bridges of this protocol object. */
  guard?: CallGuard;
}

/** A refusal as a stack has kept it: a call that was not made, and the message that the model read. */
export interface RefusalPart {
  type: "refusal";
  id: string;
  tool: string;
  message: string;
  /** The block as the model wrote it, if it was kept. */
  text?: string;
}

/** A message as it was kept by a stack. Parts of types that the bridge does not know stay as they are. */
export type BridgeMessage<Other extends { type: string } = never> = Omit<Message, "parts"> & {
  parts: (MessagePart | RefusalPart | Other)[];
};

/** A message for a model without function calls. */
export type EncodedMessage<Other extends { type: string } = never> = Omit<Message, "parts"> & {
  parts: (MessagePart | Other)[];
};

/**
 * Events of an answer while it comes in. The `input-delta`s of a call join to the JSON of its input, and have its id, or that of its
 * refusal. Calls and refusals come at the end of the answer, since what follows a block may show that it was not meant to run; text
 * that follows a block waits for them.
 */
export type BridgeEvent =
  | { type: "text" | "reasoning"; text: string }
  | { type: "input-start"; id: string; tool: string }
  | { type: "input-delta"; id: string; text: string }
  | { type: "input-end"; id: string }
  | { type: "call"; id: string; tool: string; input: JsonObject }
  /**
   * `message` is for the model. `text`: the block as the model wrote it; empty when other calls of it are made, or an earlier refusal
   * has it.
   */
  | { type: "refusal"; id: string; tool: string; message: string; text: string }
  | { type: "diagnostic"; diagnostic: Diagnostic };

/** An answer that was read. */
export interface BridgeAnswer {
  /** How many calls were made, and how many refused. */
  calls: number;
  refusals: number;
  diagnostics: Diagnostic[];
  /** What the blocks that may run ask for, in order. */
  actions: Action[];
}

/** Reads one answer. */
export interface BridgeReader {
  /** Throws `TypeError` for what is no string. */
  feed(text: string): void;
  end(options?: EndOptions): BridgeAnswer;
}

/** How an answer is read. */
export interface BridgeReaderOptions {
  onEvent(event: BridgeEvent): void;
  /** Makes the ids of calls, which have to be unique in a conversation. Default: `tg_` and 24 random characters. */
  newId?: () => string;
}

/** A protocol for a stack that has calls and results of its own. */
export interface Bridge {
  /** Instructions for the model, the tools, and the choice among them. Empty when there are none. */
  readonly system: string;
  /** Stop sequences. */
  readonly stop: string[];
  /**
   * Messages without calls and results: those that are consecutive in an answer become one block, results one text in a user's message,
   * in the order of the calls; their images and files follow it. A call without a result gets the result `interrupted`.
   */
  encode<Other extends { type: string } = never>(messages: readonly BridgeMessage<Other>[]): EncodedMessage<Other>[];
  createReader(options: BridgeReaderOptions): BridgeReader;
}
