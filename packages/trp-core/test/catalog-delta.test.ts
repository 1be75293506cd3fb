import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnyCapability } from "../src/catalog/types.ts";
import type { AliasRow, CatalogSyncResPayload } from "../src/frames/types.ts";
import { principal } from "../src/identity/principal.ts";
import { createRouter } from "../src/router/create-router.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { ada, openSession, type Session } from "./router-rig.ts";

function capability(word: string, change: Partial<AnyCapability> = {}): AnyCapability {
  return {
    ...{ capId: `cap.test.${word}.v1`, name: word, description: `Does ${word}.`, riskTier: "LOW", ioClass: "READ" },
    ...{ effect: "pure", args: { text: "string" }, execute: () => null },
    ...change,
  } as AnyCapability;
}

async function sync(session: Session, mode: "FULL" | "DELTA", known_epoch: number | null, rest = {}) {
  const reply = await session.send("CATALOG_SYNC_REQ", { mode, known_epoch }, rest);
  if (reply.frame_type !== "CATALOG_SYNC_RES") throw new Error(JSON.stringify(reply.payload));
  session.epoch = reply.payload.catalog_epoch;
  return reply.payload;
}

/** What a client has after an answer. */
function applied(before: readonly AliasRow[], payload: CatalogSyncResPayload): AliasRow[] {
  if ("alias_table" in payload) return payload.alias_table;
  const rows = new Map(before.map((row) => [row.idx, row]));
  for (const { idx, cap_id } of payload.removed) {
    expect(rows.get(idx)?.cap_id).toBe(cap_id);
    rows.delete(idx);
  }
  for (const row of payload.changed) expect(rows.has(row.idx)).toBe(true);
  for (const row of payload.added) expect(rows.has(row.idx)).toBe(false);
  for (const row of [...payload.changed, ...payload.added]) rows.set(row.idx, row);
  return [...rows.values()].sort((one, other) => one.idx - other.idx);
}

const open = (router: ReturnType<typeof createRouter>, who = ada) =>
  openSession(router, { who, features: ["CATALOG_DELTA"], sync: false });

describe("CATALOG_DELTA (TRP v0.1 draft, 6.1.2 and 18.1)", () => {
  it("tells what was added, changed and removed since the known epoch", async () => {
    const router = createRouter({ capabilities: ["a", "b", "c"].map((word) => capability(word)), catalogTools: false });
    const session = await open(router);
    const full = await sync(session, "FULL", null);
    expect(full).toMatchObject({ mode: "FULL", alias_table: [{ name: "a" }, { name: "b" }, { name: "c" }, {}] });
    const base = session.epoch;
    router.registry.unregister("cap.test.b.v1");
    router.registry.unregister("cap.test.a.v1");
    router.registry.register(capability("a", { description: "Does it better." }), capability("d"));
    const delta = await sync(session, "DELTA", base);
    expect(delta).toMatchObject({
      mode: "DELTA",
      base_epoch: base,
      added: [{ cap_id: "cap.test.d.v1", idx: 4 }],
      changed: [{ cap_id: "cap.test.a.v1", idx: 0, desc: "Does it better." }],
      removed: [{ idx: 1, cap_id: "cap.test.b.v1" }],
      ttl_sec: 600,
    });
    expect(delta.catalog_epoch).toBeGreaterThan(base);
    expect(delta).not.toHaveProperty("alias_table");
    // A number that was removed is another's never, and its own again.
    router.registry.register(capability("b"));
    expect(await sync(session, "DELTA", session.epoch)).toMatchObject({
      added: [{ idx: 1 }],
      changed: [],
      removed: [],
    });
    expect(await sync(session, "DELTA", session.epoch)).toMatchObject({ added: [], changed: [], removed: [] });
  });

  it("is answered in full when the base is not what the session has, and without the feature", async () => {
    const router = createRouter({ capabilities: [capability("a")] });
    const session = await open(router);
    expect(await sync(session, "DELTA", null)).toMatchObject({ mode: "FULL" });
    expect(await sync(session, "DELTA", session.epoch + 7)).toMatchObject({ mode: "FULL" });
    const old = session.epoch;
    router.registry.register(capability("b"));
    // The answer of this one got lost.
    await sync(session, "DELTA", old);
    expect(await sync(session, "DELTA", old)).toMatchObject({ mode: "FULL" });
    const plain = await openSession(router, { sync: false });
    expect(await sync(plain, "DELTA", plain.epoch)).not.toHaveProperty("mode");
    expect(await sync(plain, "DELTA", plain.epoch)).toHaveProperty("alias_table");
  });

  it("makes the same of a catalog as the whole table does, whatever happens, on any router", async () => {
    const words = ["a", "b", "c", "d", "e"];
    const step = fc.record({
      word: fc.constantFrom(...words),
      text: fc.constantFrom("One.", "Two.", undefined),
      role: fc.constantFrom(undefined, "insider"),
      isNarrow: fc.boolean(),
      router: fc.nat(1),
      isSynced: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const store = new MemoryStore();
        const routers = [0, 1].map(() => createRouter({ store, capabilities: [capability("z")] }));
        const session = await open(
          routers[0] as ReturnType<typeof createRouter>,
          principal({ id: "ada", roles: ["insider"] }),
        );
        let rows = applied([], await sync(session, "FULL", null));
        for (const { word, text, role, isNarrow, router, isSynced } of steps) {
          for (const { registry } of routers) {
            registry.unregister(`cap.test.${word}.v1`);
            if (text === undefined) continue;
            registry.register(
              capability(word, { description: text, ...(role === undefined ? {} : { roles: [role] }) }),
            );
          }
          if (!isSynced) continue;
          const asked = session.frame(
            "CATALOG_SYNC_REQ",
            { mode: "DELTA", known_epoch: session.epoch },
            isNarrow ? { auth_context: { roles: [] } } : {},
          );
          const reply = await routers[router]?.handle(asked, { principal: session.who });
          if (reply?.frame_type !== "CATALOG_SYNC_RES") throw new Error(JSON.stringify(reply?.payload));
          rows = applied(rows, reply.payload);
          session.epoch = reply.payload.catalog_epoch;
          const whole = await routers[1 - router]?.handle(
            session.frame(
              "CATALOG_SYNC_REQ",
              { mode: "FULL", known_epoch: null },
              isNarrow ? { auth_context: { roles: [] } } : {},
            ),
            { principal: session.who },
          );
          if (whole?.frame_type !== "CATALOG_SYNC_RES") throw new Error(JSON.stringify(whole));
          expect(rows).toEqual(applied([], whole.payload));
        }
      }),
      { numRuns: 60 },
    );
  });
});
