import { checkKeys, joinBytes } from "@toolglot/internal";
import type { Router } from "../router/types.ts";
import type { TransportLimits } from "../transport/limits.ts";
import { UnreadGuard } from "../transport/unread-guard.ts";
import { errorReply } from "./messages.ts";
import { metricsCure } from "./metrics-page.ts";
import { HttpRoutes } from "./route.ts";
import type { BodyWanted, HttpOptions, HttpReply } from "./types.ts";

/**
 * Creates a fetch handler of the router, for every server that takes `(Request) => Response`: Workers, Deno, Bun, Hono, Next.
 *
 * `POST /trp/frame` answers one frame, as JSON, or as `text/event-stream` (one frame per event) when only that is
 * accepted. 200 for every answer to JSON, NACKs too; before that 400 (not JSON), 401, 403, 405, 413 and 415, each with a
 * NACK as body. `GET /healthz`, `GET /readyz`, `/trp/approvals…` and `/trp/operations…` as `serveHttp` has them.
 * Throws `TypeError` for options that can't be; the handler itself never rejects.
 *
 * @example
 * ```ts
 * const who = bearerTokens({ "secret-token": { principal: "agent-7" } });
 * const worker = { fetch: createFetchHandler(router, { authenticate: (header) => who(bearerToken(header)) }) };
 * ```
 */
export function createFetchHandler(router: Router, options: HttpOptions): (request: Request) => Promise<Response> {
  checkKeys(
    "createFetchHandler",
    options,
    "authenticate:function limits:object allowedHosts:string[] allowedOrigins:string[] heartbeatMs:number metrics:{text,mayRead}",
    ["authenticate"],
    metricsCure,
  );
  const routes = new HttpRoutes("createFetchHandler", router, options);
  return async (request) => {
    const { method, headers } = request;
    const url = new URL(request.url);
    const head = {
      method,
      target: url.pathname + url.search,
      // A Request made by hand has no Host header; its URL has the same name.
      header: (name: string) => headers.get(name) ?? (name === "host" ? url.host : undefined),
    };
    const first = await routes.begin(head);
    const reply = "status" in first ? first : await withBody(request, first);
    return toResponse(reply, method === "HEAD", routes.answers.limits);
  };
}

async function withBody(request: Request, wanted: BodyWanted): Promise<HttpReply> {
  const body = await readBody(request, wanted.maxBytes);
  if (body === "too-large") return wanted.tooLarge();
  // The caller is gone. Nobody reads this; what matters is that half a body is never taken for a whole one.
  if (body === "cut-off") return errorReply(400, "cut-off", "The body ended early.");
  return wanted.answer(body, request);
}

/** Counted while it is read: a `Content-Length` may be missing or wrong. */
async function readBody(request: Request, maxBytes: number): Promise<Uint8Array | "too-large" | "cut-off"> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    // Throws when somebody reads it already.
    const reader = request.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > maxBytes) {
        await reader.cancel().catch(() => undefined);
        return "too-large";
      }
      chunks.push(value);
    }
  } catch {
    return "cut-off";
  }
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : joinBytes(chunks);
}

function toResponse(
  { status, headers, body, stream }: HttpReply,
  headOnly: boolean,
  limits: TransportLimits,
): Response {
  if (stream === undefined) return new Response(headOnly || status === 204 ? null : body, { status, headers });
  const encoder = new TextEncoder();
  let isOpen = true;
  let guard: UnreadGuard | undefined;
  const end = (how?: () => void): void => {
    guard?.end();
    if (isOpen) how?.();
    isOpen = false;
  };
  const readable = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const reader = new UnreadGuard(limits, {
          unread: () => -(controller.desiredSize ?? 0),
          cut: () => end(() => controller.error(new Error("The client does not read its answer."))),
        });
        guard = reader;
        const write = (text: string): void => {
          if (!reader.hasRoom()) return;
          controller.enqueue(encoder.encode(text));
          reader.sent();
        };
        // Not awaited: `start` would hold back the first event until the last.
        void stream(write).finally(() => end(() => controller.close()));
      },
      pull: () => guard?.taken(),
      cancel: () => end(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  return new Response(readable, { status, headers });
}
