import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Bindings, example, mismatches } from "./pattern.ts";
import { strictFault } from "./strict-frames.ts";
import type { SendStep, TrpVector } from "./vector.ts";

/** A server that plays the Python router's side of one transcript. */
export interface ReplayServer {
  url: string;
  /** What was wrong with the client's frames. */
  failures: string[];
  /** Frames that were refused because the Python router would not take them. */
  refused: unknown[];
  /** How many exchanges of the transcript are still to come. */
  left(): number;
  close(): Promise<void>;
}

export async function playRouter(vector: TrpVector): Promise<ReplayServer> {
  const exchanges = vector.steps.filter((step): step is SendStep => "send" in step);
  const bindings: Bindings = new Map();
  const failures: string[] = [];
  const refused: unknown[] = [];
  let at = 0;
  const answer = (body: string): { status: number; reply: unknown } => {
    let frame: Record<string, unknown>;
    try {
      frame = JSON.parse(body);
    } catch {
      failures.push("the client sent something that is not JSON");
      return { status: 200, reply: nack({}, "TRP_2000", "invalid JSON body") };
    }
    const fault = strictFault(frame);
    if (fault !== undefined) {
      refused.push(frame);
      return { status: 200, reply: nack(frame, "TRP_2000", fault) };
    }
    const exchange = exchanges[at];
    if (!exchange) {
      failures.push(`a frame more than the transcript has: ${JSON.stringify(frame)}`);
      return { status: 200, reply: nack(frame, "TRP_5001", "not in the transcript") };
    }
    const found = mismatches(exchange.send, frame, bindings);
    if (found.length > 0) {
      failures.push(...found.map((one) => `frame ${at + 1}: ${one}`));
      return { status: 200, reply: nack(frame, "TRP_5001", "not as in the transcript") };
    }
    at++;
    bindings.set("request", frame);
    const { http_status: status = 200 } = exchange;
    const reply = example(exchange.reply, bindings) as { frame_type: string; payload: Record<string, unknown> };
    // The reply has to fit its own pattern: that binds what the next frames refer to.
    failures.push(...mismatches(exchange.reply, reply, bindings).map((one) => `reply ${at}: ${one}`));
    return { status, reply: envelope(frame, reply) };
  };
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.method !== "POST" || request.url !== "/trp/frame") {
        failures.push(`${request.method} ${request.url}`);
        response.writeHead(404).end();
        return;
      }
      const { status, reply } = answer(Buffer.concat(chunks).toString("utf8"));
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(reply));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures,
    refused,
    left: () => exchanges.length - at,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The envelope as the Python router writes it. */
function envelope(
  frame: Record<string, unknown>,
  reply: { frame_type: string; payload: Record<string, unknown> },
): unknown {
  const { payload } = reply;
  const hello = reply.frame_type === "HELLO_RES";
  return {
    trp_version: frame.trp_version ?? "0.1",
    frame_type: reply.frame_type,
    session_id: hello ? payload.session_id : (frame.session_id ?? null),
    frame_id: `res_${String(frame.frame_id ?? "unknown")}`,
    trace_id: frame.trace_id ?? null,
    timestamp_ms: Date.now(),
    catalog_epoch:
      hello || reply.frame_type === "CATALOG_SYNC_RES" ? payload.catalog_epoch : (frame.catalog_epoch ?? null),
    seq: hello ? null : (frame.seq ?? null),
    payload,
  };
}

function nack(frame: Record<string, unknown>, code: string, message: string): unknown {
  return envelope(frame, {
    frame_type: "NACK",
    payload: {
      nack_of_frame_id: frame.frame_id ?? null,
      nack_of_call_id: null,
      error_class: code === "TRP_2000" ? "SCHEMA_MISMATCH" : "INTERNAL_ERROR",
      error_code: code,
      message,
      retryable: false,
      retry_hint: {},
    },
  });
}
