import type { JsonObject } from "@toolglot/core";
import { defineCapability } from "../src/catalog/define-capability.ts";
import type { AnyCapability } from "../src/catalog/types.ts";
import type { AliasRow, CallItem, RequestFrame, ResponseFrame, ResponseOf } from "../src/frames/types.ts";
import { principal } from "../src/identity/principal.ts";
import type { Principal } from "../src/identity/types.ts";
import type { Router } from "../src/router/types.ts";

export const ada: Principal = principal({ id: "ada" });
export const boss: Principal = principal({ id: "boss", roles: ["approver"] });

let counter = 0;

/** A fresh id: `call-7`. */
export function newId(prefix: string): string {
  return `${prefix}-${++counter}`;
}

/** What a frame may say differently. */
export type Envelope = Partial<Omit<RequestFrame, "payload" | "frame_type">> & { auth_context?: JsonObject | null };

/** A client that does nothing by itself but count. */
export interface Session {
  readonly router: Router;
  who: Principal;
  readonly id: string;
  epoch: number;
  /** Of the next frame. */
  seq: number;
  frame(frame_type: string, payload: object, rest?: Envelope): JsonObject;
  /** Sends a frame of this session with the next seq, unless `rest` says another. */
  send(frame_type: string, payload: object, rest?: Envelope): Promise<ResponseFrame>;
  sync(): Promise<AliasRow[]>;
  call(item: Partial<CallItem> & Pick<CallItem, "cap_id">, rest?: Envelope): Promise<ResponseFrame>;
  query(call_id: string): Promise<ResponseOf<"RESULT_QUERY_RES">["payload"]>;
}

export function helloFrame(payload: object = {}, rest: object = {}): JsonObject {
  return {
    trp_version: "0.1",
    frame_type: "HELLO_REQ",
    session_id: null,
    frame_id: newId("hello"),
    trace_id: "trace",
    timestamp_ms: 1,
    catalog_epoch: null,
    seq: null,
    payload: { agent_id: "agent", supported_versions: ["0.1"], resume_session_id: null, ...payload },
    ...rest,
  } as unknown as JsonObject;
}

/** Opens a session and syncs its catalog, unless told not to. */
export async function openSession(
  router: Router,
  options: { who?: Principal; features?: string[]; sync?: boolean; resume?: string } = {},
): Promise<Session> {
  const { who = ada, features, resume } = options;
  const hello = await router.handle(
    helloFrame({
      ...(features === undefined ? {} : { features }),
      ...(resume === undefined ? {} : { resume_session_id: resume }),
    }),
    { principal: who },
  );
  if (hello.frame_type !== "HELLO_RES") throw new Error(`no hello: ${JSON.stringify(hello.payload)}`);
  const rows = new Map<string, number>();
  const session: Session = {
    router,
    who,
    id: hello.payload.session_id,
    epoch: hello.payload.catalog_epoch,
    seq: hello.payload.seq_start,
    frame(frame_type, payload, rest = {}) {
      return {
        trp_version: "0.1",
        frame_type,
        session_id: session.id,
        frame_id: newId("frame"),
        trace_id: "trace",
        timestamp_ms: 1,
        catalog_epoch: session.epoch,
        seq: rest.seq === undefined ? session.seq++ : rest.seq,
        payload,
        ...rest,
      } as unknown as JsonObject;
    },
    send: (frame_type, payload, rest) =>
      router.handle(session.frame(frame_type, payload, rest), { principal: session.who }),
    async sync() {
      const reply = await session.send("CATALOG_SYNC_REQ", { mode: "FULL", known_epoch: session.epoch });
      if (reply.frame_type !== "CATALOG_SYNC_RES" || !("alias_table" in reply.payload))
        throw new Error(`no catalog: ${JSON.stringify(reply.payload)}`);
      session.epoch = reply.payload.catalog_epoch;
      rows.clear();
      for (const row of reply.payload.alias_table) rows.set(row.cap_id, row.idx);
      return reply.payload.alias_table;
    },
    call: (item, rest) => session.send("CALL_REQ", callItem(item, rows.get(item.cap_id)), rest),
    async query(call_id) {
      const reply = await session.send("RESULT_QUERY_REQ", { call_id });
      if (reply.frame_type !== "RESULT_QUERY_RES") throw new Error(`no answer: ${JSON.stringify(reply.payload)}`);
      return reply.payload;
    },
  };
  if (options.sync !== false) await session.sync();
  return session;
}

/** A call with everything that was not given. */
export function callItem(item: Partial<CallItem> & Pick<CallItem, "cap_id">, idx = 0): CallItem {
  return { call_id: newId("call"), idx, timeout_ms: 5_000, args: {}, ...item };
}

/** What was done, by name. */
export interface Ledger {
  readonly effects: string[];
  capabilities: AnyCapability[];
  /** Lets everything go on that waits in `cap.test.wait`, for good. */
  open(): void;
}

/** Capabilities that write down what they do. Keyed ones run on a volatile store only with `allowVolatile`. */
export function ledger(): Ledger {
  const effects: string[] = [];
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const note = (text: string): { noted: string } => {
    effects.push(text);
    return { noted: text };
  };
  return {
    effects,
    open,
    capabilities: [
      defineCapability({
        capId: "cap.test.read.v1",
        name: "read",
        description: "Reads.",
        riskTier: "LOW",
        ioClass: "READ",
        effect: "pure",
        args: { text: "string", "times?": "integer = 1" },
        examples: [{ args: { text: "hello" } }],
        execute: ({ text }) => note(text),
      }),
      defineCapability({
        capId: "cap.test.write.v1",
        name: "write",
        description: "Writes.",
        riskTier: "MEDIUM",
        ioClass: "WRITE",
        effect: "opaque",
        args: { text: "string" },
        execute: async ({ text }) => {
          await new Promise((resolve) => setTimeout(resolve, 1));
          return note(text);
        },
      }),
      defineCapability({
        capId: "cap.test.wait.v1",
        name: "wait",
        description: "Waits until the test says go.",
        riskTier: "LOW",
        ioClass: "READ",
        effect: "pure",
        args: { text: "string" },
        execute: async ({ text }) => {
          await gate;
          return note(text);
        },
      }),
      defineCapability({
        capId: "cap.test.mail.v1",
        name: "mail",
        description: "Sends.",
        riskTier: "HIGH",
        ioClass: "WRITE",
        effect: "opaque",
        args: { text: "string" },
        execute: ({ text }) => note(text),
      }),
      defineCapability({
        capId: "cap.test.hidden.v1",
        name: "hidden",
        description: "Only for some.",
        riskTier: "LOW",
        ioClass: "READ",
        effect: "pure",
        args: { text: "string" },
        roles: ["insider"],
        execute: ({ text }) => note(text),
      }),
    ],
  };
}

/** The payload of a NACK; throws for any other frame. */
export function nackOf(reply: ResponseFrame): ResponseOf<"NACK">["payload"] {
  if (reply.frame_type !== "NACK") throw new Error(`no NACK: ${JSON.stringify(reply)}`);
  return reply.payload;
}

/** The payload of a RESULT; throws for any other frame. */
export function resultOf(reply: ResponseFrame): ResponseOf<"RESULT">["payload"] {
  if (reply.frame_type !== "RESULT") throw new Error(`no RESULT: ${JSON.stringify(reply)}`);
  return reply.payload;
}
