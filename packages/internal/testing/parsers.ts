import { expect, it } from "vitest";

// What every parser of a text protocol has to do, whatever its format.

/** Cuts a text into pieces of the given sizes, over and over. */
export function cut(text: string, sizes: readonly number[]): string[] {
  const chunks: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    chunks.push(text.slice(at, at + size));
    at += size;
  }
  return chunks;
}

/** A delta of a call, as all protocols have it. */
type CallDelta = { phase: string; call?: number; tool?: string; param?: string; text?: string };

/**
 * What a parser told of the calls of its last block: the tool, and the text of each argument, joined from deltas of any number.
 * Checks that the calls are counted, and that the first delta of each names its tool.
 */
export function toldCalls(
  events: readonly CallDelta[],
): { tool: string | undefined; texts: Map<string, string>; pieces: number }[] {
  const calls: { tool: string | undefined; texts: Map<string, string>; pieces: number }[] = [];
  for (const { phase, call, tool, param, text = "" } of events) {
    if (phase === "block-start") calls.length = 0;
    if (phase !== "delta" || call === undefined) continue;
    if (call === calls.length) {
      expect([tool, param]).toEqual([expect.any(String), undefined]);
      calls.push({ tool, texts: new Map(), pieces: 0 });
    }
    const told = calls[call];
    if (!told) throw new Error(`Call ${call} has begun with its argument ${param}.`);
    if (param === undefined) continue;
    told.texts.set(param, (told.texts.get(param) ?? "") + text);
    told.pieces += 1;
  }
  return calls;
}

interface Span {
  start: number;
  end: number;
}

/** Segments are in order and without overlap, text is as it stands, and diagnostics lie inside the text. */
export function expectSpans(
  source: string,
  result: { segments: readonly { type: string; span: Span; text?: string }[]; diagnostics: readonly { span: Span }[] },
): void {
  let at = 0;
  for (const { type, span, text } of result.segments) {
    expect(span.start).toBeGreaterThanOrEqual(at);
    expect(span.end).toBeGreaterThanOrEqual(span.start);
    at = span.end;
    if (type === "text") expect(text).toBe(source.slice(span.start, span.end));
  }
  expect(at).toBeLessThanOrEqual(source.length);
  for (const { span } of result.diagnostics) {
    expect(span.start).toBeGreaterThanOrEqual(0);
    expect(span.end).toBeGreaterThanOrEqual(span.start);
    expect(span.end).toBeLessThanOrEqual(source.length);
  }
}

async function* slowly(chunks: readonly string[]): AsyncGenerator<string> {
  for (const chunk of chunks) {
    await Promise.resolve();
    yield chunk;
  }
}

function streamOf(chunks: readonly string[], onCancel?: () => void): ReadableStream<string> {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller): void {
      const chunk = left.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: () => onCancel?.(),
  });
}

type Chunks = AsyncIterable<string> | Iterable<string> | ReadableStream<string>;

/** A parser package, with the options of its tests passed already. */
export interface ParserDoors<Event extends { type: string }> {
  parse(text: string): unknown;
  createParser(onEvent?: (event: Event) => void): { feed(chunk: string): void; end(): unknown; reset(): void };
  parseStream(chunks: Chunks): AsyncIterable<Event>;
  makeStream(): TransformStream<string, Event>;
}

/** Tests that a parser's three doors (push parser, generator, stream) give the same, and end as they should. */
export function testDoors<Event extends { type: string }>(
  { parse, createParser, parseStream, makeStream }: ParserDoors<Event>,
  text: string,
  { delta, unfinished }: { delta: Event["type"]; unfinished: string },
): void {
  const chunks = cut(text, [7]);
  const pushed: Event[] = [];
  const parser = createParser((event) => pushed.push(event));
  for (const chunk of chunks) parser.feed(chunk);
  parser.end();

  it("parseStream gives the events of createParser, from iterables and streams", async () => {
    for (const source of [chunks, slowly(chunks), streamOf(chunks)]) {
      const events: Event[] = [];
      for await (const event of parseStream(source)) events.push(event);
      expect(events).toEqual(pushed);
    }
  });

  it("the parser's stream gives them too", async () => {
    const events: Event[] = [];
    const reader = streamOf(chunks).pipeThrough(makeStream()).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) events.push(next.value);
    expect(events).toEqual(pushed);
  });

  it("leaving the loop cancels the source", async () => {
    let cancelled = false;
    for await (const event of parseStream(streamOf(chunks, () => (cancelled = true)))) if (event.type === delta) break;
    expect(cancelled).toBe(true);
  });

  it("a failing source fails the loop", async () => {
    const failing = new ReadableStream<string>({ pull: () => Promise.reject(new Error("gone")) });
    const read = async (): Promise<void> => {
      for await (const _ of parseStream(failing));
    };
    await expect(read()).rejects.toThrow("gone");
  });

  it("reset() reads another text, and nothing is fed after end()", () => {
    const parser = createParser();
    parser.feed(unfinished);
    parser.reset();
    parser.feed(text);
    expect(parser.end()).toEqual(parse(text));
    expect(() => parser.feed("x")).toThrow(TypeError);
    expect(() => parser.end()).toThrow(/reset/);
    parser.reset();
    expect(parser.end()).toEqual(parse(""));
  });
}
