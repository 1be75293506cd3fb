import { describe, expect, it } from "vitest";
import { firstSentence } from "../src/catalog/first-sentence.ts";
import { Registry } from "../src/catalog/registry.ts";
import type { AnyCapability } from "../src/catalog/types.ts";
import type { Fault } from "../src/frames/fault.ts";
import { principal } from "../src/identity/principal.ts";
import type { SessionRecord } from "../src/store/frame-types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { ada } from "./router-rig.ts";

function capability(word: string, change: Partial<AnyCapability> = {}): AnyCapability {
  return {
    capId: `cap.test.${word}.v1`,
    name: word,
    description: `Does ${word}. And more.`,
    riskTier: "LOW",
    ioClass: "READ",
    effect: "pure",
    args: { text: "string" },
    execute: () => null,
    ...change,
  };
}

const [a, b, c, x] = ["a", "b", "c", "x"].map((word) => capability(word)) as [
  AnyCapability,
  AnyCapability,
  AnyCapability,
  AnyCapability,
];

async function rig(capabilities: AnyCapability[], options: { strictEpoch?: boolean; store?: MemoryStore } = {}) {
  const store = options.store ?? new MemoryStore();
  const registry = new Registry({ store, capabilities, ...options });
  const session = async (who = ada): Promise<SessionRecord> =>
    store.sessions.create({
      id: `s${Math.random()}`,
      tenant: who.tenant,
      principal: who.id,
      agentId: "agent",
      features: [],
      view: await registry.openView(who),
      ttlMs: 60_000,
    });
  const fresh = async ({ id, tenant, principal }: SessionRecord): Promise<SessionRecord> =>
    (await store.sessions.read(id, { tenant, principal })) as SessionRecord;
  return { store, registry, session, fresh };
}

const ids = (rows: { idx: number; cap_id: string }[]): [number, string][] =>
  rows.map(({ idx, cap_id }) => [idx, cap_id]);

describe("registering", () => {
  it("takes all or none", async () => {
    const { registry } = await rig([a]);
    expect(() => registry.register(b, capability("c", { capId: "cap.test.a.v1" }))).toThrow(/registered already/);
    expect(() => registry.register(b, capability("b", { capId: "cap.test.other.v1" }))).toThrow(/name b is taken/);
    expect(() => registry.register(capability("a", { capId: "cap.test.a.v2" }))).toThrow(/name a is taken/);
    expect(registry.visible(ada).map(({ capId }) => capId)).toEqual(["cap.test.a.v1"]);
    expect(registry.get("cap.test.b.v1")).toBeUndefined();
  });

  it("frees id and name with the capability", async () => {
    const { registry } = await rig([a]);
    expect(registry.unregister("cap.test.a.v1")).toBe(true);
    expect(registry.unregister("cap.test.a.v1")).toBe(false);
    registry.register(a);
    expect(registry.get("cap.test.a.v1")?.capId).toBe("cap.test.a.v1");
  });

  it("shows a principal what is for their roles", async () => {
    const { registry } = await rig([a, capability("b", { roles: ["x", "y"] })]);
    const names = (roles: string[]): string[] =>
      registry.visible(principal({ id: "p", roles })).map(({ definition }) => definition.name);
    expect(names([])).toEqual(["a"]);
    expect(names(["z"])).toEqual(["a"]);
    expect(names(["y", "z"])).toEqual(["a", "b"]);
  });

  it("puts the router's own after all others, as long as there is a reason for them", async () => {
    const { registry } = await rig([a]);
    registry.addBuiltIn(x, (others) => others > 1);
    registry.addBuiltIn(c);
    expect(registry.visible(ada).map(({ definition }) => definition.name)).toEqual(["a", "c"]);
    expect(registry.get("cap.test.x.v1")).toBeUndefined();
    registry.register(b);
    expect(registry.visible(ada).map(({ definition }) => definition.name)).toEqual(["a", "b", "x", "c"]);
    expect(() => registry.register(capability("c", { capId: "cap.test.other.v1" }))).toThrow(/taken/);
  });
});

describe("epochs", () => {
  it("rise with every change, also with one that brings an earlier catalog back", async () => {
    const { registry } = await rig([a]);
    const first = await registry.epoch();
    expect(await registry.epoch()).toBe(first);
    registry.register(b);
    const second = await registry.epoch();
    registry.unregister("cap.test.b.v1");
    const third = await registry.epoch();
    expect([second > first, third > second]).toEqual([true, true]);
  });

  it("stay when a change was taken back before anybody saw it", async () => {
    const { registry } = await rig([a]);
    const first = await registry.epoch();
    registry.register(b);
    registry.unregister("cap.test.b.v1");
    expect(await registry.epoch()).toBe(first);
  });

  it("are the same in routers with the same catalog on one store, and survive a restart", async () => {
    const store = new MemoryStore();
    const one = await rig([a, b], { store });
    const epoch = await one.registry.epoch();
    const two = await rig([a, b], { store });
    const other = await rig([a], { store });
    expect(await two.registry.epoch()).toBe(epoch);
    expect(await other.registry.epoch()).not.toBe(epoch);
  });

  it("are one when many ask at once while the catalog changes", async () => {
    const { registry } = await rig([a]);
    const asked = [registry.epoch(), registry.epoch()];
    registry.register(b);
    asked.push(registry.epoch(), registry.epoch());
    const found = await Promise.all(asked);
    expect(await registry.epoch()).toBe(Math.max(...found));
  });
});

