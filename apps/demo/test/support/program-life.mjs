// One life of a program that calls a router, in a process of its own, which kills itself at the moment it is told.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createSandbox } from "@toolglot/sandbox";
import { openSqlite } from "@toolglot/sqlite";
import { createClient, inProcessTransport, programTools } from "@toolglot/trp-client";
import { createRouter, defineCapability, principal } from "@toolglot/trp-core";

const { folder, diesIn } = JSON.parse(process.argv[2] ?? "{}");
const ledger = `${folder}/ledger`;
const die = (/** @type {string} */ where) => where === diesIn && process.kill(process.pid, "SIGKILL");

/** Something outside that remembers keys: an effect that is asked for twice happens once. */
const effect = (/** @type {string} */ name, /** @type {"MEDIUM" | "HIGH"} */ riskTier) =>
  defineCapability({
    capId: `cap.${name}.v1`,
    name,
    description: `Does ${name}.`,
    riskTier,
    ioClass: "WRITE",
    effect: "keyed",
    args: { text: "string" },
    execute({ text }, { operationKey }) {
      const known = existsSync(ledger) ? readFileSync(ledger, "utf8").split("\n") : [];
      if (!known.some((line) => line.startsWith(`${operationKey} `))) {
        appendFileSync(ledger, `${operationKey} ${name} ${text}\n`);
        die(name);
      }
      return { text };
    },
  });

const store = await openSqlite({ file: `${folder}/router.db` });
const dice = defineCapability({
  capId: "cap.dice.v1",
  name: "dice",
  description: "A random number.",
  riskTier: "LOW",
  ioClass: "READ",
  effect: "pure",
  args: {},
  execute: () => ({ number: Math.random() }),
});
const router = createRouter({
  store,
  capabilities: [effect("note", "MEDIUM"), effect("pay", "HIGH"), dice],
  times: { leaseMs: 400 },
});
const client = createClient({
  transport: inProcessTransport(router, principal({ id: "agent", roles: ["user"] })),
  agentId: "test",
});
const sandbox = createSandbox({ language: "javascript", pool: { size: 0 } });
const tools = await programTools(client, { runId: "run-1", traceId: "program-1" });
const storage = await openSqlite({ file: `${folder}/runs.db` });
const code = `
const { number } = await dice({});
const [first] = await router.batch({ calls: [{ name: "note", args: { text: "one " + number } }, { name: "dice", args: {} }] });
const paid = await pay({ text: "paid " + number });
const last = await note({ text: "after " + paid.text });
return { number, texts: [first.value.text, paid.text, last.text] };`;
for (;;) {
  try {
    const run = await sandbox.run(code, {
      tools,
      durable: { storage, id: "run-1", leaseMs: 400 },
    });
    process.stdout.write(`${JSON.stringify(run)}\n`);
    die(run.status);
    break;
  } catch (error) {
    // The lease of the life before.
    if (error.code !== "sandbox/run-live") throw error;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
await sandbox[Symbol.asyncDispose]();
await client.close();
await router.close();
await store.close();
await storage.close();
