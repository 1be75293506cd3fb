import type { Readable, Writable } from "node:stream";
import { ByteLines, checkKeys, settleWithin } from "@toolglot/internal";
import { metricsCure } from "../http/metrics-page.ts";
import type { MetricsPage } from "../http/types.ts";
import { isPrincipal } from "../identity/principal.ts";
import type { Principal } from "../identity/types.ts";
import type { Router } from "../router/types.ts";
import { FrameAnswers } from "../transport/frame-answers.ts";
import { FrameChannel } from "../transport/frame-channel.ts";
import { readTransportLimits, type TransportLimits } from "../transport/limits.ts";
import { decode } from "./request-body.ts";

/** Options of {@link serveStdio}. */
export interface ServeStdioOptions {
  /** Who calls: the process at the other end. There is nobody else who could write to the input. */
  principal: Principal;
  /** A `Readable` of Node. Default: the process's own. */
  input?: { readonly readable: boolean; pause(): unknown };
  /** A `Writable` of Node. Default: the process's own. Nothing else may write to it. */
  output?: { readonly writable: boolean; readonly writableLength: number };
  limits?: Partial<TransportLimits>;
  /** Counts the connection and refused frames: `routerMetrics()` of `@toolglot/trp-core/metrics`. Its text is not served here. */
  metrics?: MetricsPage;
}

/** A router at the end of two streams. */
export interface StdioServer {
  /**
   * Resolves when all is over: `input-ended` (what was asked before is answered), `closed`, `not-read` (the other side did not
   * read its answers), `failed` (a stream broke). Never rejects.
   */
  readonly done: Promise<"input-ended" | "closed" | "not-read" | "failed">;
  /**
   * Refuses new frames, answers those that it has, for at most `graceMs` (default 10,000), and reads no more. Neither the streams nor
   * the router are closed.
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves a router to the process that started this one: a frame per line in both directions (NDJSON, UTF-8). Answers come when
 * they are there, in any order: an ACK, partial results, at last the answer. When the input ends, frames that were read are
 * still answered. Throws `TypeError` for options that can't be.
 *
 * @example
 * ```ts
 * const server = serveStdio(router, { principal: principal({ id: "agent-7" }) });
 * await server.done;
 * ```
 */
export function serveStdio(router: Router, options: ServeStdioOptions): StdioServer {
  checkKeys(
    "serveStdio",
    options,
    "principal:object input:{pause} output:object limits:object metrics:{text,mayRead}",
    ["principal"],
    metricsCure,
  );
  const { principal } = options;
  const input = (options.input ?? process.stdin) as Readable;
  const output = (options.output ?? process.stdout) as Writable;
  if (typeof router?.handle !== "function") throw new TypeError("router must be a Router, as createRouter makes it");
  if (!isPrincipal(principal)) throw new TypeError("serveStdio: principal must be made by principal()");
  const limits = readTransportLimits("serveStdio", options.limits, router);
  const answers = new FrameAnswers(router, limits, limits.framesInFlight, options.metrics);
  const uncount = options.metrics?.connections?.("stdio", () => 1);
  let finish: (how: Awaited<StdioServer["done"]>) => void = () => {};
  const done = new Promise<Awaited<StdioServer["done"]>>((resolve) => {
    finish = (how) => {
      input.off("data", onData).off("end", onEnd).pause();
      channel.leave();
      uncount?.();
      resolve(how);
    };
  });
  let ending: "input-ended" | "closed" = "closed";
  const channel = new FrameChannel(answers, {
    principal,
    depth: router.limits.depth,
    decode,
    wire: {
      send: (text, written) => void output.write(`${text}\n`, written),
      unread: () => output.writableLength,
      pause: () => input.pause(),
      resume: () => input.resume(),
      end: (why) => {
        if (why === "closing") output.write("", () => finish(ending));
        else finish(why);
      },
    },
  });
  const lines = new ByteLines(answers.limits.frameBytes, {
    line: (bytes) => channel.receive(bytes),
    tooLong: (beginning) => channel.receiveTooLarge(beginning),
  });
  const onData = (chunk: Buffer | string): void => lines.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  const onEnd = (): void => {
    lines.end();
    ending = "input-ended";
    // However long that takes: the other side sends no more, but it may still wait.
    void channel.close(Number.POSITIVE_INFINITY);
  };
  const onBroken = (): void => finish("failed");
  input.on("data", onData).once("end", onEnd).once("error", onBroken);
  output.once("error", onBroken).once("close", onBroken);
  return {
    done,
    async close(graceMs = 10_000) {
      answers.close();
      const until = performance.now() + graceMs;
      await channel.close(graceMs);
      // What was written may not be read.
      await settleWithin(done, { ms: Math.max(0, until - performance.now()) });
      finish("closed");
    },
  };
}
