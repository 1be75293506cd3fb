// A mail is a risk, so the router asks a person first. The agent sends the same call with the same key as often as it
// likes: the mail goes out once, after the approval.
import assert from "node:assert/strict";
import { createClient, inProcessTransport } from "@toolglot/trp-client";
import { createRouter, defineCapability, principal } from "@toolglot/trp-core";

const sent = [];
const sendMail = defineCapability({
  capId: "cap.mail.send.v1",
  name: "send_mail",
  description: "Sends a mail to a customer.",
  riskTier: "HIGH", // By the default policy, HIGH and CRITICAL wait for a person.
  ioClass: "WRITE",
  effect: "opaque", // A mail can be neither repeated without harm nor looked up, so it is never sent by guess.
  args: { to: "string", subject: "string" },
  execute: ({ to }) => ({ position: sent.push(to) }),
});

// A store in memory forgets what was done, so you have to allow effects on it. Use sqlite in earnest.
const router = createRouter({ capabilities: [sendMail], allowVolatile: true });
const agent = principal({ id: "agent-7" });
const ada = principal({ id: "ada", roles: ["approver"] });
const client = createClient({ transport: inProcessTransport(router, agent), agentId: "example" });

// The key comes from what causes the call, here the order. The same key is the same operation.
const mail = { to: "kim@example.com", subject: "Your lantern" };
const call = () => client.callByCap("cap.mail.send.v1", mail, { key: "order-1042" });

const asked = await call();
console.log(`1: ${asked.status}, ${asked.error.code}: ${asked.error.message}`);
const sentBefore = sent.length;

// This is what you show to the person who decides.
const [request] = await router.approvals.list(ada, { status: "pending" });
console.log(router.approvals.render(request));

// Nobody approves a request of their own.
const own = await router.approvals.approve(agent, request.id).catch((error) => error);
console.log(`${agent.id}: ${own.message}`);
await router.approvals.approve(ada, request.id, "fine");

const done = await call();
console.log(`2: ${done.status}`, done.result.data);
const again = await call();
console.log(`3: ${again.status}`, again.result.data, `a replay of call 2: ${again.replayedFrom === done.callId}`);
const audit = await router.audit.verify();

await client.close();
await router.close();

assert.equal(asked.status, "refused");
assert.equal(asked.error.code, "TRP_4002");
assert.equal(asked.error.retryHint.approval_id, request.id);
assert.equal(sentBefore, 0);
assert.equal(own.code, "trp/approval-own-request");
assert.equal(done.status, "success");
assert.equal(again.status, "success");
assert.equal(again.replayedFrom, done.callId);
assert.deepEqual(sent, ["kim@example.com"]);
assert.ok(audit.ok);
