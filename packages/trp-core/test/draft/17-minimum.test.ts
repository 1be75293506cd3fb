import { afterEach, describe, expect, it } from "vitest";
import { type AnyCapability, issueApprovalToken, principal } from "../../src/index.ts";
import { deleteId, mail, mailId, opener, queryId, type Reply, searchId, secret, start } from "./harness.ts";

const { open, closeAll } = opener();
afterEach(closeAll);

const codeOf = ({ frame_type, payload }: Reply): string => payload.error_code ?? `${frame_type} ${payload.status}`;

const detail: AnyCapability = {
  ...{ capId: "cap.doc.read.v1", name: "doc_read", description: "Reads a document", riskTier: "LOW", ioClass: "READ" },
  ...{ effect: "pure", args: { id: "string" }, execute: ({ id }) => ({ id, title: `no. ${id}` }) },
};

describe("draft 17.3: the five classes of capabilities to begin with", () => {
  it("17.3 lets each class do what its risk allows, and asks for what it needs", async () => {
    const remover = principal({ id: "agent-2", canDelete: true });
    const { open: session } = await open({ more: [detail] });
    const { call, done } = await session(remover);
    // Search and details, LOW.
    expect(codeOf(await call(searchId, { query: "a" }))).toBe("RESULT SUCCESS");
    expect(codeOf(await call(detail.capId, { id: "7" }, { idx: 5 }))).toBe("RESULT SUCCESS");
    // A structured query, MEDIUM.
    expect(codeOf(await call(queryId, { sql: "SELECT 1" }))).toBe("TRP_4003");
    expect(codeOf(await call(queryId, { sql: "SELECT 1" }, { idempotency_key: "q" }))).toBe("RESULT SUCCESS");
    // A write, HIGH: a key, and somebody's consent. Deletion, CRITICAL: the same, and the right to delete.
    for (const [capId, args] of [
      [mailId, mail],
      [deleteId, { id: "7" }],
    ] as const) {
      expect(codeOf(await call(capId, args))).toBe("TRP_4003");
      expect(codeOf(await call(capId, args, { idempotency_key: capId }))).toBe("TRP_4002");
      const approval_token = issueApprovalToken({ secret, capId, args, ttlMs: 60_000, now: start });
      const reply = await call(capId, args, { idempotency_key: capId, approval_token });
      expect(codeOf(reply)).toBe("RESULT SUCCESS");
    }
    expect(done.map(([name]) => name)).toEqual(["search", "query", "mail", "delete"]);
  });
});
