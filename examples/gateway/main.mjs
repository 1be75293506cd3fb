// An agent works with two servers through a gateway. It reads, a person is asked about a refund, the same refund again pays nothing,
// and what the rules forbid does not happen. `toolglot.json` has the servers and the rules.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

// What starts a gateway; `node main.mjs PROGRAM ARGUMENT…` says another.
const [command = "npx", ...args] = process.argv.length > 2 ? process.argv.slice(2) : ["npx", "toolglot"];
const stateDir = mkdtempSync(join(tmpdir(), "toolglot-example-"));
const config = join(import.meta.dirname, "toolglot.json");
const flags = ["gateway", "--stdio", "--config", config, "--state-dir", stateDir, "--log", "silent"];

const client = new Client({ name: "example", version: "1.0.0" }, { capabilities: { elicitation: { form: {} } } });
// The person at the client. Here a script says yes; an editor or a chat shows a dialogue.
let asked = 0;
client.setRequestHandler("elicitation/create", ({ params }) => {
  asked += 1;
  console.log(`\n  The person is asked:\n${params.message.replaceAll(/^/gm, "    ")}\n`);
  return { action: "accept", content: { decision: "approve" } };
});

async function call(name, given) {
  const { content, _meta } = await client.callTool({ name, arguments: given });
  const outcome = _meta["toolglot/outcome"];
  console.log(`${name}: ${outcome.status}${outcome.code ? ` (${outcome.code})` : ""}`);
  for (const { text } of content) console.log(`  ${text}`);
  return { outcome, text: content.map(({ text }) => text).join("\n") };
}

try {
  await client.connect(new StdioClientTransport({ command, args: [...args, ...flags] }));
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  console.log(`Tools: ${names.join(", ")}\n`);
  // A rule that always denies takes a tool out of the list.
  assert.ok(names.includes("shop__refund") && !names.includes("notes__clear_notes"));

  const order = await call("shop__get_order", { id: "A-1" });
  assert.equal(order.outcome.status, "done");

  const refund = await call("shop__refund", { id: "A-1", amount: 15 });
  assert.equal(refund.outcome.status, "done");
  assert.equal(asked, 1);

  // An agent whose answer was lost asks again. Nobody is asked, and nothing is paid.
  const again = await call("shop__refund", { id: "A-1", amount: 15 });
  assert.equal(again.outcome.status, "replayed");
  assert.equal(asked, 1);
  const after = await call("shop__get_order", { id: "A-1" });
  assert.ok(after.text.includes('"refunded":15'));

  const large = await call("shop__refund", { id: "A-2", amount: 900 });
  assert.equal(large.outcome.status, "refused");
  assert.ok(!large.outcome.dispatched);
  assert.equal(asked, 1);
} finally {
  await client.close();
  rmSync(stateDir, { recursive: true, force: true, maxRetries: 5 });
}
