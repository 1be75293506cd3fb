import { describe, expect, it } from "vitest";
import { defineCapability } from "../src/catalog/define-capability.ts";
import type { AnyCapability } from "../src/catalog/types.ts";
import type { CallItem } from "../src/frames/types.ts";
import { createRouter } from "../src/router/create-router.ts";
import { callItem, openSession, type Session } from "./router-rig.ts";

// What is done on one side of an operation is carried through on the other.

interface Told {
  status?: string;
  error_code?: string;
  message?: string;
  fix?: string;
  dispatched?: boolean;
  replayed_from?: string | null;
  replayed_at_ms?: number | null;
}

const doors: Record<string, (session: Session, item: CallItem) => Promise<Told>> = {
  async call(session, item) {
    const { error, ...payload } = (await session.send("CALL_REQ", item)).payload as Told & { error?: Told };
    return { ...payload, ...error };
  },
  async batch(session, item) {
    const calls = [item];
    const reply = await session.send("CALL_BATCH_REQ", { batch_id: item.call_id, max_concurrency: 1, calls });
    return (reply.payload as { results: Told[] }).results[0] ?? {};
  },
  async graph(session, item) {
    const calls = [{ ...item, depends_on: [] }];
    const reply = await session.send("CALL_DAG_REQ", { dag_id: item.call_id, max_concurrency: 1, calls });
    const payload = reply.payload as Told & { results?: Told[] };
    return payload.results?.[0] ?? payload;
  },
};

async function world() {
  const effects: string[] = [];
  const note = defineCapability({
    capId: "cap.p.note.v1",
    name: "note",
    description: "Writes a note.",
    riskTier: "MEDIUM",
    ioClass: "WRITE",
    effect: "opaque",
    args: { text: "string" },
    execute({ text }: { text: string }) {
      if (text === "broken") throw new Error("the pen is broken");
      effects.push(text);
      return { text };
    },
  }) as AnyCapability;
  const router = createRouter({ capabilities: [note], allowVolatile: true });
  const session = await openSession(router, { features: ["CALL_DAG"] });
  const item = (args: object, key: string) =>
    callItem({ cap_id: "cap.p.note.v1", args: args as never, idempotency_key: key, attempt: 1, approval_token: null });
  return { effects, session, item };
}

describe.each(Object.keys(doors))("a write by %s", (door) => {
  const send = doors[door] as (typeof doors)[string];

  it.each(Object.keys(doors))(
    "and its repetition by %s: one effect, and the second says when it was",
    async (other) => {
      const { effects, session, item } = await world();
      const again = doors[other] as typeof send;
      const begun = Date.now();
      const first = item({ text: "a" }, "key-of-one-write");
      const done = await send(session, first);
      const replay = await again(session, item({ text: "a" }, "key-of-one-write"));
      expect([done.status, done.replayed_from ?? null, done.replayed_at_ms ?? null]).toEqual(["SUCCESS", null, null]);
      expect([replay.status, replay.replayed_from]).toEqual(["SUCCESS", first.call_id]);
      expect(replay.replayed_at_ms).toBeGreaterThanOrEqual(begun);
      expect(replay.replayed_at_ms).toBeLessThanOrEqual(Date.now());
      expect(JSON.stringify(done)).toContain('{"text":"a"}');
      expect(JSON.stringify(replay)).toContain('{"text":"a"}');
      expect(effects).toEqual(["a"]);
    },
  );

  it.each(Object.keys(doors))(
    "and the same key with other arguments by %s: refused, no second effect",
    async (other) => {
      const { effects, session, item } = await world();
      const again = doors[other] as typeof send;
      await send(session, item({ text: "a" }, "key-of-one-write"));
      const { status, error_code } = await again(session, item({ text: "b" }, "key-of-one-write"));
      expect([status === "SUCCESS", error_code]).toEqual([false, expect.stringMatching(/^TRP_/)]);
      expect(effects).toEqual(["a"]);
    },
  );
});

it.each([
  ["arguments of no schema", { text: 1 }],
  ["a failure of the capability", { text: "broken" }],
])("tells %s in the same words at each door", async (_name, args) => {
  const told = [];
  for (const [door, send] of Object.entries(doors)) {
    const { session, item } = await world();
    const { error_code, message, fix, dispatched } = await send(session, item(args, `key-${door}-of-a-failure`));
    told.push({ error_code, message, fix, dispatched });
  }
  const [first, ...others] = told;
  expect(first?.error_code).toMatch(/^TRP_\d{4}$/);
  for (const other of others)
    expect(other).toEqual({ ...first, message: expect.stringContaining(first?.message ?? "?") });
});