describe("alias views (TRP v0.1 draft, 7.1)", () => {
  it("number capabilities in order of registration, before the first sync too", async () => {
    const { registry, session } = await rig([a, b]);
    const opened = await session();
    const found = await registry.resolve(opened, ada, { idx: 1, cap_id: "cap.test.b.v1" }, await registry.epoch());
    expect(found).toMatchObject({ capId: "cap.test.b.v1" });
    const { epoch, rows } = await registry.sync(opened, ada);
    expect(epoch).toBe(await registry.epoch());
    expect(rows[1]).toEqual({
      idx: 1,
      cap_id: "cap.test.b.v1",
      name: "b",
      desc: "Does b.",
      risk_tier: "LOW",
      io_class: "READ",
      arg_template: { text: "string" },
      schema_digest: registry.get("cap.test.b.v1")?.schemaDigest,
    });
  });

  it("append what is new and never use a number again", async () => {
    const { registry, session, fresh } = await rig([a, b]);
    const opened = await session();
    registry.unregister("cap.test.a.v1");
    registry.register(c);
    expect(ids((await registry.sync(opened, ada)).rows)).toEqual([
      [1, "cap.test.b.v1"],
      [2, "cap.test.c.v1"],
    ]);
    registry.unregister("cap.test.c.v1");
    registry.register(x);
    expect(ids((await registry.sync(await fresh(opened), ada)).rows)).toEqual([
      [1, "cap.test.b.v1"],
      [3, "cap.test.x.v1"],
    ]);
    // What comes back has its own number again.
    registry.register(a);
    expect(ids((await registry.sync(await fresh(opened), ada)).rows)).toEqual([
      [0, "cap.test.a.v1"],
      [1, "cap.test.b.v1"],
      [3, "cap.test.x.v1"],
    ]);
  });

  it("are shared by sessions that see the same, and read back from the store", async () => {
    const store = new MemoryStore();
    const one = await rig([a, b], { store });
    const [first, second] = [await one.session(), await one.session()];
    expect(first.view).toBe(second.view);
    const two = await rig([a, b], { store });
    expect(
      await two.registry.resolve(first, ada, { idx: 1, cap_id: "cap.test.b.v1" }, await two.registry.epoch()),
    ).toMatchObject({ capId: "cap.test.b.v1" });
  });

  it("hold when a session is synced by several at once", async () => {
    const { registry, session, fresh } = await rig([a]);
    const opened = await session();
    registry.register(b);
    const wide = principal({ id: ada.id, roles: ["insider"] });
    registry.register(capability("c", { roles: ["insider"] }));
    const all = await Promise.all([
      registry.sync(opened, ada),
      registry.sync(opened, wide),
      registry.sync(opened, ada),
    ]);
    const numbers = new Map<number, Set<string>>();
    for (const { rows } of all) {
      for (const { idx, cap_id } of rows) numbers.set(idx, (numbers.get(idx) ?? new Set()).add(cap_id));
    }
    expect([...numbers.values()].every((names) => names.size === 1)).toBe(true);
    const { rows } = await registry.sync(await fresh(opened), wide);
    expect(rows.map(({ cap_id }) => cap_id).sort()).toEqual(["cap.test.a.v1", "cap.test.b.v1", "cap.test.c.v1"]);
  });
});

