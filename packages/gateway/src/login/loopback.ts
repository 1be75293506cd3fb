import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { codeOf } from "@toolglot/internal";
import { pageOf, pageWords } from "./connect/pages.ts";

const path = "/callback";

/** Waits on this machine for the answer of an authorization server. */
export interface Loopback {
  /** Where the answer goes to. */
  readonly redirectUri: string;
  /**
   * Resolves with what `finish` makes of the first answer that `isOurs`; others are refused and change nothing. The person sees whether it
   * worked. Rejects as `finish`, and with the signal's reason.
   */
  answer<Result>(
    isOurs: (answer: URLSearchParams) => boolean,
    finish: (answer: URLSearchParams) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result>;
  close(): void;
}

/** Listens on 127.0.0.1. `port`: the one that was registered before, taken when it is free. */
export async function openLoopback(server: string, port?: number): Promise<Loopback> {
  let handle = (_answer: URLSearchParams): Promise<boolean | undefined> => Promise.resolve(undefined);
  const http = createServer((request, response) => void reply(request, response));

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const say = (status: number, what: "done" | "failed" | "foreign"): void => {
      const { html, headers } = pageOf(pageWords(request.headers["accept-language"]), what, { server });
      response.writeHead(status, { ...headers, connection: "close" }).end(html);
    };
    const url = new URL(request.url ?? "/", redirectUri);
    // A name of another machine that leads here could be a page that reads the answer.
    if (request.headers.host !== new URL(redirectUri).host || url.pathname !== path) return say(404, "foreign");
    if (request.method !== "GET") return say(405, "foreign");
    const isDone = await handle(url.searchParams);
    if (isDone === undefined) return say(400, "foreign");
    return say(isDone ? 200 : 400, isDone ? "done" : "failed");
  }

  const listening = (wanted: number): Promise<void> =>
    new Promise((resolve, reject) => {
      http.once("error", reject);
      http.listen(wanted, "127.0.0.1", () => {
        http.off("error", reject);
        resolve();
      });
    });
  await listening(port ?? 0).catch((error: unknown) => {
    if (port === undefined || !["EADDRINUSE", "EACCES"].includes(codeOf(error) ?? "")) throw error;
    return listening(0);
  });
  const redirectUri = `http://127.0.0.1:${(http.address() as AddressInfo).port}${path}`;

  return {
    redirectUri,
    answer: (isOurs, finish, signal) =>
      new Promise((resolve, reject) => {
        const stop = (): void => reject(signal.reason);
        if (signal.aborted) return stop();
        signal.addEventListener("abort", stop, { once: true });
        let isTaken = false;
        handle = async (answer) => {
          if (isTaken || !isOurs(answer)) return undefined;
          isTaken = true;
          try {
            resolve(await finish(answer));
            return true;
          } catch (error) {
            reject(error);
            return false;
          } finally {
            signal.removeEventListener("abort", stop);
          }
        };
      }),
    close() {
      http.close();
      // The answer that is being written goes out; connections that wait for another request end.
      http.closeIdleConnections();
    },
  };
}
