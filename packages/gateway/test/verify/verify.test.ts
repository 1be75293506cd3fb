import { MemoryStore } from "@toolglot/trp-core";
import type { ToolCalls } from "@toolglot/trp-mcp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { openTokens } from "../../src/identity/tokens.ts";
import { verifyParts } from "../../src/verify/checks.ts";
import { ownParts, type VerifyParts } from "../../src/verify/parts.ts";
import type { GuaranteeName, VerifyResult } from "../../src/verify/types.ts";
import { verify } from "../../src/verify/verify.ts";
import { bundleProcess } from "./bundle-process.ts";

let bundled: Awaited<ReturnType<typeof bundleProcess>>;
beforeAll(async () => {
  bundled = await bundleProcess();
});
afterAll(() => bundled.remove());

async function configOf(gateway: object = {}, mcpServers: object = { shop: { command: "a-server" } }) {
  const text = JSON.stringify({ mcpServers, gateway: { store: "sqlite:never-opened.db", ...gateway } });
  return loadConfig({ files: [{ name: "toolglot.json", text }], allowVolatile: true });
}

async function check(
  name: GuaranteeName,
  gateway: object = {},
  parts: Partial<VerifyParts> = {},
): Promise<Omit<VerifyResult, "name"> | undefined> {
  const all = { ...ownParts, processFile: bundled.file, ...parts };
  const [{ name: _, ...found }] = (await verifyParts(await configOf(gateway), all, [name])) as [VerifyResult];
  return found;
}

const allow = { version: "1", rules: [{ id: "all", decision: "allow" }] };

/** Calls that are made by a careless gateway. */
function calling(change: (calls: ToolCalls, router: Parameters<VerifyParts["createToolCalls"]>[0]) => ToolCalls) {
  const createToolCalls: VerifyParts["createToolCalls"] = (router, options) =>
    change(ownParts.createToolCalls(router, options), router);
  return { createToolCalls };
}

const approver = { id: "careless", tenant: "default", roles: ["approver"], canDelete: false };

describe("a gateway as it is", () => {
  it("keeps all guarantees, and touches nothing of the configuration's own", async () => {
    const servers = { shop: { command: "no-such-program" }, "My Files": { url: "https://192.0.2.1/mcp" } };
    const config = await configOf({}, servers);
    const results = await verifyParts(config, { ...ownParts, processFile: bundled.file });
    expect(results.filter(({ state }) => state !== "PASS")).toEqual([]);
    expect(results.map(({ name }) => name)).toEqual([
      "changed approval",
      "replayed approval",
      "repeated effect",
      "8 processes one winner",
      "lost reply then retry",
      "unknown tool",
      "no principal",
      "expired token",
      "damaged arguments",
      "altered audit row",
    ]);
  });

  it("keeps them with templates of effects, strict pins, a page-only rule, and rules for roles", async () => {
    const gateway = {
      policy: {
        version: "1",
        rules: [
          { id: "readers", decision: "deny", who: { roles: ["reader"] } },
          { id: "writers", decision: "approve", who: { roles: ["writer"] }, which: { ioClass: "WRITE" } },
        ],
        fallback: "deny",
      },
      servers: {
        shop: { pin: "strict", allow: ["refund_*"], tools: { "refund_*": { effectKey: "refund:{order/id}" } } },
      },
    };
    for (const name of ["changed approval", "replayed approval", "repeated effect", "lost reply then retry"] as const) {
      expect([name, await check(name, gateway)]).toEqual([name, { state: "PASS" }]);
    }
  });
});

describe("what a configuration gives up", () => {
  it("is no guarantee any more, and is said so", async () => {
    const free = { repeat: "free", policy: allow };
    expect(await check("repeated effect", free)).toEqual({
      state: "FAIL",
      detail: 'repeat "free" of shop/verify_write gives this guarantee up: the same effect ran 2 times',
    });
    expect((await check("8 processes one winner", free))?.detail).toContain('repeat "free" of shop/verify_write');
    expect((await check("lost reply then retry", free))?.detail).toContain('repeat "free" of shop/verify_write');
    const reports = { servers: { shop: { damaged: "report" } } };
    expect((await check("damaged arguments", reports))?.detail).toMatch(/^damaged "report" of shop gives/);
  });

  it("does not apply where nothing shows it, and that is no pass", async () => {
    const state = async (name: GuaranteeName, gateway: object) => (await check(name, gateway))?.state;
    expect(await state("changed approval", { mode: "observe" })).toBe("N/A");
    expect(await state("replayed approval", { policy: allow })).toBe("N/A");
    expect(await state("repeated effect", { servers: { shop: { allow: ["verify_read"] } } })).toBe("N/A");
    expect(await state("repeated effect", { repeat: "in-doubt", policy: allow })).toBe("N/A");
    const deny = { version: "1", rules: [{ id: "none", decision: "deny" }] };
    expect(await state("damaged arguments", { policy: deny })).toBe("N/A");
    expect(await state("lost reply then retry", { policy: deny })).toBe("N/A");
    expect(await state("8 processes one winner", { store: "memory" })).toBe("N/A");
    expect(await state("altered audit row", { store: "memory" })).toBe("N/A");
    expect(await state("repeated effect", { store: "memory" })).toBe("PASS");
  });
});

