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
 * that is another one than came, nobody has seen the mark. The order of parts stays. What it reads from is read when somebody asks, and
 * cancelled with it.
 */
export function guardStream(source: ReadableStream<Part>, judge: (part: Part) => Part): ReadableStream<Part> {
  // A TransformStream would take five times as long for each part, which is much beside what the SDK does with it.
  const reader = source.getReader();
  let to: ReadableStreamDefaultController<Part>;
  let held: Held | undefined;
  let isSent = false;
  const send = (part: Part): void => {
    isSent = true;
    to.enqueue(part);
  };
  const release = (isShown: boolean): void => {
    const { last, text, end } = held ?? {};
    held = undefined;
    if (isShown && last && text) send({ ...last, delta: text });
    if (end) send(end);
  };
  const pass = (part: Part): void => {
    if (part.type === "tool-input-delta") {
      if (held && (held.id !== part.id || held.end)) release(true);
      const delta = part.delta as string;
      const text = held ? held.text + delta : delta;
      const from = tailOf(text);
      if (from === text.length && !held) send(part);
      else if (from > 0) send({ ...part, delta: text.slice(0, from) });
      held = from < text.length ? { id: part.id as string, last: part, text: text.slice(from) } : undefined;
    } else if (held && part.type === "tool-input-end" && part.id === held.id && !held.end) held.end = part;
    else {
      const judged = judge(part);
      if (held) release(judged === part || part.toolCallId !== held.id || judged.input === part.input);
      send(judged);
    }
  };
  const take = ({ done, value }: ReadableStreamReadResult<Part>): Promise<void> | undefined => {
    if (done) {
      release(true);
      to.close();
      return undefined;
    }
    isSent = false;
    try {
      pass(value);
    } catch (error) {
      reader.cancel(error).catch(() => undefined);
      throw error;
    }
    // All of it is held.
    return isSent ? undefined : reader.read().then(take);
  };
  return new ReadableStream<Part>(
    {
      start: (controller) => {
        to = controller;
      },
      pull: () => reader.read().then(take),
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** What every mark has, which most pieces have not. */
const anyMark = /[<\]\\]/;
const tail = /[<\]]|\\u003c|\\(?:u0?0?3?)?$/i;

/** Where the end of a text begins that may be marks. */
function tailOf(text: string): number {
  if (!anyMark.test(text)) return text.length;
  const from = Math.max(0, text.length - maxTailLength);
  const at = (from > 0 ? text.slice(from) : text).search(tail);
  return at < 0 ? text.length : from + at;
}
