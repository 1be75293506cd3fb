import type { Part } from "../spec.ts";

/** No more of a call's arguments is held. */
const maxTailLength = 64;

/** Arguments on their way: what is held of them, which may be a mark. */
interface Held {
  id: string;
  /** The last delta, for what else it has. */
  last: Part;
  text: string;
  end?: Part;
}

/**
 * Passes a stream, with each part as `judge` returns it. The end of a call's arguments that may be a closing mark waits for the call: when
 * that is another one than came, nobody has seen the mark. The order of parts stays.
 */
export function guardStream(judge: (part: Part) => Part): TransformStream<Part, Part> {
  let held: Held | undefined;
  const release = (to: TransformStreamDefaultController<Part>, isShown: boolean): void => {
    const { last, text, end } = held ?? {};
    held = undefined;
    if (isShown && last && text) to.enqueue({ ...last, delta: text });
    if (end) to.enqueue(end);
  };
  return new TransformStream<Part, Part>({
    transform(part, to) {
      if (part.type === "tool-input-delta") {
        if (held && (held.id !== part.id || held.end)) release(to, true);
        const delta = part.delta as string;
        const text = held ? held.text + delta : delta;
        const from = tailOf(text);
        if (from === text.length && !held) to.enqueue(part);
        else if (from > 0) to.enqueue({ ...part, delta: text.slice(0, from) });
        held = from < text.length ? { id: part.id as string, last: part, text: text.slice(from) } : undefined;
      } else if (held && part.type === "tool-input-end" && part.id === held.id && !held.end) held.end = part;
      else {
        const judged = judge(part);
        if (held) release(to, judged === part || part.toolCallId !== held.id || judged.input === part.input);
        to.enqueue(judged);
      }
    },
    flush: (to) => release(to, true),
  });
}

/** Where the end of a text begins that may be marks. */
function tailOf(text: string): number {
  const from = Math.max(0, text.length - maxTailLength);
  const found = /[<\]]|\\u003c|\\(?:u0?0?3?)?$/i.exec(text.slice(from));
  return found ? from + found.index : text.length;
}