describe("resolving (TRP v0.1 draft, 7.2)", () => {
  async function resolver(strictEpoch = false) {
    const { registry, session, fresh } = await rig([a, b, capability("h", { roles: ["insider"] })], { strictEpoch });
    const opened = await session();
    const epoch = await registry.epoch();
    const resolve = async (
      idx: number,
      cap_id: string,
      rest: { epoch?: number; digest?: string; who?: typeof ada } = {},
    ): Promise<string> => {
      const call = { idx, cap_id, ...(rest.digest === undefined ? {} : { schema_digest: rest.digest }) };
      const found = await registry.resolve(await fresh(opened), rest.who ?? ada, call, rest.epoch ?? epoch);
      return "code" in found ? found.code : found.capId;
    };
    return { registry, opened, epoch, resolve, fresh };
  }

  it("needs number and name to agree", async () => {
    const { resolve } = await resolver();
    expect(await resolve(0, "cap.test.a.v1")).toBe("cap.test.a.v1");
    expect(await resolve(1, "cap.test.a.v1")).toBe("TRP_1003");
    expect(await resolve(9, "cap.test.a.v1")).toBe("TRP_1003");
    expect(await resolve(0, "cap.test.nothing.v1")).toBe("TRP_1003");
  });

  it("answers for what is hidden as for what there is not", async () => {
    const { registry, opened, epoch } = await resolver();
    const insider = principal({ id: ada.id, roles: ["insider"] });
    const { rows } = await registry.sync(opened, insider);
    expect(rows.map(({ name }) => name)).toEqual(["a", "b", "h"]);
    const ask = async (cap_id: string): Promise<Fault> =>
      (await registry.resolve(opened, ada, { idx: 2, cap_id }, epoch)) as Fault;
    const hidden = await ask("cap.test.h.v1");
    const unknown = await ask("cap.test.u.v1");
    expect({ ...hidden, message: "" }).toEqual({ ...unknown, message: "" });
    expect(hidden.message.replace(".h.", ".u.")).toBe(unknown.message);
    expect(hidden).toMatchObject({ code: "TRP_1003", retryable: true, retryHint: { action: "SYNC_CATALOG" } });
  });

  it("goes by an older epoch as long as number, name and digest hold", async () => {
    const { registry, epoch, resolve } = await resolver();
    registry.register(c);
    expect(await registry.epoch()).toBeGreaterThan(epoch);
    expect(await resolve(0, "cap.test.a.v1")).toBe("cap.test.a.v1");
    expect(await resolve(0, "cap.test.a.v1", { epoch: 0 })).toBe("cap.test.a.v1");
    expect(await resolve(0, "cap.test.a.v1", { epoch: epoch + 5 })).toBe("TRP_1003");
  });

  it("refuses any older epoch with strictEpoch", async () => {
    const { registry, epoch, resolve } = await resolver(true);
    expect(await resolve(0, "cap.test.a.v1")).toBe("cap.test.a.v1");
    registry.register(c);
    expect(await resolve(0, "cap.test.a.v1")).toBe("TRP_1003");
    expect(await resolve(0, "cap.test.a.v1", { epoch: epoch + 1 })).toBe("cap.test.a.v1");
  });

  it("refuses what has changed since the last sync, and what is gone", async () => {
    const { registry, opened, resolve, fresh } = await resolver();
    registry.unregister("cap.test.a.v1");
    expect(await resolve(0, "cap.test.a.v1")).toBe("TRP_1003");
    registry.register(capability("a", { riskTier: "HIGH", ioClass: "WRITE" }));
    expect(await resolve(0, "cap.test.a.v1")).toBe("TRP_1003");
    await registry.sync(await fresh(opened), ada);
    expect(await resolve(0, "cap.test.a.v1", { epoch: await registry.epoch() })).toBe("cap.test.a.v1");
  });

  it("checks a digest that is given (TRP v0.1 draft, 10.2)", async () => {
    const { registry, resolve } = await resolver();
    const digest = registry.get("cap.test.a.v1")?.schemaDigest as string;
    expect(await resolve(0, "cap.test.a.v1", { digest })).toBe("cap.test.a.v1");
    expect(await resolve(0, "cap.test.a.v1", { digest: "sha256:old" })).toBe("TRP_2007");
    registry.unregister("cap.test.a.v1");
    registry.register(capability("a", { args: { text: "string", "more?": "integer" } }));
    expect(await resolve(0, "cap.test.a.v1", { digest })).toBe("TRP_2007");
    // Who knows the new digest has read the new schema.
    expect(await resolve(0, "cap.test.a.v1", { digest: registry.get("cap.test.a.v1")?.schemaDigest as string })).toBe(
      "cap.test.a.v1",
    );
  });

  it("doesn't trip over a view that the store has lost", async () => {
    const { registry, session } = await rig([a]);
    const lost = { ...(await session()), view: "view_lost" };
    const epoch = await registry.epoch();
    expect(await registry.resolve(lost, ada, { idx: 0, cap_id: "cap.test.a.v1" }, epoch)).toMatchObject({
      code: "TRP_1003",
    });
  });
});

it.each([
  ["Sends an email. To a verified recipient.", "Sends an email."],
  ["Sends an email, e.g. to a friend. Or not.", "Sends an email, e.g. to a friend."],
  ["Costs 1.5 units! Really.", "Costs 1.5 units!"],
  ["发送邮件。很快。", "发送邮件。"],
  ["One\nline\n\nAnother paragraph", "One line"],
  ["No stop", "No stop"],
  ["  Padded.  ", "Padded."],
])("the first sentence of %j is %j", (text, sentence) => {
  expect(firstSentence(text)).toBe(sentence);
});
