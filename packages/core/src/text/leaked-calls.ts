import { lineEnd } from "@toolglot/internal";
import type { Span } from "../span.ts";
import type { TextProtocol } from "./call-formats.ts";
import { FenceStack, sentIn } from "./code.ts";
import { CallFinder, callTexts, type MarkedCall, type ShownFence } from "./find-foreign.ts";

/** A call that a model wrote into its text, where nobody reads it. */
export interface LeakedCall {
  /** What the format is called, as "a Mistral call". */
  format: string;
  /** From its first mark to behind what closes it; where nothing does, to the end of the line of its last mark. */
  span: Span;
}

/**
 * Returns the calls in a model's text, in any format of the table ({@link callFormats}), in order. What stands in inline code is a mention,
 * and so is what stands in a fence, unless the fence ends the text and names one of the tools. Total, and linear in the text's length.
 *
 * @param tools Those that may be called, as far as they are known: without them, calls that look like a line of Python are not found.
 * @param own The text protocol that the text is written in: its blocks are none of the findings.
 */
export function leakedCalls(text: string, tools: readonly { name: string }[] = [], own?: TextProtocol): LeakedCall[] {
  const span = { start: 0, end: text.length };
  if (callTexts([{ type: "text", text, span }]).length === 0) return [];
  const finder = new EveryCall({ protocol: own ?? "native" }, tools, fencesIn(text));
  finder.find(text, 0);
  return finder.end(text);
}

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
    const found: (LeakedCall & { isClosed: boolean })[] = [];
    const missing = new Set<string>();
    for (const { name: format, start, end: marked } of this.#marks.sort((one, other) => one.start - other.start)) {
      const last = found.at(-1);
      // The marks of one call are many.
      if (last && start < last.span.end) continue;
      const isSame = last && !last.isClosed && last.format === format;
      if (isSame && !/\n[ \t\r]{0,99}\n/.test(text.slice(last.span.end, start))) {
        last.span.end = lineEnd(text, marked);
        continue;
      }
      const closed = behindCloser(text, { start, end: marked }, missing);
      found.push({ format, span: { start, end: closed ?? lineEnd(text, marked) }, isClosed: closed !== undefined });
    }
    return found.map(({ format, span }) => ({ format, span }));
  }
}

/** Returns the offset behind what closes a mark: its element or fence, or the other token of a pair. Undefined when nothing does. */
function behindCloser(text: string, { start, end }: Span, missing: Set<string>): number | undefined {
  const mark = text.slice(start, end);
  const [token] = /^<[^<>\s]*(?:begin|start)[^<>\s]*>/i.exec(mark) ?? [];
  const [fence] = /^(?:```|~~~)/.exec(mark) ?? [];
  const element = /^<(\w[\w:|]*)/.exec(mark)?.[1];
  const closer = token?.replace(/begin|start/i, (word) => (/[A-Z]/.test(word) ? "END" : "end"));
  const wanted = closer ?? (fence ? `\n${fence}` : element && `</${element}>`);
  if (!wanted || missing.has(wanted)) return undefined;
  // The mark may reach over its closer, where nothing stands between.
  const at = text.indexOf(wanted, start + 1);
  if (at >= 0) return at + wanted.length;
  // Looked for once, so that the time stays linear.
  missing.add(wanted);
  return undefined;
}
