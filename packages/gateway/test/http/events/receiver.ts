import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Whoever a webhook tells. */
export interface Receiver {
  url: string;
  got: { headers: IncomingHttpHeaders; body: string; json: Record<string, unknown> }[];
  /** What is answered to a body; 200 by default. */
  answer: (json: Record<string, unknown>) => number;
}

/** Listens on this machine until the test is over. */
export async function receiver(): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const json = JSON.parse(body) as Record<string, unknown>;
    const status = it.answer(json);
    if (status === 200) it.got.push({ headers: request.headers, body, json });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const it: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    got: [],
    answer: () => 200,
  };
  return it;
}
