import type { JsonObject } from "@toolglot/core";
import { expect, it } from "vitest";
import type { ResponseOf } from "../src/frames/types.ts";
import { principal } from "../src/identity/principal.ts";
import { createRouter } from "../src/router/create-router.ts";
import { MemoryStore } from "../src/store/memory-store.ts";

const who = { tenant: "t", principal: "p" };

async function opened(): Promise<MemoryStore> {
  const store = new MemoryStore();
  await store.sessions.create({ id: "s", ...who, agentId: "a", features: [], view: "v", ttlMs: 60_000 });
  return store;
}

const admission = (frameId: string, seq: number, callId: string) => ({
  ...who,
  sessionId: "s",
  frameId,
  digest: frameId,
  seq,
  calls: [{ callId, digest: "d", timeoutMs: 1_000 }],
});

function result(callId: string): ResponseOf<"RESULT"> {
  return {
    trp_version: "0.1",
    frame_type: "RESULT",
    session_id: "s",
    frame_id: "res_f1",
    trace_id: "t",
    timestamp_ms: 1,
    catalog_epoch: 1,
    seq: 1,
    payload: {
      call_id: callId,
      idx: 0,
      cap_id: "cap.a.v1",
      status: "SUCCESS",
      result: { summary: "s", data: { list: [{ deep: 1 }] }, artifacts: [], warnings: ["w"] },
      usage: { router_ms: 0, adapter_ms: 0, executor_ms: 0 },
      policy_proof: { digest: "d", rule: "r", policy_version: "1", decision: "allow" },
    },
  };
}

/** Changes whatever can be reached. */
function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    spoil((value as JsonObject)[key]);
    (value as JsonObject)[key] = "spoiled";
  }
  if (Array.isArray(value)) value.push("spoiled");
}

it("keeps an outcome, and shares nothing with who gave it or asks for it", async () => {
  const store = await opened();
  await store.sessions.admit(admission("f1", 1, "__proto__"));
  const reply = result("__proto__");
  const outcome = { type: "RESULT", payload: reply.payload } as const;
  await store.sessions.answer({ sessionId: "s", frameId: "f1", reply, outcomes: [["__proto__", outcome]] });
  spoil(reply);
  const kept = await store.sessions.readCall("s", "__proto__");
  expect(kept?.outcome).toEqual({ type: "RESULT", payload: result("__proto__").payload });
  spoil(kept);
  const again = await store.sessions.admit(admission("f1", 1, "__proto__"));
  expect(again).toMatchObject({ status: "duplicate", reply: result("__proto__") });
});

it("answers a frame again as it was, whatever was done to answer, arguments and context", async () => {
  const router = createRouter({
    capabilities: [
      {
        capId: "cap.echo.v1",
        name: "echo",
        description: "Gives back.",
        riskTier: "LOW",
        ioClass: "READ",
        effect: "pure",
        args: { word: "string" },
        execute: async (args: { word: string }) => {
          const { word } = args;
          args.word = "spoiled";
          return { said: [word] };
        },
      },
    ],
  });
  const context = { principal: principal({ id: "ada" }) };
  const head = { trp_version: "0.1", trace_id: "t", timestamp_ms: 1 };
  const hello = (await router.handle(
    {
      ...head,
      ...{ frame_type: "HELLO_REQ", session_id: null, frame_id: "h", catalog_epoch: null, seq: null },
      payload: { agent_id: "a", supported_versions: ["0.1"] },
    },
    context,
  )) as ResponseOf<"HELLO_RES">;
  const { session_id, catalog_epoch } = hello;
  const frame = () => ({
    ...head,
    ...{ frame_type: "CALL_REQ", session_id, catalog_epoch, frame_id: "f", seq: 1 },
    payload: { call_id: "c", idx: 0, cap_id: "cap.echo.v1", timeout_ms: 1_000, args: { word: "hello" } },
  });
  const sent = frame();
  const first = await router.handle(sent, context);
  const told = structuredClone(first);
  spoil(first);
  spoil(sent);
  const second = await router.handle(frame(), context);
  expect(second).toEqual(told);
  spoil(second);
  expect(await router.handle(frame(), context)).toEqual(told);
  expect(told).toMatchObject({ frame_type: "RESULT", payload: { result: { data: { said: ["hello"] } } } });
  await router.close();
});
