import { expect, it } from "vitest";
import { createFetchHandler } from "../../src/http/fetch-handler.ts";
import { bearerToken, bearerTokens, createRouter, defineCapability, MemoryStore } from "../../src/index.ts";

const who = bearerTokens({
  agent: { principal: "agent" },
  boss: { principal: "boss", roles: ["approver"] },
  other: { principal: "other", tenant: "elsewhere", roles: ["approver"] },
});

function rig() {
  const effects: string[] = [];
  const pay = defineCapability({
    capId: "cap.pay.v1",
    name: "pay",
    description: "Pays.",
    riskTier: "HIGH",
    ioClass: "WRITE",
    effect: "opaque",
    args: { to: "string" },
    execute: ({ to }) => effects.push(to),
  });
  const router = createRouter({ capabilities: [pay], store: new MemoryStore(), allowVolatile: true });
  const handle = createFetchHandler(router, { authenticate: (header) => who(bearerToken(header)) });
  const send = async (token: string, path: string, body?: unknown, accept = "application/json") => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", accept };
    const request = { headers, ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }) };
    const answer = await handle(new Request(`http://localhost${path}`, request));
    const text = await answer.text();
    return { status: answer.status, text, json: () => JSON.parse(text) };
  };
  let seq = 0;
  let session: { session_id: string; catalog_epoch: number } | undefined;
  const frame = async (frame_type: string, payload: unknown, accept?: string) => {
    const head = { trp_version: "0.1", frame_type, frame_id: `f${++seq}`, trace_id: "t", timestamp_ms: 0, payload };
    const open = session ?? { session_id: null, catalog_epoch: null };
    return send("agent", "/trp/frame", { ...head, ...open, seq: session === undefined ? null : seq - 1 }, accept);
  };
  return {
    effects,
    router,
    send,
    frame,
    async open() {
      const hello = (await frame("HELLO_REQ", { agent_id: "a", supported_versions: ["0.1"] })).json();
      session = { session_id: hello.session_id, catalog_epoch: hello.catalog_epoch };
    },
    pay: (to: string, accept?: string) =>
      frame(
        "CALL_REQ",
        {
          call_id: `c-${to}`,
          idempotency_key: `k-${to}`,
          idx: 0,
          cap_id: "cap.pay.v1",
          timeout_ms: 1000,
          args: { to },
        },
        accept,
      ),
  };
}

it("brings a call through its approval: refused, shown, decided by somebody else, done once", async () => {
  const { open, pay, send, effects } = rig();
  await open();
  const refused = await pay("ada");
  expect([refused.status, refused.json().payload.error_code]).toEqual([200, "TRP_4002"]);
  const id = refused.json().payload.retry_hint.approval_id as string;
  const [shown] = (await send("boss", "/trp/approvals?status=pending")).json().approvals;
  expect(shown).toMatchObject({ id, capId: "cap.pay.v1", requester: "agent", args: { to: "ada" } });
  expect(shown.text).toContain("ada");
  expect((await send("boss", `/trp/approvals/${id}`)).json().approval.id).toBe(id);
  expect((await send("other", `/trp/approvals/${id}`)).status).toBe(404);
  expect((await send("other", `/trp/approvals/${id}/approve`, {})).status).toBe(404);
  expect((await send("agent", `/trp/approvals/${id}/approve`, {})).status).toBe(403);
  expect(effects).toEqual([]);
  const approved = await send("boss", `/trp/approvals/${id}/approve`, { comment: "fine" });
  expect([approved.status, approved.json().approval.status]).toEqual([200, "approved"]);
  expect((await send("boss", `/trp/approvals/${id}/deny`, {})).status).toBe(409);
  expect((await pay("ada")).json().payload.status).toBe("SUCCESS");
  expect((await pay("ada")).json().payload.status).toBe("SUCCESS");
  expect(effects).toEqual(["ada"]);
});

it("streams the receipt of a call before its outcome", async () => {
  const { open, pay } = rig();
  await open();
  const stream = await pay("ada", "text/event-stream");
  const frames = stream.text
    .split("\n\n")
    .filter(Boolean)
    .map((event) => JSON.parse(event.replace(/^data: /, "")));
  expect(frames.at(-1)).toMatchObject({ frame_type: "NACK", payload: { error_code: "TRP_4002" } });
  for (const receipt of frames.slice(0, -1)) {
    expect(receipt).toMatchObject({ frame_type: "ACK", payload: { ack_of_call_id: "c-ada", status: "ACCEPTED" } });
  }
  expect(frames.length).toBeLessThanOrEqual(2);
});

it("lets only approvers see what is in doubt", async () => {
  const { send } = rig();
  expect((await send("boss", "/trp/operations/in-doubt")).json()).toEqual({ operations: [] });
  expect((await send("agent", "/trp/operations/in-doubt")).status).toBe(403);
  const body = { scope: "nothing", key: "k", result: { state: "not-applied" } };
  expect([403, 404, 409]).toContain((await send("boss", "/trp/operations/resolve", body)).status);
});

it("refuses everything but health when the router closes", async () => {
  const { open, pay, router, send } = rig();
  await open();
  await router.close({ graceMs: 0 });
  expect((await pay("ada")).json().payload.error_code).toBe("TRP_5003");
  expect((await send("boss", "/readyz")).status).toBe(503);
  expect((await send("boss", "/healthz")).status).toBe(200);
});
