// Two routers share one SQLite file. A call with one key goes through both of them at the same time, and once more after
// the first router is gone: its effect happens once.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "@toolglot/sqlite";
import { createClient, inProcessTransport } from "@toolglot/trp-client";
import { createRouter, defineCapability, principal } from "@toolglot/trp-core";

const tickets = [];
const openTicket = defineCapability({
  capId: "cap.ticket.open.v1",
  name: "open_ticket",
  description: "Opens a ticket.",
  riskTier: "MEDIUM",
  ioClass: "WRITE",
  effect: "opaque",
  args: { title: "string" },
  execute: ({ title }) => ({ ticket: tickets.push(title) }),
});

// In production these are two processes. Here each router has its own connection to the file.
async function openRouter(file) {
  const store = await openSqlite({ file });
  const router = createRouter({ store, capabilities: [openTicket] });
  const client = createClient({
    transport: inProcessTransport(router, principal({ id: "agent-7" })),
    agentId: "example",
  });
  const call = () => client.callByCap("cap.ticket.open.v1", { title: "It overheats" }, { key: "mail-4711" });
  // The store is yours: close it after the router.
  const close = async () => {
    await client.close();
    await router.close();
    await store.close();
  };
  return { store, call, close };
}

const folder = await mkdtemp(join(tmpdir(), "example-"));
try {
  const file = join(folder, "router.db");
  const [one, two] = [await openRouter(file), await openRouter(file)];
  const { durability } = one.store;

  const both = await Promise.all([one.call(), two.call()]);
  for (const { status, result, replayedFrom } of both) {
    console.log(status, result.data, replayedFrom === undefined ? "did it" : "repeats the other's answer");
  }

  await one.close();
  const later = await two.call();
  console.log(later.status, later.result.data, `kept on: ${durability}`);
  await two.close();

  assert.deepEqual(
    both.map(({ status }) => status),
    ["success", "success"],
  );
  assert.equal(both.filter(({ replayedFrom }) => replayedFrom === undefined).length, 1);
  assert.deepEqual(later.result.data, { ticket: 1 });
  assert.deepEqual(tickets, ["It overheats"]);
  assert.equal(durability, "disk");
} finally {
  await rm(folder, { recursive: true, force: true });
}
