import { createHmac } from "node:crypto";
import { principal } from "@toolglot/trp-core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { sharedPlace } from "../../../../trp-core/test/store-kinds.ts";
import { openWebhook, type Webhook, type WebhookOptions } from "../../../src/http/events/webhook.ts";
import { lost, type Rig, rig, secret } from "../../rig.ts";
import { type Receiver, receiver } from "./receiver.ts";

const ada = principal({ id: "ada", roles: ["approver"] });

function hook({ router, mask }: Rig, { url }: Receiver, more: Partial<WebhookOptions> = {}): Webhook {
  const webhook = openWebhook({
    ...{ router, mask, url, secret: "key", includeArguments: false },
    approvalUrl: (id) => `https://gate.example/approvals/${id}`,
    inDoubtUrl: () => "https://gate.example/approvals/in-doubt",
    times: { firstRetryMs: 20 },
    ...more,
  });
  onTestFinished(() => webhook.close());
  return webhook;
}

/** The webhook knows where the outbox was when it came. */
/** Stores on a disk take a while where many tests run. */
const soon = <T>(act: () => T | Promise<T>): Promise<T> => vi.waitFor(act, { timeout: 10_000 });

const ready = ({ router }: Rig) => soon(async () => expect(await router.outbox.consumers()).toHaveLength(1));

const types = ({ got }: Receiver) => got.map(({ json }) => json.type);

const noted = (type: "audit.head" | "upstream.changed", id: string) => ({
  ...{ type, id, at: new Date().toISOString(), summary: `This is ${id}.`, facts: {} },
});

