import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The name of the value that the tour asks for. */
export const tourTokenName = "TOUR_TOKEN";

/** A server on this machine that wants a token. */
export interface TourServer {
  url: string;
  token: string;
  close(): void;
}

/** Starts it, with a token of its own. It repeats the header that it was sent: a value that comes back is to be masked. */
export async function startTourServer(): Promise<TourServer> {
  const token = `tour-${randomBytes(6).toString("hex")}`;
  const server = createServer(({ headers: { authorization = "" } }, response) => {
    const accepted = authorization === `Bearer ${token}`;
    response.writeHead(accepted ? 200 : 401, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify({ accepted, authorization }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    token,
    close: () => void server.close(),
  };
}
