// Holds a session of a storage, runs the programs that it gets as lines of JSON, and tells what they came to.

import { createInterface } from "node:readline";
import { createSandbox, type SandboxLanguage } from "../../../src/node/index.ts";
import { openStorage } from "../../open-storage.ts";

const [place = "", id = "", way = "", language = ""] = process.argv.slice(2);
const sandbox = createSandbox({ language: language as SandboxLanguage, pool: { size: 0 } });
const storage = await openStorage(place);
const options = { storage, key: new Uint8Array(32).fill(7), limits: { leaseMs: 2000 } };
const session =
  way === "open" ? await sandbox.openSession({ ...options, id }) : await sandbox.resumeSession(id, options);
const tell = (what: unknown): void => void process.stdout.write(`${JSON.stringify(what)}\n`);
tell({ turn: session.turn });
for await (const line of createInterface({ input: process.stdin })) {
  const code = JSON.parse(line) as string;
  const run = await session.run(code, { onLog: ({ text }) => tell({ text }) });
  tell({
    value: run.status === "error" ? run.error.type : run.status === "ok" && run.value,
    turn: run.turn,
    state: run.state,
  });
}
await session.close();
await sandbox[Symbol.asyncDispose]();
await storage.close();