describe("a broken gateway", () => {
  it("is found when it approves what nobody looked at", async () => {
    const parts = calling((calls, router) => ({
      ...calls,
      async call(call, context) {
        const answer = await calls.call(call, context);
        const { approvalId } = answer.outcome;
        const [approved] = await router.approvals.list(approver, { status: "approved" });
        if (approvalId === undefined || approved === undefined) return answer;
        await router.approvals.approve(approver, approvalId);
        return calls.call(call, context);
      },
    }));
    expect(await check("changed approval", {}, parts)).toEqual({
      state: "FAIL",
      detail: "shop__verify_write ran with other arguments than those that were approved",
    });
  });

  it("is found when an approval is good for ever", async () => {
    const parts = calling((calls, router) => ({
      ...calls,
      async again(receipt, context) {
        const answer = await calls.again(receipt, context);
        if (answer.outcome.approvalId === undefined) return answer;
        await router.approvals.approve(approver, answer.outcome.approvalId);
        return calls.again(receipt, context);
      },
    }));
    expect((await check("replayed approval", {}, parts))?.detail).toContain("once more, by toolglot_again");
  });

  it("is found when each call has a key of its own", async () => {
    let count = 0;
    const parts = calling((calls) => ({
      ...calls,
      call: (call, context) => calls.call({ ...call, key: `careless-${count++}` }, context),
    }));
    const found = await check("repeated effect", { policy: allow }, parts);
    expect(found?.detail).toBe("4 calls of shop__verify_write at the same time ran 4 times");
  });

  it("is found when its processes don't share what they know", async () => {
    const parts = { fileOfProcess: (file: string, n: number) => `${file}-${n % 2}` };
    const found = await check("8 processes one winner", { policy: allow }, parts);
    expect(found).toEqual({ state: "FAIL", detail: "2 of 8 processes ran shop__verify_write" });
  });

  it("is found when it forgets what it began", async () => {
    const parts: Partial<VerifyParts> = { openStore: async () => new MemoryStore() };
    const found = await check(
      "lost reply then retry",
      { policy: allow },
      {
        ...parts,
        makeRouter: (made) => ownParts.makeRouter({ ...made, options: { allowVolatile: true } }),
      },
    );
    expect(found?.detail).toBe("shop__verify_write ran again after a restart");
  });

  it("is found when it runs the nearest tool", async () => {
    const parts = calling((calls) => ({
      ...calls,
      call: (call, context) =>
        calls.call({ ...call, tool: { ...call.tool, capId: call.tool.capId.replace("nothing", "read") } }, context),
    }));
    expect((await check("unknown tool", {}, parts))?.state).toBe("FAIL");
  });

  it("is found when it lets somebody in without a token", async () => {
    const createHttpApp: VerifyParts["createHttpApp"] = (options) => {
      const identity = { id: "anybody", principal: approver, mayElicit: true, lenientHeaders: false };
      return ownParts.createHttpApp({ ...options, auth: { ...options.auth, authenticate: async () => identity } });
    };
    expect((await check("no principal", { policy: allow }, { createHttpApp }))?.state).toBe("FAIL");
  });

  it("is found when it doesn't look at the end of a token", async () => {
    const careless: VerifyParts["openTokens"] = async (file, options) => {
      const tokens = await openTokens(file, options);
      const add: typeof tokens.add = ({ expiresAt: _, ...token }) => tokens.add(token);
      return {
        ...{ file: tokens.file, add, revoke: async () => true, close: () => tokens.close() },
        authenticate: (header) => tokens.authenticate(header),
        identity: (id) => tokens.identity(id),
        list: () => tokens.list(),
        onRevoked: (listener) => tokens.onRevoked(listener),
        fault: () => tokens.fault(),
      };
    };
    const found = await check("expired token", {}, { openTokens: careless });
    expect(found?.detail).toBe("a call with a token that is expired was answered 200");
  });

  it("is found when it passes damaged arguments on", async () => {
    const createToolCalls: VerifyParts["createToolCalls"] = (router, options) =>
      ownParts.createToolCalls(router, { ...options, damaged: () => "report" });
    expect((await check("damaged arguments", {}, { createToolCalls }))?.detail).toContain("with damaged arguments");
  });

  it("is found when it believes its log", async () => {
    const makeRouter: VerifyParts["makeRouter"] = (parts) => {
      const router = ownParts.makeRouter(parts);
      const audit = {
        ...router.audit,
        verify: async () => ({ ...(await router.audit.verify()), ok: true, last: { index: 4, hash: "0".repeat(64) } }),
      };
      return new Proxy(router, { get: (of, name) => (name === "audit" ? audit : Reflect.get(of, name)) });
    };
    expect(await check("altered audit row", {}, { makeRouter })).toEqual({
      state: "FAIL",
      detail: "not found: a row that was changed",
    });
  });

  it("is found when it can't even start", async () => {
    const openStore = async (): Promise<never> => {
      throw new Error("no disk");
    };
    expect(await check("no principal", {}, { openStore })).toEqual({ state: "FAIL", detail: "no disk" });
  });
});

it("refuses what is no configuration", async () => {
  expect(() => verify({ settings: {} } as never)).toThrow(TypeError);
});
