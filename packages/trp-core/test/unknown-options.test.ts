import { expect, it } from "vitest";
import { createFetchHandler } from "../src/http/fetch-handler.ts";
import {
  createRouter,
  createSafetyRules,
  defineCapability,
  issueApprovalToken,
  MemoryStore,
  principal,
  verifyApprovalToken,
} from "../src/index.ts";
import { serveHttp } from "../src/node/index.ts";
import { createPolicy } from "../src/policy/rules.ts";

// A misspelt option must not become none.

const router = createRouter();
const authenticate = () => principal({ id: "a" });
const capability = {
  capId: "cap.x.read.v1",
  name: "read",
  description: "Reads.",
  riskTier: "LOW" as const,
  ioClass: "READ" as const,
  effect: "pure" as const,
  args: {},
  execute: () => 1,
};

it.each<[string, () => unknown, string]>([
  [
    "createRouter",
    () => createRouter({ polcy: {} } as never),
    'createRouter has no option "polcy". Did you mean "policy"?',
  ],
  [
    "its limits",
    () => createRouter({ limits: { frameByte: 1 } } as never),
    'createRouter: limits has no option "frameByte"',
  ],
  ["its times", () => createRouter({ times: { leas: 1 } } as never), 'createRouter: times has no option "leas"'],
  ["MemoryStore", () => new MemoryStore({ keepRows: 1 } as never), 'MemoryStore has no option "keepRows"'],
  ["createPolicy", () => createPolicy({ version: "1", rule: [] } as never), 'createPolicy has no option "rule"'],
  ["createSafetyRules", () => createSafetyRules({ maxdepth: 1 } as never), 'Did you mean "maxDepth"?'],
  [
    "principal",
    () => principal({ id: "a", role: ["x"] } as never),
    'principal has no option "role". Did you mean "roles"?',
  ],
  ["issueApprovalToken", () => issueApprovalToken({ ttl: 1 } as never), 'issueApprovalToken has no option "ttl"'],
  [
    "createFetchHandler",
    () => createFetchHandler(router, { authenticate, allowedHost: ["x"] } as never),
    'createFetchHandler has no option "allowedHost"',
  ],
  [
    "its limits",
    () => createFetchHandler(router, { authenticate, limits: { bodyByte: 1 } } as never),
    'limits has no option "bodyByte"',
  ],
  [
    "defineCapability",
    () => createRouter({ capabilities: [defineCapability({ ...capability, maxTimeout: 5 } as never)] }),
    'has no option "maxTimeout". Did you mean "maxTimeoutMs"?',
  ],
  [
    "verifyApprovalToken",
    () => verifyApprovalToken("t", { secret: "s" } as never),
    'verifyApprovalToken has no option "secret". Did you mean "secrets"?',
  ],
  [
    "approvals.list",
    () => router.approvals.list(authenticate(), { states: "denied" } as never),
    'approvals.list has no option "states"',
  ],
  ["audit.read", () => router.audit.read({ since: 1 } as never), 'audit.read has no option "since"'],
  ["close", () => router.close({ grace: 1 } as never), 'close has no option "grace"'],
])("is refused with the name that is meant: %s", async (_name, make, message) => {
  await expect((async () => make())()).rejects.toThrow(message);
  await expect((async () => make())()).rejects.toThrow(TypeError);
});

it("is refused by what answers with a promise, too", async () => {
  await expect(serveHttp(router, { authenticate, prot: 1 } as never)).rejects.toThrow('Did you mean "port"?');
  await expect(router.audit.verify({ expects: {} } as never)).rejects.toThrow('Did you mean "expect"?');
});
