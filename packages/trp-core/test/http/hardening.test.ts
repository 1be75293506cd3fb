import { ToolglotError } from "@toolglot/core";
import { expect, it } from "vitest";
import { createFetchHandler } from "../../src/http/fetch-handler.ts";
import type { Principal } from "../../src/identity/types.ts";
import { createRouter } from "../../src/router/create-router.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { ada, boss, helloFrame, ledger, nackOf, openSession } from "../router-rig.ts";

const post = { method: "POST", headers: { "content-type": "application/json" } };

it.each<[number, unknown]>([
  [401, undefined],
  [401, null],
  [500, "ada"],
  [500, { id: "ada" }],
  [500, { id: "ada", tenant: "default", roles: "no-approver", canDelete: false }],
])("answers %i when authenticate says %j", async (status, said) => {
  const router = createRouter();
  for (const answer of [said, Promise.resolve(said)]) {
    const handle = createFetchHandler(router, { authenticate: () => answer as Principal });
    const frame = { ...post, body: JSON.stringify(helloFrame()) };
    expect((await handle(new Request("http://localhost/trp/frame", frame))).status).toBe(status);
    expect((await handle(new Request("http://localhost/trp/approvals"))).status).toBe(status);
    expect((await handle(new Request("http://localhost/trp/operations/in-doubt"))).status).toBe(status);
  }
  await router.close();
});

it("tells nobody what a store says of its troubles", async () => {
  const store = new MemoryStore();
  const router = createRouter({ store });
  const fail = async (): Promise<never> => {
    throw new ToolglotError("trp/store-failed", "/srv/secret/trp.db failed: SELECT id FROM approvals", { data: {} });
  };
  Object.assign(store.approvals, { list: fail, read: fail, decide: fail });
  Object.assign(store.operations, { list: fail, read: fail });
  const handle = createFetchHandler(router, { authenticate: () => boss });
  const resolve = JSON.stringify({ scope: "s", key: "k", result: { state: "not-applied" } });
  for (const [path, init] of [
    ["approvals", {}],
    ["approvals/apr_1", {}],
    ["approvals/apr_1/approve", { method: "POST" }],
    ["operations/in-doubt", {}],
    ["operations/resolve", { ...post, body: resolve }],
  ] as const) {
    const answer = await handle(new Request(`http://localhost/trp/${path}`, init));
    expect(answer.status).toBe(503);
    expect(await answer.text()).not.toMatch(/secret|SELECT|sqlite/);
  }
  await router.close();
});

it("answers a request whose body was read already", async () => {
  const router = createRouter();
  const handle = createFetchHandler(router, { authenticate: () => ada });
  const request = new Request("http://localhost/trp/frame", { ...post, body: "{}" });
  await request.text();
  expect((await handle(request)).status).toBe(400);
  await router.close();
});

it("lists a requester's own approvals, however many others ask", async () => {
  const router = createRouter({ capabilities: ledger().capabilities, allowVolatile: true });
  const ask = async (who: Principal, count: number): Promise<void> => {
    const session = await openSession(router, { who });
    for (let index = 0; index < count; index++) {
      const mail = { cap_id: "cap.test.mail.v1", idempotency_key: `k${index}`, args: { text: `${index}` } };
      expect(nackOf(await session.call(mail)).error_code).toBe("TRP_4002");
    }
  };
  const carl: Principal = { ...boss, id: "carl" };
  await ask(ada, 1);
  await ask(carl, 1);
  await ask({ ...ada, id: "eve" }, 101);
  expect(await router.approvals.list(ada)).toMatchObject([{ requester: "ada" }]);
  const seen = await router.approvals.list(boss, { limit: 3 });
  expect(seen.map(({ requester }) => requester)).toEqual(["eve", "eve", "eve"]);
  const all = await router.approvals.list(boss, { limit: 1_000 });
  expect(all.map(({ requester }) => requester)).toEqual([...Array(101).fill("eve"), "carl", "ada"]);
  expect(await router.approvals.list(carl)).toHaveLength(100);
  await router.close();
});

it("refuses what is big and deep before it is parsed, and nothing else", async () => {
  const router = createRouter();
  const handle = createFetchHandler(router, { authenticate: () => ada });
  const send = async (body: string): Promise<{ status: number; text: string }> => {
    const answer = await handle(new Request("http://localhost/trp/frame", { ...post, body }));
    return { status: answer.status, text: await answer.text() };
  };
  const deep = (levels: number, text = "x".repeat(70_000)): string =>
    JSON.stringify(helloFrame({ agent_id: "a" }, { auth_context: { text, at: 0 } })).replace(
      '"at":0',
      () => `"at":${"[".repeat(levels)}${"]".repeat(levels)}`,
    );
  expect(await send("[".repeat(100_000) + "]".repeat(100_000))).toMatchObject({ status: 400 });
  expect(await send(deep(63))).toMatchObject({ status: 400, text: expect.stringContaining("64 levels") });
  expect(await send(deep(62))).toMatchObject({ status: 200, text: expect.stringContaining("HELLO_RES") });
  const brackets = '[{"\\[{'.repeat(12_000);
  expect(await send(deep(1, brackets))).toMatchObject({ status: 200, text: expect.stringContaining("HELLO_RES") });
  expect(await send(deep(63, "short"))).toMatchObject({ status: 200, text: expect.stringContaining("TRP_2000") });
  await router.close();
});
