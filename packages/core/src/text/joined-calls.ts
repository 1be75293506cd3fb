import { lineEnd } from "@toolglot/internal";
import type { Span } from "../span.ts";
import type { TextProtocol } from "./call-formats.ts";

/** A call in another format: what the format is called, and where its mark begins and ends in the text that is searched. */
export interface MarkedCall extends Span {
  name: string;
  protocol?: TextProtocol | undefined;
}

/** A call that a model wrote into its text, where nobody reads it. */
export interface LeakedCall {
  /** What the format is called, as "a Mistral call". */
  format: string;
  /** From its first mark to behind what closes it; where nothing does, to the end of the line of its last mark. */
  span: Span;
}

/** Returns the calls that marks in a text are of, in order: the marks of one call are many. */
export function joinedCalls(text: string, marks: readonly MarkedCall[]): LeakedCall[] {
  const found: (LeakedCall & { isClosed: boolean })[] = [];
  const missing = new Set<string>();
  for (const { name: format, start, end: marked } of [...marks].sort((one, other) => one.start - other.start)) {
    const last = found.at(-1);
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
