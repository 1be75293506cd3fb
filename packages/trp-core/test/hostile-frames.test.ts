import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ToolError } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import * as v from "valibot";
import { afterAll, beforeAll, expect, it } from "vitest";
import { defineCapability } from "../src/catalog/define-capability.ts";
import { parseFrame, type ResponseFrame, responseSchemas } from "../src/frames/index.ts";
import { createRouter, type Router } from "../src/index.ts";
import { hostileFrames } from "./frames/hostile.ts";
import { limits, requestTypes, samples } from "./frames/samples.ts";
import { ada, openSession, type Session } from "./router-rig.ts";

/** How many frames: the same ones every time. */
const frameCount = rounds(5_000, 100_000);
const longTest = 300_000;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What must never be seen from outside: exceptions, stacks, places in the source. */
const internals =
  /TypeError|RangeError|ReferenceError|SyntaxError|internals|Cannot (read|set|convert)|is not a function|\bat \S+ \(|node_modules|\/srv\/|\/work\/|\.[jt]s:\d/;

const rejections: unknown[] = [];
const noteRejection = (reason: unknown): void => {
  rejections.push(reason);
};
beforeAll(() => {
  process.on("unhandledRejection", noteRejection);
});
afterAll(() => {
  process.off("unhandledRejection", noteRejection);
});

function heapAfterCollection(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

it(
  `reads ${frameCount} hostile frames: each is a frame or a fault with a head, and nothing is kept`,
  () => {
    const hostile = hostileFrames(1);
    const codes = new Map<string, number>();
    let heap = 0;
    for (let round = 0; round < frameCount; round++) {
      if (round === frameCount / 2) heap = heapAfterCollection();
      const frame =
        hostile.below(10) === 0
          ? hostile.anything()
          : hostile.spoiled(samples[hostile.pick([...requestTypes, "CALL_REQ", "CALL_BATCH_REQ"] as const)]);
      const parsed = parseFrame(frame, limits);
      if ("frame" in parsed) {
        codes.set("taken", (codes.get("taken") ?? 0) + 1);
        continue;
      }
      const { fault, head } = parsed;
      codes.set(fault.code, (codes.get(fault.code) ?? 0) + 1);
      if (Object.keys(head).length !== 6) throw new Error(`a head lacks something: ${JSON.stringify(head)}`);
      if (fault.message.length > 400 || internals.test(JSON.stringify(fault))) throw new Error(JSON.stringify(fault));
    }
    expect(heapAfterCollection() - heap).toBeLessThan(8 * 1024 * 1024);
    // Every way out was taken, and none by nearly all frames.
    for (const way of [
      "taken",
      "TRP_1001",
      "TRP_2000",
      "TRP_2002",
      "TRP_2003",
      "TRP_2004",
      "TRP_2005",
      "TRP_2006",
      "TRP_5000",
    ]) {
      expect(codes.get(way), way).toBeGreaterThan(frameCount / 1_000);
    }
    expect(codes.get("taken")).toBeLessThan(frameCount / 2);
  },
  longTest,
);

/** Capabilities of every kind, some of which break. */
function makeRouter(): Router {
  const args = { type: "object", properties: { text: { type: "string" }, n: { type: "integer" } } } as const;
  const common = { args, description: "Does something." };
  return createRouter({
    allowVolatile: true,
    approvalSecrets: ["secret"],
    times: { recoverEveryMs: 0, pruneEveryMs: 0 },
    limits: { callsInFlight: 8 },
    capabilities: [
      defineCapability({
        ...common,
        capId: "cap.read.v1",
        name: "read",
        riskTier: "LOW",
        ioClass: "READ",
        effect: "pure",
        execute: (given) => ({ given }),
      }),
      defineCapability({
        ...common,
        capId: "cap.write.v1",
        name: "write",
        riskTier: "MEDIUM",
        ioClass: "WRITE",
        effect: "keyed",
        execute: async () => "written",
      }),
      defineCapability({
        ...common,
        capId: "cap.broken.v1",
        name: "broken",
        riskTier: "LOW",
        ioClass: "READ",
        effect: "pure",
        execute: () => {
          throw new TypeError("internals: Cannot read properties of undefined\n    at run (/srv/router/x.ts:1:2)");
        },
      }),
      defineCapability({
        ...common,
        capId: "cap.opaque.v1",
        name: "opaque",
        riskTier: "MEDIUM",
        ioClass: "WRITE",
        effect: "opaque",
        execute: () => Promise.reject("internals"),
      }),
      defineCapability({
        ...common,
        capId: "cap.refusing.v1",
        name: "refusing",
        riskTier: "MEDIUM",
        ioClass: "WRITE",
        effect: "idempotent",
        execute: () => {
          throw new ToolError("There is no such thing.");
        },
      }),
      defineCapability({
        ...common,
        capId: "cap.notify.v1",
        name: "notify",
        riskTier: "HIGH",
        ioClass: "WRITE",
        effect: "keyed",
        execute: () => "told",
      }),
      defineCapability({
        ...common,
        capId: "cap.delete.v1",
        name: "delete",
        riskTier: "CRITICAL",
        ioClass: "WRITE",
        effect: "probe",
        execute: () => "deleted",
        probe: () => ({ state: "unknown" }),
      }),
    ],
  });
}

const capIds = [
  "cap.read.v1",
  "cap.write.v1",
  "cap.broken.v1",
  "cap.opaque.v1",
  "cap.refusing.v1",
  "cap.notify.v1",
  "cap.delete.v1",
];
const features = ["CATALOG_DELTA", "CALL_DAG", "CANCEL", "RESULT_FAILED"];
const ids = ["__proto__", "constructor", "call-1", "call-2", "call-3", "toString", "\u{1f600}", "then"];

/** A frame that this session could send, most of the time with its next seq. */
function frameOf(session: Session, hostile: ReturnType<typeof hostileFrames>) {
  const type = hostile.pick([
    ...requestTypes,
    "CALL_REQ",
    "CALL_REQ",
    "CALL_REQ",
    "CALL_BATCH_REQ",
    "CALL_BATCH_REQ",
  ] as const);
  if (type === "HELLO_REQ") return structuredClone(samples.HELLO_REQ);
  const call = () => {
    const idx = hostile.below(capIds.length);
    return {
      call_id: hostile.below(3) === 0 ? hostile.pick(ids) : `call-${hostile.below(1e9)}`,
      idempotency_key: hostile.below(3) === 0 ? hostile.pick([...ids, null]) : `key-${hostile.below(1e9)}`,
      idx,
      cap_id: capIds[idx] ?? "",
      timeout_ms: 1_000,
      args: { text: "hello", n: hostile.below(3) },
    };
  };
  const payloads = {
    CATALOG_SYNC_REQ: { mode: hostile.pick(["FULL", "DELTA"]), known_epoch: session.epoch },
    CAP_QUERY_REQ: { idx: 0, cap_id: "cap.read.v1" },
    CALL_REQ: { ...call(), execution_mode: hostile.pick(["SYNC", "ASYNC"]) },
    CALL_BATCH_REQ: {
      batch_id: "batch",
      mode: hostile.pick(["PARALLEL", "SEQUENTIAL"]),
      max_concurrency: 2,
      on_error: hostile.pick(["continue", "stop"]),
      calls: [call(), { ...call(), depends_on: [hostile.pick(ids)] }, call()],
    },
    RESULT_QUERY_REQ: { call_id: hostile.pick(ids), after_event_id: hostile.pick([null, 0, 1]) },
    CALL_DAG_REQ: {
      dag_id: "dag",
      max_concurrency: 2,
      calls: [
        call(),
        { ...call(), args: { text: { $from: hostile.pick(ids), path: hostile.pick(["", "/data", "x"]) } } },
      ],
    },
    CANCEL_REQ: { call_id: hostile.pick(ids) },
  };
  const seq = session.seq + hostile.pick([0, 0, 0, 0, 0, -1, 1]);
  return session.frame(type, payloads[type], { seq });
}

function check(reply: ResponseFrame): string {
  // The class of a capability's exception is told, in words of the router's own, and nothing else of it.
  const text = JSON.stringify(reply).replaceAll(/ended with an exception \(\w{1,40}\)/g, "failed");
  if (internals.test(text)) throw new Error(`internals are seen: ${text.slice(0, 500)}`);
  const schema = responseSchemas[reply.frame_type];
  if (schema === undefined) throw new Error(`no answer: ${text.slice(0, 500)}`);
  const checked = v.safeParse(schema, reply);
  if (!checked.success)
    throw new Error(`${JSON.stringify(v.flatten(checked.issues as never))} in ${text.slice(0, 900)}`);
  return reply.frame_type === "NACK" ? reply.payload.error_code : reply.frame_type;
}

it(
  `answers ${frameCount} hostile frames with one frame each, as the schemas have it, and goes on serving`,
  async () => {
    const hostile = hostileFrames(2);
    const answers = new Map<string, number>();
    const heaps: number[] = [];
    const perRouter = frameCount / 10;
    for (let life = 0; life < 10; life++) {
      const router = makeRouter();
      let session = await openSession(router, { features });
      for (let round = 0; round < perRouter / 4; round++) {
        if (round % 500 === 499) session = await openSession(router, { features });
        // Four at a time: what comes in together must not be mixed up.
        const frames = Array.from({ length: 4 }, () => {
          if (hostile.below(12) === 0) return hostile.anything();
          const frame = frameOf(session, hostile);
          return hostile.below(3) === 0 ? frame : hostile.spoiled(frame);
        });
        const replies = await Promise.all(frames.map((frame) => router.handle(frame, { principal: ada })));
        for (const reply of replies) {
          const answer = check(reply);
          answers.set(answer, (answers.get(answer) ?? 0) + 1);
          const next = "retry_hint" in reply.payload ? reply.payload.retry_hint?.expected_seq : undefined;
          if (reply.session_id === session.id) session.seq = next ?? Math.max(session.seq, (reply.seq ?? 0) + 1);
        }
      }
      const after = await openSession(router);
      expect(await after.call({ cap_id: "cap.read.v1", args: { text: "still there" } })).toMatchObject({
        frame_type: "RESULT",
        payload: { status: "SUCCESS" },
      });
      expect(await router.audit.verify()).toMatchObject({ ok: true });
      await router.close({ graceMs: 1_000 });
      heaps.push(heapAfterCollection());
    }
    expect(rejections).toEqual([]);
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
    // A router's records go with it: what stays after the last one is what stayed after the second.
    expect((heaps.at(-1) ?? 0) - (heaps[1] ?? 0)).toBeLessThan(16 * 1024 * 1024);
    for (const way of [
      "RESULT",
      "CALL_BATCH_RES",
      "TRP_1002",
      "TRP_1004",
      "TRP_1007",
      "TRP_2000",
      "TRP_2004",
      "TRP_4001",
      "TRP_4002",
      "TRP_4003",
      "TRP_4004",
    ]) {
      expect(answers.get(way), way).toBeGreaterThan(frameCount / 2_000);
    }
    expect(answers.get("TRP_5001") ?? 0).toBe(0);
  },
  longTest,
);
