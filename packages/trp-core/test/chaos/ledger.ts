import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { endWithParent } from "./process.ts";

// The world that routers act on, in a process that nobody kills. It writes down every effect that happened, so that a
// duplicate can't hide. `node ledger.mjs FILE`; prints its port.

interface Apply {
  op: string;
  /** `plain` applies whatever arrives. `keyed` does each key once. `probe` refuses attempts that a probe has ended. */
  mode: "plain" | "keyed" | "probe";
  key: string;
  fence: number;
  router: string;
}

endWithParent();
const file = process.argv[2] as string;
const effects = new Map<string, number>();
const byKey = new Map<string, number>();
const ended = new Map<string, number>();
let receipts = 0;

function apply({ op, mode, key, fence, router }: Apply): { receipt: number } | { refused: true } {
  if (mode === "keyed") {
    const known = byKey.get(key);
    if (known !== undefined) return { receipt: known };
  }
  if (mode === "probe" && fence <= (ended.get(key) ?? 0)) {
    appendFileSync(file, `${JSON.stringify({ op, refused: fence, router })}\n`);
    return { refused: true };
  }
  const receipt = ++receipts;
  effects.set(op, (effects.get(op) ?? 0) + 1);
  if (mode !== "plain") byKey.set(key, receipt);
  appendFileSync(file, `${JSON.stringify({ op, applied: receipt, mode, fence, router })}\n`);
  return { receipt };
}

/** What happened under a key; when nothing did, attempts up to `fence` never will. */
function probe(op: string, key: string, fence: number): { receipt?: number } {
  const receipt = byKey.get(key);
  appendFileSync(file, `${JSON.stringify({ op, probed: fence, receipt })}\n`);
  if (receipt !== undefined) return { receipt };
  ended.set(key, Math.max(fence, ended.get(key) ?? 0));
  return {};
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const answer = (value: unknown): void => void response.end(JSON.stringify(value));
  if (request.url === "/counts") return answer(Object.fromEntries(effects));
  const sent = JSON.parse(body);
  if (request.url === "/probe") return answer(probe(sent.op, sent.key, sent.fence));
  // Time on both sides of the effect, for a kill to fall into.
  await pause(Math.random() * 15);
  const result = apply(sent);
  await pause(Math.random() * 15);
  answer(result);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === "object" && address ? address.port : 0 }));
});
