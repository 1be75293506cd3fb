import type { ConverterMaker } from "./answer-converter.ts";
import type { Finish, Part, ProviderData, Warning } from "./spec.ts";

/** Returns a stream with its calls. What it reads from is cancelled with it; a fault in here is an `error` part, and its end. */
export function convertStream(stream: ReadableStream<Part>, makeConverter: ConverterMaker): ReadableStream<Part> {
  const source = stream.getReader();
  const waiting: Part[] = [];
  const converter = makeConverter((part) => waiting.push(part));
  let failure: { error: unknown } | undefined;
  let begun = false;
  let finished = false;
  let ended = false;

  const begin = (part?: Part): void => {
    if (begun) return;
    begun = true;
    const own = (part?.warnings ?? []) as Warning[];
    waiting.push({ ...part, type: "stream-start", warnings: [...own, ...converter.warnings] });
  };
  const take = (part: Part): void => {
    if (part.type === "stream-start") {
      if (begun) converter.pass(part);
      else begin(part);
      return;
    }
    begin();
    switch (part.type) {
      case "text-start":
      case "text-end":
        if (!converter.reads) converter.pass(part);
        return;
      case "text-delta":
        if (converter.reads) converter.text(part.delta as string);
        else converter.pass(part);
        return;
      case "finish": {
        finished = true;
        const { finishReason, providerMetadata } = converter.end(part.finishReason as Finish, part.providerMetadata);
        waiting.push({ ...part, finishReason, ...(providerMetadata && { providerMetadata }) });
        return;
      }
      default:
        converter.pass(part);
    }
  };
  const end = (): void => {
    begin();
    if (!finished) converter.end(undefined, undefined as ProviderData | undefined);
    ended = true;
  };
  const read = async (): Promise<void> => {
    let next: ReadableStreamReadResult<Part>;
    try {
      next = await source.read();
    } catch (error) {
      converter.abandon();
      failure = { error };
      return;
    }
    try {
      if (next.done) end();
      else take(next.value);
    } catch (error) {
      converter.abandon();
      waiting.push({ type: "error", error });
      ended = true;
      source.cancel(error).catch(() => undefined);
    }
  };

  return new ReadableStream<Part>({
    async pull(controller) {
      while (waiting.length === 0 && !failure && !ended) await read();
      for (const part of waiting.splice(0)) controller.enqueue(part);
      if (ended) controller.close();
      // What was given out before must not be lost with it.
      else if (failure && controller.desiredSize !== null && controller.desiredSize > 0)
        controller.error(failure.error);
    },
    cancel: (reason) => source.cancel(reason),
  });
}
