import { describe, expect, it } from "vitest";
import { defineCapability } from "../src/catalog/define-capability.ts";
import type { AnyCapability } from "../src/catalog/types.ts";
import type { AliasRow } from "../src/frames/types.ts";
import { type PrincipalInput, principal } from "../src/identity/principal.ts";
import { defaultPolicy } from "../src/policy/decide.ts";
import { createPolicy } from "../src/policy/rules.ts";
import type { PolicyEngine, PolicyRule } from "../src/policy/types.ts";
import { createRouter } from "../src/router/create-router.ts";
import { nackOf, openSession, resultOf } from "./router-rig.ts";

// What the policy denies to a principal whatever the arguments is not in its catalog.

const capability = (name: string, riskTier: "LOW" | "MEDIUM" | "HIGH" | "CRITICAL", ioClass: "READ" | "WRITE") =>
  defineCapability({
    capId: `cap.x.${name}.v1`,
    name,
    description: `Does ${name}.`,
    riskTier,
    ioClass,
    effect: ioClass === "READ" ? "pure" : "opaque",
    args: { n: "string" },
    execute: () => 1,
  }) as AnyCapability;

const capabilities = [
  capability("look", "LOW", "READ"),
  capability("note", "MEDIUM", "WRITE"),
  capability("mail", "HIGH", "WRITE"),
  capability("remove", "CRITICAL", "WRITE"),
];

async function offered(who: Partial<PrincipalInput>, policy?: PolicyEngine, context?: object): Promise<string> {
  const router = createRouter({
    capabilities,
    allowVolatile: true,
    catalogTools: true,
    ...(policy === undefined ? {} : { policy }),
  });
  const session = await openSession(router, { who: principal({ id: "a", ...who }), sync: false });
  const rest = context === undefined ? {} : { auth_context: context as never };
  const reply = await session.send("CATALOG_SYNC_REQ", { mode: "FULL", known_epoch: null }, rest);
  if (reply.frame_type !== "CATALOG_SYNC_RES" || !("alias_table" in reply.payload))
    throw new Error(JSON.stringify(reply.payload));
  const own = reply.payload.alias_table.filter(({ cap_id }) => cap_id.startsWith("cap.x."));
  // The search over the catalog knows the same.
  const visible = router.registry.visible(session.who).filter(({ capId }) => capId.startsWith("cap.x."));
  if (context === undefined) expect(visible.map(({ capId }) => capId)).toEqual(own.map(({ cap_id }) => cap_id));
  return own.map(({ name }) => name).join();
}

const rules = (...list: Omit<PolicyRule, "id">[]): PolicyEngine =>
  createPolicy({ version: "1", rules: list.map((rule, at) => ({ id: `r${at}`, ...rule })) });

describe("the catalog", () => {
  it("of the default policy has no writes for readonly, and nothing CRITICAL for who may not delete", async () => {
    expect(await offered({ canDelete: true })).toBe("look,note,mail,remove");
    expect(await offered({})).toBe("look,note,mail");
    expect(await offered({ roles: ["readonly"], canDelete: true })).toBe("look");
  });

  it.each<[string, PolicyEngine, string]>([
    ["a rule without conditions", rules({ decision: "deny", which: { families: ["cap.x.mail"] } }), "look,note"],
    ["a rule on who", rules({ decision: "deny", who: { principals: ["a"] }, which: { ioClass: "WRITE" } }), "look"],
    ["a rule on others", rules({ decision: "deny", who: { principals: ["b"] } }), "look,note,mail"],
    ["a rule on arguments", rules({ decision: "deny", args: [{ at: "/n", equals: "x" }] }), "look,note,mail"],
    ["a rule on the time", rules({ decision: "deny", when: { notBefore: "2000-01-01T00:00:00Z" } }), "look,note,mail"],
    ["a rate", rules({ decision: "deny", rate: { limit: 1, windowMs: 1_000 } }), "look,note,mail"],
    [
      "an exception for some arguments before a denial",
      rules({ decision: "allow", args: [{ at: "/n", equals: "x" }] }, { decision: "deny" }),
      "look,note,mail,remove",
    ],
    [
      "a denial of some arguments before a denial of all",
      rules({ decision: "deny", args: [{ at: "/n", equals: "x" }] }, { decision: "deny" }),
      "",
    ],
    ["an allowance before what the default denies", rules({ decision: "allow" }), "look,note,mail,remove"],
    ["no rule, and denial as the fallback", createPolicy({ version: "1", rules: [], fallback: "deny" }), ""],
    [
      "an engine that can't say",
      { version: "1", evaluate: (input) => defaultPolicy().evaluate(input) },
      "look,note,mail,remove",
    ],
    [
      "an engine that fails to say",
      {
        version: "1",
        evaluate: (input) => defaultPolicy().evaluate(input),
        deniesAlways: () => {
          throw new Error("broken");
        },
      },
      "look,note,mail,remove",
    ],
  ])("goes by %s", async (_name, policy, expected) => {
    expect(await offered({}, policy)).toBe(expected);
  });

  it("is that of the stricter of both for who is narrowed by auth_context", async () => {
    expect(await offered({}, undefined, { role: "readonly" })).toBe("look");
    expect(await offered({ roles: ["readonly"] }, undefined, { roles: [] })).toBe("look");
    const editors = rules({ decision: "deny", who: { roles: ["guest"] }, which: { ioClass: "WRITE" } });
    expect(await offered({ roles: ["guest", "editor"] }, editors, { roles: ["editor"] })).toBe("look");
  });

  it("keeps the numbers: who calls without having looked is told that it is denied", async () => {
    const router = createRouter({ capabilities, allowVolatile: true });
    const session = await openSession(router);
    const call = { cap_id: "cap.x.remove.v1", idx: 3, args: { n: "1" }, idempotency_key: "k" };
    expect(nackOf(await session.call(call)).error_code).toBe("TRP_4001");
  });
});

