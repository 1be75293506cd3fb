import { settleWithin } from "@toolglot/internal";
import { afterEach, describe, expect, it } from "vitest";
import type { AnyCapability } from "../../src/catalog/types.ts";
import { featuresOnRequest } from "../../src/frames/features.ts";
import type { Feature } from "../../src/frames/types.ts";
import { agent, gate, noteId, opener, type Reply, type Rig, searchId } from "./harness.ts";

const { open, closeAll } = opener();
afterEach(closeAll);

const plainFeatures = ["CATALOG_SYNC", "CALL", "CALL_BATCH", "APPROVAL", "ASYNC"];
const failingId = "cap.test.failing.v1";
const failing: AnyCapability = {
  ...{ capId: failingId, name: "failing", description: "Fails", riskTier: "LOW", ioClass: "READ", effect: "pure" },
  ...{ args: {}, execute: () => Promise.reject(new Error("no")) },
};

/** What a session without the feature, and one with it, see of it. */
interface Probe {
  look(session: Rig): Promise<unknown>;
  plain: unknown;
  granted: unknown;
}

const codeOrType = ({ frame_type, payload }: Reply): string => payload.error_code ?? frame_type;
const search = (call_id: string) => ({
  ...{ call_id, idempotency_key: null, idx: 0, cap_id: searchId, depends_on: [], attempt: 1 },
  ...{ timeout_ms: 5_000, approval_token: null, args: { query: "a" } },
});

const probes: Record<string, Probe> = {
  CATALOG_DELTA: {
    async look({ send, sync, session }) {
      await sync();
      const { payload } = await send("CATALOG_SYNC_REQ", { mode: "DELTA", known_epoch: session.epoch });
      return Object.keys(payload).sort();
    },
    plain: ["alias_table", "catalog_epoch", "ttl_sec"],
    granted: expect.arrayContaining(["added", "changed", "removed", "mode", "base_epoch"]),
  },
  CALL_DAG: {
    look: async ({ send }) =>
      codeOrType(await send("CALL_DAG_REQ", { dag_id: "d", max_concurrency: 1, calls: [search("dag-1")] })),
    plain: "TRP_5000",
    granted: "CALL_DAG_RES",
  },
  CANCEL: {
    look: async ({ send }) => codeOrType(await send("CANCEL_REQ", { call_id: "nobody" })),
    plain: "TRP_5000",
    granted: "CANCEL_RES",
  },
  RESULT_FAILED: {
    async look({ call }) {
      const { frame_type, payload } = await call(failingId, {});
      return [frame_type, payload.status, payload.dispatched];
    },
    plain: ["NACK", undefined, true],
    granted: ["RESULT", "FAILED", undefined],
  },
  SEQ_WINDOW: {
    async look({ raw, frame, session }) {
      const { seq } = session;
      const [late, early] = ["late", "early"].map((id, n) => frame("CALL_REQ", search(id), { seq: seq + 1 - n }));
      const ahead = raw(late);
      // Which of two comes first to a store is the store's matter; a frame that waits is still waiting then.
      await settleWithin(ahead, { ms: 500 });
      const first = await raw(early);
      const answers = [codeOrType(await ahead), codeOrType(first)];
      session.seq += answers[0] === "RESULT" ? 2 : 1;
      return answers;
    },
    plain: ["TRP_1002", "RESULT"],
    granted: ["RESULT", "RESULT"],
  },
};

describe("draft 18: what is beyond v0.1 is negotiated", () => {
  it("has a probe for each feature", () => {
    expect(Object.keys(probes).sort()).toEqual([...featuresOnRequest].sort());
  });

  it("gives a plain session none, nor one that asks for what there isn't", async () => {
    const { open: session } = await open({ more: [failing], times: { seqWaitMs: 10_000 } });
    for (const payload of [{}, { features: [] }, { features: ["TIME_TRAVEL"] }]) {
      const plain = await session(agent, payload);
      for (const [name, { look, plain: seen }] of Object.entries(probes)) expect(await look(plain), name).toEqual(seen);
    }
  });

  it.each(featuresOnRequest)("gives %s alone to a session that asks for it alone", async (feature: Feature) => {
    const { open: session, raw, frame } = await open({ more: [failing], times: { seqWaitMs: 10_000 } });
    const hello = await raw({
      ...frame("HELLO_REQ", { agent_id: "a", supported_versions: ["0.1"], features: [feature] }),
      ...{ session_id: null, catalog_epoch: null, seq: null },
    });
    expect(hello.payload.features).toEqual([...plainFeatures, feature]);
    const asked = await session(agent, { features: [feature] });
    for (const [name, { look, plain, granted }] of Object.entries(probes)) {
      expect(await look(asked), name).toEqual(name === feature ? granted : plain);
    }
  });

  it("shows a plain session only frames and fields of the draft, whatever it asks for", async () => {
    const waiting = gate({ capId: "cap.test.slow.v1" });
    // What goes without a key is told only to who has asked for something.
    const { sync, send, call, session, raw, frame } = await open({ more: [waiting], keylessReads: true });
    const hello = await raw({
      ...frame("HELLO_REQ", { agent_id: "a", supported_versions: ["0.1"], resume_session_id: null }),
      ...{ session_id: null, catalog_epoch: null, seq: null },
    });
    expect(Object.keys(hello.payload).sort()).toEqual(
      ["session_id", "server_version", "catalog_epoch", "retry_budget", "seq_start", "features"].sort(),
    );
    const table = await sync();
    expect(Object.keys(table.payload).sort()).toEqual(["alias_table", "catalog_epoch", "ttl_sec"]);
    for (const row of table.payload.alias_table) {
      expect(Object.keys(row).sort()).toEqual(
        ["arg_template", "cap_id", "desc", "idx", "io_class", "name", "risk_tier", "schema_digest"].sort(),
      );
    }
    const types = new Set<string>([hello.frame_type, table.frame_type]);
    const seen = (reply: Reply): Reply => {
      types.add(reply.frame_type);
      return reply;
    };
    seen(await send("CAP_QUERY_REQ", { idx: 0, cap_id: searchId }));
    seen(await call(searchId, { query: "a" }));
    seen(await call(noteId, { text: "a" }));
    seen(await send("CALL_BATCH_REQ", { batch_id: "b", max_concurrency: 1, calls: [search("b1")] }));
    const running = seen(await call(waiting.capId, {}, { idx: 5, call_id: "long", execution_mode: "ASYNC" }));
    expect(running.frame_type).toBe("ACK");
    seen(await send("RESULT_QUERY_REQ", { call_id: "long", after_event_id: 0 }));
    seen(await raw(frame("CALL_REQ", search("ahead"), { seq: session.seq + 9 })));
    waiting.open();
    expect([...types].sort()).toEqual([
      "ACK",
      "CALL_BATCH_RES",
      "CAP_QUERY_RES",
      "CATALOG_SYNC_RES",
      "HELLO_RES",
      "NACK",
      "RESULT",
      "RESULT_QUERY_RES",
    ]);
  });
});
