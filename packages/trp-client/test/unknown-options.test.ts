import { expect, it } from "vitest";
import { catalogLines, createClient, fetchTransport, routerExecutor, routerTool } from "../src/index.ts";
import { httpTransport } from "../src/node/index.ts";
import { world } from "./support.ts";

const { client } = world();
const trp = client();
const transport = { send: () => Promise.reject(new Error("unused")), close() {} };
const url = "http://127.0.0.1:1";

it.each<[string, () => unknown, string]>([
  ["createClient", () => createClient({ transport, agentId: "a", timeout: 1 } as never), 'Did you mean "timeoutMs"?'],
  [
    "its retry",
    () => createClient({ transport, agentId: "a", retry: { max: 1 } } as never),
    'createClient: retry has no option "max"',
  ],
  ["call", () => trp.call({ capId: "cap.echo.v1", arg: {} } as never), 'a call has no option "arg"'],
  ["callByCap", () => trp.callByCap("cap.echo.v1", {}, { deadline: 1 } as never), 'has no option "deadline"'],
  [
    "the options of a call",
    () => trp.call({ capId: "cap.echo.v1" }, { trace: "t" } as never),
    'call has no option "trace"',
  ],
  [
    "batch",
    () => trp.batch([{ capId: "cap.echo.v1" }], { concurrency: 1 } as never),
    'batch has no option "concurrency"',
  ],
  ["fetchTransport", () => fetchTransport({ url, tokn: "t" } as never), 'Did you mean "token"?'],
  ["httpTransport", () => httpTransport({ url, maxSocket: 1 } as never), 'Did you mean "maxSockets"?'],
  ["routerExecutor", () => routerExecutor(trp, { timeout: 1 } as never), 'Did you mean "timeoutMs"?'],
  ["routerTool", () => routerTool(trp, { local: "zh" } as never), 'Did you mean "locale"?'],
  ["catalogLines", () => catalogLines([], { sentences: 1 } as never), 'Did you mean "sentence"?'],
])("refuses an option that it doesn't have: %s", async (_name, make, message) => {
  await expect((async () => make())()).rejects.toThrow(message);
});
