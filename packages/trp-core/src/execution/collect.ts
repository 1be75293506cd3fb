/** More than this is no result but a stream without end. */
const mostChunks = 100_000;

/** What gives its content bit by bit. */
export type Stream = AsyncIterable<unknown>;

/** Whether a value gives its content bit by bit: an async generator, a web stream. */
export function isStream(value: unknown): value is Stream {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Partial<Stream>)[Symbol.asyncIterator] === "function"
  );
}

/**
 * Everything a stream gives, as an array; chunks that are all bytes, as one `Uint8Array`. Rejects when the stream does,
 * with `RangeError` after 100,000 chunks, and once `stopped` says so; the stream is ended then.
 */
export async function collect(stream: Stream, stopped: () => boolean): Promise<unknown> {
  const chunks: unknown[] = [];
  // Leaving the loop ends the stream.
  for await (const chunk of stream) {
    if (stopped()) throw new Error("stopped while it was read");
    if (chunks.length >= mostChunks) throw new RangeError(`a stream of more than ${mostChunks} chunks`);
    chunks.push(chunk);
  }
  if (chunks.length > 0 && chunks.every((chunk) => chunk instanceof Uint8Array)) return joined(chunks);
  return chunks;
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
