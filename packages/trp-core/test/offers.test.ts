import { describe, expect, it } from "vitest";
import { defineCapability } from "../src/catalog/define-capability.ts";
import type { AnyCapability } from "../src/catalog/types.ts";
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
