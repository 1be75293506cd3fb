import { lineEnd } from "@toolglot/internal";
import type { TextProtocol } from "./call-formats.ts";
import { everyCall } from "./call-search.ts";
import { FenceStack, sentIn } from "./code.ts";
import { CallFinder, callTexts, type OwnFormat, type ShownFence } from "./find-foreign.ts";
import type { LeakedCall, MarkedCall } from "./joined-calls.ts";
import type { NamedTool } from "./named-calls.ts";

export type { LeakedCall } from "./joined-calls.ts";

/**
 * Returns the calls in a model's text, in any format of the table ({@link callFormats}), in order. What stands in inline code is a mention,
 * and so is what stands in a fence, unless the fence ends the text and names one of the tools. Total, and linear in the text's length.
 *
 * @param tools Those that may be called, as far as they are known: without them, calls that look like a line of Python are not found.
 * @param own The text protocol that the text is written in: its blocks are none of the findings.
 */
export function leakedCalls(text: string, tools: readonly NamedTool[] = [], own?: TextProtocol): LeakedCall[] {
  const span = { start: 0, end: text.length };
  if (callTexts([{ type: "text", text, span }]).length === 0) return [];
  const finder = new EveryCall(formatOf(own), tools, fencesIn(text));
  finder.find(text, 0);
  return finder.end(text);
}

/** The blocks of text protocols name tools, too. */
const formatOf = (own: TextProtocol | undefined): OwnFormat =>
  own ? { protocol: own } : { protocol: "native", search: everyCall };

function fencesIn(text: string): FenceStack["ranges"] {
  const fences = new FenceStack();
  for (let start = 0; start < text.length; ) {
    const end = lineEnd(text, start);
    fences.read(text.slice(start, end), start);
    start = end + 1;
  }
  return fences.ranges;
}

class EveryCall extends CallFinder {
  readonly #marks: MarkedCall[] = [];

  protected wants(): boolean {
    return true;
  }

  protected take(call: MarkedCall): void {
    this.#marks.push(call);
  }

  protected shows({ info, text, rest }: ShownFence): boolean {
    return !sentIn.test(info) || !/^.*\s*$/.test(rest) || !this.namesTool(text);
  }

  end(text: string): LeakedCall[] {
    return everyCall.join(text, this.#marks);
  }
}
