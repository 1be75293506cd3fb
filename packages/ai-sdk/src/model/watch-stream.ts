import { type ModelInfo, ToolglotError } from "@toolglot/core";
import { untilAborted } from "@toolglot/internal";
import type { Part } from "../spec.ts";
import { words } from "./words.ts";

interface Watch {
  firstPartMs: number;
  stallMs: number;
  signal: AbortSignal;
  info: ModelInfo;
}

/** The parts of a stream that must not stall: a signal for the request, and the parts, which throw `model-stalled` when none comes. */
export function watchStream({ firstPartMs, stallMs, signal, info }: Watch): {
  signal: AbortSignal;
  parts(opening: Promise<{ stream: ReadableStream<Part> }>): AsyncGenerator<Part>;
} {
  const stall = new AbortController();
  const both = AbortSignal.any([signal, stall.signal]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (phase: "first" | "middle", ms: number): void => {
    clearTimeout(timer);
    if (ms === Infinity) return;
    timer = setTimeout(() => {
      const message = words[phase === "first" ? "noAnswer" : "silent"](nameOf(info), ms / 1000);
      const data = { ms, phase, retryable: phase === "first" };
      stall.abort(new ToolglotError("model-stalled", message, { data }));
    }, ms);
  };
  async function* parts(opening: Promise<{ stream: ReadableStream<Part> }>): AsyncGenerator<Part> {
    let reader: ReadableStreamDefaultReader<Part> | undefined;
    let done = false;
    wait("first", firstPartMs);
    try {
      // A provider may not listen to the signal.
      reader = (await untilAborted(opening, both)).stream.getReader();
      for (;;) {
        const next = await untilAborted(reader.read(), both);
        done = next.done;
        if (next.done) return;
        // Headers alone are no part of an answer.
        if (next.value.type !== "stream-start") wait("middle", stallMs);
        yield next.value;
      }
    } catch (error) {
      // The provider's own words for an abort say less.
      throw stall.signal.aborted ? stall.signal.reason : error;
    } finally {
      clearTimeout(timer);
      if (!done) void reader?.cancel().catch(() => undefined);
    }
  }
  return { signal: both, parts };
}

/** Returns a model as errors name it. */
export const nameOf = ({ provider, modelId }: ModelInfo): string => [provider, modelId].filter(Boolean).join(" ");
