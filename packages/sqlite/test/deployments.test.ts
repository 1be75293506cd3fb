import { createRouter, defineCapability, type Principal, type Router } from "@toolglot/trp-core";
import { expect, it, onTestFinished } from "vitest";
import { onEach, sharedStores } from "../../postgres/test/every-store.ts";
import { frame, hello } from "../../trp-core/test/chaos/frames.ts";
import { placeOn, type StoreKind } from "../../trp-core/test/store-kinds.ts";
import { agent, endOf } from "./session.ts";

// In the middle of a deployment, routers on one store have different catalogs. A call is refused for its catalog only when
// its own capability is gone, hidden or changed at the router that it comes to.

interface Version {
  names: string[];
  /** Names whose arguments are others than elsewhere. */
  changed?: string[];
  /** Names that nobody has the role for. */
  hidden?: string[];
}

async function deploy(kind: StoreKind, versions: Version[]): Promise<Router[]> {
  const place = placeOn(kind);
  return Promise.all(
    versions.map(async ({ names, changed = [], hidden = [] }) => {
      const store = await place.open();
      const capabilities = names.map((name) =>
        defineCapability({
          capId: `cap.x.${name}.v1`,
          name,
          description: name,
          riskTier: "LOW",
          ioClass: "READ",
          effect: "pure",
          args: changed.includes(name) ? { n: "string", "more?": "string" } : { n: "string" },
          ...(hidden.includes(name) ? { roles: ["nobody"] } : {}),
          execute: ({ n }) => ({ n }),
        }),
      );
      const router = createRouter({ capabilities, store });
      onTestFinished(() => router.close());
      return router;
    }),
  );
}

/** A session that goes from router to router, and syncs only when it is told to. */
async function wander(routers: Router[], who: Principal = agent) {
  const at = (index: number): Router => routers[index % routers.length] as Router;
  const opened = await at(0).handle(frame("HELLO_REQ", null, null, hello), { principal: who });
  if (opened.frame_type !== "HELLO_RES") throw new Error(JSON.stringify(opened.payload));
  const session = { id: opened.payload.session_id, epoch: opened.payload.catalog_epoch };
  const numbers = new Map<string, number>();
  let seq = 1;
  return {
    async sync(index: number): Promise<string[]> {
      const payload = { mode: "FULL", known_epoch: session.epoch };
      const reply = await at(index).handle(frame("CATALOG_SYNC_REQ", session, seq++, payload), { principal: who });
      if (reply.frame_type !== "CATALOG_SYNC_RES" || !("alias_table" in reply.payload))
        throw new Error(JSON.stringify(reply.payload));
      session.epoch = reply.payload.catalog_epoch;
      for (const { name, idx } of reply.payload.alias_table) numbers.set(name, idx);
      return reply.payload.alias_table.map(({ name }) => name);
    },
    async call(index: number, name: string): Promise<string> {
      const item = {
        call_id: `call-${seq}`,
        idx: numbers.get(name) ?? -1,
        cap_id: `cap.x.${name}.v1`,
        timeout_ms: 1_000,
        args: { n: `${seq}` },
      };
      return endOf(await at(index).handle(frame("CALL_REQ", session, seq++, item), { principal: who }));
    },
  };
}

const pairs: [string, Version, Version][] = [
  ["adds a capability", { names: ["a"] }, { names: ["a", "b"] }],
  ["puts one before the others", { names: ["a"] }, { names: ["b", "a"] }],
  ["removes one", { names: ["a", "b"] }, { names: ["a"] }],
  ["reorders them", { names: ["a", "b", "c"] }, { names: ["c", "a", "b"] }],
  ["changes another", { names: ["a", "b"] }, { names: ["a", "b"], changed: ["b"] }],
  ["hides another", { names: ["a", "b"] }, { names: ["a", "b"], hidden: ["b"] }],
];
const directions = pairs.flatMap(([name, one, two]): [string, Version, Version][] => [
  [`${name}, from the old one`, one, two],
  [`${name}, from the new one`, two, one],
]);

onEach(sharedStores, (kind) => {
  it.each(directions)("refuses nothing that both have: a deployment that %s", async (_name, one, two) => {
    const session = await wander(await deploy(kind, [one, two]));
    for (const synced of [0, 1]) {
      await session.sync(synced);
      for (let turn = 0; turn < 6; turn++) expect(await session.call(turn, "a"), `sync at ${synced}`).toBe("SUCCESS");
    }
  });

  it("refuses what is gone, hidden or changed there, and not where it is as it was", async () => {
    const session = await wander(
      await deploy(kind, [{ names: ["a", "b", "c", "d"] }, { names: ["a", "b", "d"], changed: ["b"], hidden: ["d"] }]),
    );
    await session.sync(0);
    for (const name of ["b", "c", "d"]) {
      expect([await session.call(0, name), await session.call(1, name)], name).toEqual(["SUCCESS", "TRP_1003"]);
    }
    // The other router's sync marks what it hasn't; the first one still has it under its number.
    expect(await session.sync(1)).toEqual(["a", "b", "artifact_read"]);
    expect(await session.call(0, "c")).toBe("SUCCESS");
    expect(await session.call(1, "b")).toBe("SUCCESS");
    expect(await session.call(0, "b")).toBe("TRP_1003");
  });

  it("refuses an epoch that no router has given out", async () => {
    const routers = await deploy(kind, [{ names: ["a"] }, { names: ["a", "b"] }]);
    const [one] = routers;
    const session = await wander(routers);
    await session.sync(0);
    await session.sync(1);
    expect(await session.call(0, "a")).toBe("SUCCESS");
    const opened = await one?.handle(frame("HELLO_REQ", null, null, hello), { principal: agent });
    if (opened?.frame_type !== "HELLO_RES") throw new Error("no session");
    const made = { id: opened.payload.session_id, epoch: 1_000 };
    const item = { call_id: "c", idx: 0, cap_id: "cap.x.a.v1", timeout_ms: 1_000, args: { n: "1" } };
    const reply = await one?.handle(frame("CALL_REQ", made, 1, item), { principal: agent });
    expect(reply && endOf(reply)).toBe("TRP_1003");
  });
});
