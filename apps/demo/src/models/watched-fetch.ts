import { ToolglotError } from "@toolglot/core";
import { type Words, wordsFor } from "../cli/words.ts";

/** Options of {@link watchedFetch}. */
export interface WatchedFetchOptions {
  /** Seconds until the first byte of an answer, and between two bytes of it. Default 30. */
  timeoutSeconds?: number;
  words?: Words;
}

const DEFAULT_TIMEOUT_SECONDS = 30;

/**
 * A `fetch` whose answers don't stall: when nothing comes for the time given, it rejects, or the body breaks off, with a
 * `ToolglotError` of the code `model-stalled` that says where and for how long.
 */
export function watchedFetch(options: WatchedFetchOptions = {}): typeof fetch {
  const { timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, words = wordsFor("en") } = options;
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const stall = new AbortController();
    let begun = false;
    const stop = (): void => {
      const what = (begun ? words.model.silent : words.model.noAnswer)(url, timeoutSeconds);
      stall.abort(new ToolglotError("model-stalled", `${what} ${words.model.later}`, { data: { url } }));
    };
    let timer = setTimeout(stop, timeoutSeconds * 1000);
    const again = (): void => {
      begun = true;
      clearTimeout(timer);
      timer = setTimeout(stop, timeoutSeconds * 1000);
    };
    const signals = [stall.signal, ...(init?.signal ? [init.signal] : [])];
    try {
      const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
      if (response.body === null) {
        clearTimeout(timer);
        return response;
      }
      // Headers alone are no part of an answer: the time goes on until the first byte.
      const body = watched(response.body, { onByte: again, onEnd: () => clearTimeout(timer), signal: stall.signal });
      return new Response(body, response);
    } catch (error) {
      clearTimeout(timer);
      if (stall.signal.aborted) throw stall.signal.reason;
      throw error;
    }
  };
}

interface Watch {
  onByte(): void;
  onEnd(): void;
  /** The body breaks off with its reason. */
  signal: AbortSignal;
}

/** A body that reports its bytes, and the end of reading. */
function watched(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { onByte, onEnd, signal }: Watch,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          onByte();
          controller.enqueue(value);
          return;
        }
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        controller.error(signal.aborted ? signal.reason : error);
      }
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    },
  });
}
