import { ToolglotError } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { createRouter } from "../src/router/create-router.ts";
import type { Router } from "../src/router/types.ts";
import type { AdmissionResult, RouterStore } from "../src/store/index.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { note, World } from "./calls-capabilities.ts";
import { ada, openSession } from "./router-rig.ts";

// A store on a server may lose its connection in the middle of a commit, and not learn whether it holds. Then nobody may
// say that nothing was executed: what was committed is executed by whoever takes it over.

const unsettled = (): never => {
  throw new ToolglotError("trp/store-unsettled", "Whether the commit holds could not be learned.");
};

/** A store of which one start is committed and not answered, alone or together with the admission of its frame. */
function unsure(store: MemoryStore, isTogether: boolean): RouterStore {
  let hasFailed = false;
  const start: RouterStore["operations"]["start"] = async (request, { ifAdmitted: _, ...options }) => {
    const result = await store.operations.start(request, options);
    if (hasFailed) return result;
    hasFailed = true;
    return unsettled();
  };
  const admit: RouterStore["sessions"]["admit"] = async (admission) => {
    const found = await store.sessions.admit(admission);
    if (!isTogether || hasFailed || admission.mayExpect !== true || found.status !== "admitted") return found;
    const result = new Promise<AdmissionResult>((_, reject) => setTimeout(() => reject(capture(unsettled)), 5));
    result.catch(() => {});
    return { ...found, pending: { token: "token", result } };
  };
  const replace = <Part extends object>(part: Part, methods: Partial<Part>): Part =>
    new Proxy(part, {
      get: (of, name) => {
        const value = Reflect.get(methods, name) ?? Reflect.get(of, name, of);
        return typeof value === "function" ? value.bind(of) : value;
      },
    });
  return replace(store as RouterStore, {
    operations: replace(store.operations, { start }),
    sessions: replace(store.sessions, { admit }),
  });
}

function capture(act: () => never): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe.each([
  ["the start of a call", false],
  ["the admission of a call together with its start", true],
])("when it is not known whether %s was committed", (_, isTogether) => {
  it("should say that it is under way, and tell later what came of it", async () => {
    let now = 1_800_000_000_000;
    const store = new MemoryStore({ now: () => now });
    const world = new World();
    const capabilities = [note(world, { effect: "keyed" })];
    const make = (of: RouterStore): Router =>
      createRouter({ store: of, capabilities, allowVolatile: true, times: { recoverEveryMs: 0 } });
    const session = await openSession(make(unsure(store, isTogether)));
    const call = { cap_id: "cap.note.add.v1", call_id: "c", idempotency_key: "k", args: { text: "a" } };
    const frame = await session.call(call);
    expect([frame.frame_type, frame.payload]).toMatchObject(["ACK", { status: "IN_PROGRESS" }]);
    expect(world.executions).toBe(0);
    now += 10_001;
    const heir = make(store);
    expect((await heir.recover()).rerun).toBe(1);
    session.router.close({ graceMs: 0 });
    const later = await heir.handle(session.frame("RESULT_QUERY_REQ", { call_id: "c" }), { principal: ada });
    expect(later.payload).toMatchObject({ status: "SUCCESS" });
    expect(world.executions).toBe(1);
  });
});
