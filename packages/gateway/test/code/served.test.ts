import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { JsonObject } from "@toolglot/core";
import { principal } from "@toolglot/trp-core";
import { afterEach, describe, expect, it } from "vitest";
import { type Opened, open, shopServer } from "../gateway/support.ts";

const ended: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

/** A gateway with a shop, whose face is `code`, and a client of it. */
async function shop(
  options: ConstructorParameters<typeof Client>[1] = {},
  folder: string = mkdtempSync(join(tmpdir(), "toolglot-code-")),
): Promise<Opened & { client: Client; done(): string; run(args: JsonObject): Promise<Answered> }> {
  const settings = { face: "code", code: { languages: ["javascript"] }, approvals: { waitMs: 0 } };
  const opened = await open({ shop: shopServer(folder) }, settings, {}, folder);
  const { gateway, token } = opened;
  ended.push(() => gateway.close());
  await gateway.settled();
  const { url } = await gateway.listen();
  const client = new Client({ name: "test", version: "1" }, options);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  ended.push(() => client.close());
  const done = (): string => {
    const file = join(folder, "done.txt");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  };
  const run = async (args: JsonObject) =>
    (await client.callTool({ name: "toolglot_run", arguments: args })) as unknown as Answered;
  return { ...opened, client, done, run };
}

interface Answered {
  content: { text: string }[];
  isError?: boolean;
  _meta: { "toolglot/outcome": { status: string; receipt: string; approvalId?: string } };
}

const eras = [
  ["2025-11-25", {}],
  ["2026-07-28", { versionNegotiation: { mode: "auto" } }],
] as const;
const program = `const notes = await tools.shop.add_note({ id: "1" });
const refunds = await Promise.all(["1", "2"].map((id) => tools.shop.refund({ id })));
return [notes, ...refunds].map(({ order }) => order);`;
const ada = principal({ id: "ada", roles: ["approver"] });

describe.each(eras)("a client of %s", (_, era) => {
  it("sees three tools, finds others, and calls them in a program alone", async () => {
    const { client, run } = await shop(era);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual([
      "toolglot_search",
      "toolglot_describe",
      "toolglot_run",
      "toolglot_again",
      "toolglot_status",
    ]);
    const found = await client.callTool({ name: "toolglot_search", arguments: { query: "read order" } });
    expect(JSON.stringify(found.content)).toContain("shop__read_order(id)");
    const { content, _meta } = await run({ code: `return (await tools["shop__read_order"]({ id: "7" })).order` });
    expect(content).toEqual([{ type: "text", text: "7" }]);
    expect(_meta["toolglot/outcome"].status).toBe("done");
    const directly = client.callTool({
      name: "toolglot_call",
      arguments: { name: "shop__read_order", arguments: { id: "1" } },
    });
    await expect(directly).rejects.toThrow(/not found/);
  });

  it("is asked about each call that is HIGH, and each is done once", async () => {
    const { client, done, run } = await shop({ ...era, capabilities: { elicitation: { form: {} } } });
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { decision: "approve" } };
    });
    const { content } = await run({ code: program });
    expect(JSON.parse(content[0]?.text ?? "")).toEqual(["1", "1", "2"]);
    expect(asked).toHaveLength(2);
    expect(done().split("\n").sort()).toEqual(["", "add_note 1", "refund 1", "refund 2"]);
  });

  it("goes on with a program in another gateway on the store, after somebody has approved", async () => {
    const before = await shop(era);
    const first = await before.run({ code: program });
    const { status, receipt } = first._meta["toolglot/outcome"];
    expect(status).toBe("pending");
    expect(first.isError).toBe(true);
    expect(before.done()).toBe("add_note 1\n");
    for (const end of ended.splice(0).reverse()) await end();
    const after = await shop(era, before.folder);
    const told = await after.client.callTool({ name: "toolglot_status", arguments: { receipt } });
    expect(JSON.stringify(told.content)).toContain("toolglot_run");
    for (const { id } of await after.gateway.router.approvals.list(ada)) {
      await after.gateway.router.approvals.approve(ada, id);
    }
    const second = await after.run({ resume: receipt });
    expect(JSON.parse(second.content[0]?.text ?? "")).toEqual(["1", "1", "2"]);
    expect(after.done().split("\n").sort()).toEqual(["", "add_note 1", "refund 1", "refund 2"]);
  });
});
