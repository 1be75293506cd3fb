import type { EndOptions, JsonValue, ToolDefinition } from "@toolglot/core";
import type { SlipBody } from "./bodies.ts";
import type { Random } from "./random.ts";

/** A call as it has to reach its tool. */
export type Value = JsonValue;

/** A text that a model may have written, with what it meant. */
export interface SlipCase {
  /** The class of the slip, as in classes.ts. */
  slip: string;
  /** What was changed, within the class. */
  variant: string;
  body: string;
  text: string;
  /** How the message ended, where the provider says so. */
  end?: EndOptions;
  /** The calls that were meant and whose values stand in the text, in order. Nothing else may run. */
  meant: Value[];
  /** A call was meant that is not in the text, or not whole: that has to be said. */
  lost?: boolean;
  /** Line ends of values may be `\n` or `\r\n`. */
  looseLineEnds?: boolean;
}

/** What a slip makes of a right output; body and class are added by the generator. */
export interface Slipped extends Omit<SlipCase, "slip" | "body"> {
  /** The block of several that the slip is in, by itself: when that has another meaning, so has the text. */
  block?: Pick<SlipCase, "text" | "meant">;
}

/**
 * One variant of a slip: changes of the format's usual style, or the whole text. Nothing but the call is meant, unless it says so.
 * A call that is given twice, or two different ones for one, is lost in part.
 */
export type Variant<Style> = string | (Omit<Slipped, "variant" | "meant"> & { meant?: Value[] }) | Partial<Style>;

/** The variants of a class by name; a list where names may come twice. */
export type Variants<Style> = Readonly<Record<string, Variant<Style>>> | readonly Slipped[];

/** A right output and the places in it where cuts change what can be known. */
export interface Written {
  text: string;
  /** From here on it is plain that a call begins. */
  begun: number;
  /** The last value ends here; its delimiter begins. */
  valueEnd: number;
  /** Every call is written down, delimiters included. What follows only closes the block. */
  complete: number;
  /** Where values stand: texts, paths, targets. All else is the format's own. */
  values: [number, number][];
  /** Places before the last value where all so far is whole, but something is missing. */
  seams: number[];
}

/** One format: how a model writes calls in it, and which slips are its own. */
export interface Format<Call, Style = object> {
  id: string;
  tools: readonly ToolDefinition[];
  /** The calls that carry a body, each alone in its block. */
  calls(body: SlipBody): Call[];
  /** The right output for calls in one block. */
  write(calls: readonly Call[]): Written;
  /** The text of a call with changes of the usual style, whatever that does to it. */
  raw(call: Call, changed?: Partial<Style>): string;
  value(call: Call): Value;
  /** The call with another body. */
  withBody(call: Call, change: (body: string) => string): Call;
  /** What stands before the names of a call's variants. */
  prefix?(call: Call): string;
  /** Whether blocks of several calls exist. */
  manyCalls: boolean;
  /** Sentences that name the format's markers. Nothing in them is a call. */
  mentions: readonly string[];
  /** A result as only the host may write it. */
  madeUpResult: string;
  /** Another small call, for texts with two. */
  other: Call;
  /** Lines that hold the format's own markers, for the bodies of a call. */
  closers(call: Call): Readonly<Record<string, string>>;
  /** How a call is written whose body has such a line, with what that adds to the variant's name. Default: as usual. */
  closerStyles?(variant: string): Readonly<Record<string, Partial<Style>>>;
  /** What the format's own slips make of a call, by class. */
  slips: Readonly<
    Record<string, Variants<Style> | ((call: Call, body: SlipBody, random: Random) => Variants<Style>) | undefined>
  >;
  /**
   * Strict readings of a text, each a meaning for which the format's writers give exactly this text. A text that has one
   * besides what was meant cannot be distinguished from a correct output.
   */
  meanings(text: string): Value[][];
  /** Bodies that hold the format's own markers: only some classes make sense with them. */
  isOwn(body: SlipBody): boolean;
}
