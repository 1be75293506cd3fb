import { principal } from "@toolglot/trp-core";
import { expect, it } from "vitest";
import { storeUnderTest } from "../../../trp-core/test/store-kinds.ts";
import { makeRouter } from "../../src/gateway/make-router.ts";
import { loadConfig } from "../../src/index.ts";
import { rig } from "../rig.ts";

it("lets nobody decide about a tool that is not listed yet who might not decide about it later", async () => {
  const tools = (approvers: string[]) => ({ tools: { "refund*": { approvers } } });
  const text = JSON.stringify({
    mcpServers: { shop: { command: "node" }, post: { command: "node" } },
    gateway: { servers: { shop: tools(["finance", "boss"]), post: tools(["legal"]) } },
  });
  const { settings, policy, servers } = await loadConfig({ files: [{ name: "roles.json", text }] });
  const store = await storeUnderTest();
  const router = makeRouter({
    ...{ settings, store, policy, secret: "key", servers, tool: () => undefined, options: { allowVolatile: true } },
    onError: (error) => expect.unreachable(String(error)),
  });
  const { call, agentPrincipal } = await rig(store, router);
  await call({ order: "1" }, { key: "1" });
  const [{ id } = { id: "" }] = await router.approvals.list(agentPrincipal, { status: "pending" });
  const decide = (...roles: string[]) => router.approvals.approve(principal({ id: "ada", roles }), id);
  for (const roles of [["approver"], ["approver", "boss"], ["finance", "legal"]]) {
    await expect(decide(...roles), roles.join()).rejects.toMatchObject({ code: "trp/approval-not-allowed" });
  }
  expect(await decide("approver", "boss", "legal")).toMatchObject({ status: "approved" });
  await router.close();
});