describe("what a principal may never have", () => {
  const secret = defineCapability({
    capId: "cap.x.secret.v1",
    name: "secret",
    description: "Does what nobody shall know of.",
    riskTier: "CRITICAL",
    ioClass: "WRITE",
    effect: "opaque",
    args: { account: "string - words that nobody shall read" },
    rules: [
      {
        name: "known-account",
        check: () => "account: must be one of table secret_accounts",
      },
    ],
    examples: [{ args: { account: "secret-1" } }],
    execute: () => 1,
  }) as AnyCapability;
  const all = [capability("look", "LOW", "READ"), secret];
  const address = { idx: 1, cap_id: "cap.x.secret.v1" };
  const told = /secret_accounts|nobody shall|known-account|secret-1|schema|account|key|changed/;

  const open = async (policy?: PolicyEngine) => {
    const router = createRouter({
      capabilities: all,
      allowVolatile: true,
      catalogTools: true,
      ...(policy && { policy }),
    });
    return await openSession(router, { features: ["CALL_DAG"] });
  };

  it.each([
    ["no arguments", {}],
    ["arguments of no schema", { args: { wrong: 1 } }],
    ["arguments that only its own rule refuses", { args: { account: "x" }, idempotency_key: "k".repeat(20) }],
    ["no key", { args: { account: "x" } }],
    ["another schema's digest", { args: {}, schema_digest: `sha256:${"0".repeat(64)}` }],
    ["arguments that safety rules refuse", { args: { account: "../../etc/passwd" } }],
  ])("is only denied, to a call with %s", async (_name, more) => {
    const session = await open();
    const { payload } = await session.call({ ...address, ...more } as never);
    expect(payload).toMatchObject({ error_code: "TRP_4001" });
    expect((payload as { message: string }).message).not.toMatch(told);
  });

  it("is only denied, in a batch and in a graph, wherever references lead", async () => {
    const session = await open();
    const item = { call_id: "s", ...address, idempotency_key: null, depends_on: [], attempt: 1, timeout_ms: 1000 };
    const batch = await session.send("CALL_BATCH_REQ", {
      batch_id: "b",
      max_concurrency: 1,
      calls: [{ ...item, approval_token: null, args: { wrong: 1 } }],
    });
    const [result] = (batch.payload as { results: { error_code: string; message: string }[] }).results;
    expect(result?.error_code).toBe("TRP_4001");
    expect(result?.message).not.toMatch(told);
    for (const args of [{ wrong: 1 }, { account: { $from: "l", path: "/n" } }]) {
      const look = { ...item, call_id: "l", idx: 0, cap_id: "cap.x.look.v1", approval_token: null, args: { n: "1" } };
      const graph = await session.send("CALL_DAG_REQ", {
        dag_id: `d${JSON.stringify(args).length}`,
        max_concurrency: 1,
        calls: [look, { ...item, approval_token: null, args }],
      });
      expect(nackOf(graph)).toMatchObject({ error_code: "TRP_4001" });
      expect(nackOf(graph).message).not.toMatch(told);
    }
  });

  it("is not described, by the frame nor by the catalog's own tools", async () => {
    const session = await open();
    const reply = await session.send("CAP_QUERY_REQ", { ...address, include_examples: true });
    expect(nackOf(reply)).toMatchObject({ error_code: "TRP_4001" });
    expect(JSON.stringify(reply)).not.toMatch(told);
    const [found] = (await session.sync()).filter(({ name }) => name === "catalog_describe");
    const { idx, cap_id } = found as AliasRow;
    const describe = { idx, cap_id };
    const asked = await session.call({ ...describe, args: { cap_id: "cap.x.secret.v1" } });
    const unknown = await session.call({ ...describe, args: { cap_id: "cap.x.nothing.v1" } });
    const words = ({ payload }: typeof asked) => JSON.stringify(payload).replaceAll(/secret|nothing|\d+/g, "");
    expect(words(asked)).toBe(words(unknown));
  });

  it("is denied by rules of one's own in the same way", async () => {
    const session = await open(rules({ decision: "deny", which: { capIds: ["cap.x.secret.*"] } }));
    const { payload } = await session.call({ ...address, args: { account: "x" }, idempotency_key: "k".repeat(20) });
    expect(payload).toMatchObject({ error_code: "TRP_4001" });
  });

  it("says of what is denied with these arguments that it is not free of consent", async () => {
    const some = rules({ decision: "deny", which: { capIds: ["cap.x.look.v1"] }, args: [{ at: "/n", exists: false }] });
    const session = await open(some);
    const reply = await session.send("CAP_QUERY_REQ", { idx: 0, cap_id: "cap.x.look.v1" });
    expect(reply.payload).toMatchObject({ policy_hints: { requires_approval: true } });
  });
});

it("lets a frame ask for readonly, which takes writes away and leaves what is allowed by default", async () => {
  const router = createRouter({ capabilities, allowVolatile: true });
  const session = await openSession(router, { who: principal({ id: "a", roles: ["user"] }) });
  const auth_context = { role: "readonly" };
  const note = { cap_id: "cap.x.note.v1", args: { n: "1" } };
  expect(nackOf(await session.call({ ...note, idempotency_key: "k" }, { auth_context })).error_code).toBe("TRP_4001");
  expect(resultOf(await session.call({ cap_id: "cap.x.look.v1", args: { n: "1" } }, { auth_context })).status).toBe(
    "SUCCESS",
  );
  expect(resultOf(await session.call({ ...note, idempotency_key: "k" })).status).toBe("SUCCESS");
});
