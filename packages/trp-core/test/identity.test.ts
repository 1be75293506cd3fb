import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bearerTokens, isPrincipal, narrow, principal } from "../src/identity/principal.ts";

describe("principal", () => {
  it("has a tenant, no roles and no right to delete unless told", () => {
    expect(principal({ id: "ada" })).toEqual({ tenant: "default", id: "ada", roles: [], canDelete: false });
  });

  it.each([
    [{ id: "" }, /id/],
    [{ id: 5 }, /id/],
    [{ id: "a", tenant: "" }, /tenant/],
    [{ id: "a", roles: "admin" }, /roles/],
    [{ id: "a", roles: [1] }, /roles/],
    [{ id: "a", canDelete: 1 }, /canDelete/],
    [null, /object/],
  ])("refuses %j", (input, message) => {
    expect(() => principal(input as never)).toThrow(message);
    expect(() => principal(input as never)).toThrow(TypeError);
  });
});

describe("narrow (TRP v0.1 draft, 5.2 and 11.3)", () => {
  const who = principal({ id: "ada", roles: ["admin", "editor", "readonly"], canDelete: true });

  it.each([
    [undefined, ["admin", "editor", "readonly"]],
    [null, ["admin", "editor", "readonly"]],
    [{}, ["admin", "editor", "readonly"]],
    [{ user: "somebody", tenant: "other" }, ["admin", "editor", "readonly"]],
    [{ role: "admin" }, ["admin", "readonly"]],
    [{ roles: ["editor", "stranger"] }, ["editor", "readonly"]],
    [{ role: "admin", roles: ["editor"] }, ["readonly"]],
    [{ role: "stranger" }, ["readonly"]],
    [{ roles: [] }, ["readonly"]],
    [{ role: 5 }, ["readonly"]],
    [{ roles: "admin" }, ["readonly"]],
    [{ roles: ["admin", 5] }, ["readonly"]],
    [{ role: null, roles: null }, ["admin", "editor", "readonly"]],
    [["admin"], ["admin", "editor", "readonly"]],
    ["admin", ["readonly"]],
  ])("%j leaves %j", (context, roles) => {
    expect(narrow(who, context)).toEqual({ tenant: "default", id: "ada", canDelete: true, roles });
  });

  it("gives the same principal when nothing changes, so that what was found out about it holds", () => {
    expect(narrow(who, { role: null })).toBe(who);
    expect(narrow(who, { roles: ["admin", "editor"] })).toBe(who);
  });

  it.each([
    [{ role: "readonly" }, ["readonly"]],
    [{ roles: ["readonly", "approver"] }, ["approver", "readonly"]],
    [{ role: "approver", roles: ["readonly"] }, ["readonly"]],
    [{ roles: ["approver"] }, ["approver"]],
  ])("adds readonly to who asks for it, and keeps what is asked for beside it: %j", (context, roles) => {
    const full = principal({ id: "ada", roles: ["approver", "editor"] });
    expect(narrow(full, context).roles).toEqual(roles);
  });

  it("never gives a role but readonly, a tenant, an id or the right to delete, and never takes readonly away", () => {
    const names = fc.constantFrom("admin", "approver", "readonly", "x", "__proto__");
    const context = fc.oneof(
      fc.anything(),
      fc.record(
        {
          role: fc.oneof(names, fc.anything()),
          roles: fc.oneof(fc.array(names), fc.anything()),
          can_delete: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(fc.array(names), fc.boolean(), context, (roles, canDelete, given) => {
        const full = principal({ id: "ada", roles, canDelete });
        const narrowed = narrow(full, given);
        expect({ ...narrowed, roles: [] }).toEqual({ ...full, roles: [] });
        expect(narrowed.roles.every((role) => role === "readonly" || full.roles.includes(role))).toBe(true);
        if (full.roles.includes("readonly")) expect(narrowed.roles).toContain("readonly");
        if (narrowed.roles.includes("readonly") && !full.roles.includes("readonly")) {
          expect(JSON.stringify(given)).toContain('"readonly"');
        }
      }),
    );
  });
});

describe("bearerTokens", () => {
  const find = bearerTokens({
    "token-1": { principal: "ada", roles: ["approver"], can_delete: true, tenant: "acme" },
    "token-2": { principal: "bob" },
  });

  it("knows who a token stands for", () => {
    expect(find("token-1")).toEqual({ tenant: "acme", id: "ada", roles: ["approver"], canDelete: true });
    expect(find("token-2")).toEqual({ tenant: "default", id: "bob", roles: [], canDelete: false });
  });

  it.each([undefined, "", "token-3", "token-1 ", "__proto__", "constructor"])("knows nobody by %j", (token) => {
    expect(find(token)).toBeUndefined();
  });

  it.each([
    [null],
    [[]],
    ["token"],
    [{ "": { principal: "a" } }],
    [{ " t": { principal: "a" } }],
    [{ t: null }],
    [{ t: "ada" }],
    [{ t: {} }],
    [{ t: { principal: 5 } }],
    [{ t: { principal: "a", roles: "admin" } }],
    [{ t: { principal: "a", can_delete: "yes" } }],
    [{ t: { principal: "a", canDelete: true } }],
    [{ t: { principal: "a", tenant: 1 } }],
  ])("refuses the map %j", (map) => {
    expect(() => bearerTokens(map as never)).toThrow(TypeError);
  });

  it("shows no token in its errors", () => {
    expect(() => bearerTokens({ "very-secret": { principal: "" } })).toThrow(/^(?!.*very-secret)/);
  });
});

it("tells principals from what only looks like them", () => {
  expect(isPrincipal(principal({ id: "ada" }))).toBe(true);
  for (const other of [
    undefined,
    null,
    "ada",
    {},
    { id: "ada" },
    { id: "ada", tenant: "t", roles: [1], canDelete: false },
  ]) {
    expect(isPrincipal(other)).toBe(false);
  }
});