describe("a webhook", () => {
  it("tells requests, decisions and doubts, signed", async () => {
    const [parts, to] = [await rig(), await receiver()];
    const webhook = hook(parts, to);
    await ready(parts);
    const id = await parts.ask({ order: "A-17" });
    await soon(() => expect(types(to)).toEqual(["approval.requested"]));
    await parts.router.approvals.approve(ada, id);
    await parts.call({ order: "L-1" }, { capId: lost });
    await soon(() =>
      expect(types(to).sort()).toEqual(["approval.decided", "approval.requested", "operation.in_doubt"]),
    );
    const [first] = to.got;
    expect(first?.json).toMatchObject({
      ...{ id: expect.stringMatching(/^evt_\d+$/), approvalId: id, requester: "agent-7", riskTier: "HIGH" },
      ...{ server: "shop", tool: "refund", url: `https://gate.example/approvals/${id}` },
      summary: "agent-7 asks for approval of shop › refund, HIGH risk.",
    });
    expect(first?.body).not.toContain("A-17");
    const [, seconds, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(first?.headers["toolglot-signature"])) ?? [];
    expect(digest).toBe(createHmac("sha256", "key").update(`${seconds}.${first?.body}`).digest("hex"));
    await soon(() => expect(webhook.pending()).toBe(0));
  });

  it("sends arguments when it may, without secrets", async () => {
    const [parts, to] = [await rig(), await receiver()];
    hook(parts, to, { includeArguments: true });
    await ready(parts);
    await parts.ask({ order: "A-17", note: secret });
    await soon(() => expect(to.got).toHaveLength(1));
    expect(to.got[0]?.json).toMatchObject({ arguments: { order: "A-17", note: "[secret SHOP_KEY]" } });
    expect(to.got[0]?.json.text).toContain('"/order" = "A-17"');
    expect(to.got[0]?.body).not.toContain(secret);
  });

  it("tries again, in the order of a record, and holds no other record back", async () => {
    const [parts, to] = [await rig(), await receiver()];
    const webhook = hook(parts, to);
    await ready(parts);
    let blocked = "";
    to.answer = ({ approvalId }) => (approvalId === blocked ? 503 : 200);
    blocked = await parts.ask({ order: "A-1" });
    await parts.router.approvals.deny(ada, blocked);
    const other = await parts.ask({ order: "A-2" });
    const about = () => to.got.map(({ json }) => `${json.type} ${json.approvalId}`);
    await soon(() => expect(about()).toContain(`approval.requested ${other}`));
    const before = about().filter((line) => line.endsWith(blocked));
    blocked = "";
    await soon(() => expect(webhook.pending()).toBe(0));
    const [first, second] = about().filter((line) => !line.endsWith(other));
    expect([first?.split(" ")[0], second?.split(" ")[0]]).toEqual(["approval.requested", "approval.decided"]);
    expect(before.length).toBeLessThan(2);
  });

  it("gives an event up at the end, and goes on", async () => {
    const [parts, to] = [await rig(), await receiver()];
    const log: string[] = [];
    to.answer = ({ type }) => (type === "approval.requested" ? 500 : 200);
    const webhook = hook(parts, to, { log: (line) => log.push(line), times: { firstRetryMs: 5, giveUpMs: 30 } });
    await ready(parts);
    const id = await parts.ask({ order: "A-1" });
    await parts.router.approvals.deny(ada, id);
    await soon(() => expect(types(to)).toEqual(["approval.decided"]));
    expect(log.join("\n")).toContain("gives up");
    await soon(() => expect(webhook.pending()).toBe(0));
  });

  it("follows no redirect, and takes no address in the clear", async () => {
    const [parts, to] = [await rig(), await receiver()];
    to.answer = () => 302;
    const webhook = hook(parts, to);
    await ready(parts);
    await parts.ask({ order: "A-1" });
    await soon(() => expect(webhook.pending()).toBe(1));
    expect(() => hook(parts, { ...to, url: "http://hooks.example/" })).toThrow(
      expect.objectContaining({ code: "config/value" }),
    );
  });

  it("survives the end of its process, and is told by one of several", async () => {
    const place = sharedPlace();
    const open = async () => rig(await place.open());
    const [one, two, to] = [await open(), await open(), await receiver()];
    to.answer = () => 503;
    const first = hook(one, to);
    await ready(one);
    const second = hook(two, to);
    const id = await one.ask({ order: "A-1" });
    await soon(() => expect(first.pending()).toBe(1));
    expect(second.pending()).toBe(0);
    to.answer = () => 200;
    await first.close();
    // Whether the first has got through in its last moment or not: the second tells what is left.
    await two.router.approvals.approve(ada, id);
    await soon(() => expect(types(to)).toContain("approval.decided"));
    expect(new Set(types(to))).toEqual(new Set(["approval.requested", "approval.decided"]));
  });

  it("tells of its own process without waiting for the one that delivers, and its last word before it closes", async () => {
    const place = sharedPlace();
    const open = async () => rig(await place.open());
    const [one, two, to] = [await open(), await open(), await receiver()];
    hook(one, to);
    await ready(one);
    const second = hook(two, to);
    second.notify(noted("upstream.changed", "a"), "shop refund");
    second.notify(noted("upstream.changed", "b"), "shop read");
    await soon(() => expect(to.got.map(({ json }) => json.id).sort()).toEqual(["a", "b"]));
    second.notify(noted("audit.head", "c"));
    await second.close();
    expect(to.got.at(-1)?.json.id).toBe("c");
  });

  it("closes though nobody takes its last word", async () => {
    const [parts, to] = [await rig(), await receiver()];
    to.answer = () => 503;
    const webhook = hook(parts, to, { times: { firstRetryMs: 100_000 } });
    webhook.notify(noted("audit.head", "a"));
    await webhook.close();
    expect(webhook.pending()).toBe(1);
  });

  it("tells only the newest of what has changed while its receiver was away", async () => {
    const [parts, to] = [await rig(), await receiver()];
    to.answer = () => 503;
    const webhook = hook(parts, to);
    webhook.notify(noted("audit.head", "a"));
    await soon(() => expect(webhook.pending()).toBe(1));
    for (const id of ["b", "c", "d"]) webhook.notify(noted("audit.head", id));
    to.answer = () => 200;
    await soon(() => expect(webhook.pending()).toBe(0));
    expect(to.got.at(-1)?.json.id).toBe("d");
    expect(to.got.length).toBeLessThan(3);
  });

  it("writes to chats with a link, and lets nobody write markup there", async () => {
    const [parts, to] = [await rig(), await receiver()];
    const webhook = hook(parts, to, { format: "slack" });
    const event = {
      ...({ type: "upstream.changed", id: "evt_x", at: new Date().toISOString(), facts: {} } as const),
      summary: "<!channel> *shop* & [refund](https://evil.example)\nchanged",
      url: "https://gate.example/approvals",
    };
    webhook.notify(event);
    await soon(() => expect(to.got).toHaveLength(1));
    expect(to.got[0]?.json).toEqual({
      text: "&lt;!channel&gt; *shop* &amp; [refund](https://evil.example)\\nchanged <https://gate.example/approvals|Look at it>",
    });
    await webhook.close();
    hook(parts, to, { format: "teams" }).notify(event);
    await soon(() => expect(to.got).toHaveLength(2));
    const text = String(/"text":"((?:[^"\\]|\\.)*)"/.exec(to.got[1]?.body ?? "")?.[1]);
    expect(JSON.parse(`"${text}"`)).toContain("\\[refund\\]\\(https://evil\\.example\\)");
    expect(text).toContain("[Look at it](https://gate.example/approvals)");
    expect(to.got[1]?.body).not.toContain("actions");
  });
});
