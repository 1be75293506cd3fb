import { type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { nackReply } from "../http/messages.ts";
import type { HttpReply } from "../http/types.ts";

const statuses: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** How long a client may take to read the answer. Milliseconds. */
const closeMs = 1_000;

/** Answers what is no HTTP, too big a head, or too slow a client with a NACK, as everything else is answered. */
export function answerParserErrors(server: Server, now: () => number): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = statuses[error.code ?? ""] ?? 400;
    const phrase = STATUS_CODES[status] ?? "Bad Request";
    answerAndClose(socket, nackReply(status, status === 431 ? "TRP_2008" : "TRP_2000", `${phrase}.`, { now: now() }));
  });
}

/** Writes an answer to a connection without a response of Node's, and closes it. */
export function answerAndClose(socket: Duplex, { status, headers, body }: HttpReply): void {
  const lines = Object.entries({ ...headers, "content-length": Buffer.byteLength(body), connection: "close" });
  // A client that doesn't close its side would keep the socket for as long as it likes.
  const timer = setTimeout(() => socket.destroy(), closeMs);
  socket.once("close", () => clearTimeout(timer));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`,
  );
}
