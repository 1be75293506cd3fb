import type { JsonObject } from "@toolglot/core";
import {
  type AnyCapability,
  createRouter,
  type Principal,
  principal,
  type Router,
  type RouterEvent,
  type RouterOptions,
} from "../../src/index.ts";
import type { RouterStore } from "../../src/store/types.ts";
import { storeUnderTest } from "../store-kinds.ts";

/** When every test begins, milliseconds since the epoch. */
export const start = 1_760_000_000_000;
export const secret = "s3cret";

export const agent: Principal = principal({ id: "agent-1", roles: ["analyst"] });
export const boss: Principal = principal({ id: "boss-1", roles: ["approver"] });

/** A reply, read as data: tests look at fields that only some frames have. */
export interface Reply {
  trp_version: string;
  frame_type: string;
  session_id: string | null;
  frame_id: string;
  trace_id: string;
  timestamp_ms: number;
  catalog_epoch: number | null;
  seq: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: payloads of every frame type; a wrong guess fails the test.
  payload: any;
}

export const searchId = "cap.search.web.v1";
export const mailId = "cap.mail.send.v2";
export const noteId = "cap.note.add.v1";
export const queryId = "cap.query.sql_read.v1";
export const deleteId = "cap.record.delete.v1";
export const mail: JsonObject = { to: "a@example.com", subject: "hello", body: "test" };

/** The capabilities of the draft's examples and of its five classes (17.3), and what they did. */
function capabilities(done: [string, unknown][]): AnyCapability[] {
  const did =
    (name: string, value: (args: never) => unknown) =>
    (args: unknown): unknown => {
      done.push([name, args]);
      return value(args as never);
    };
  return [
    {
      capId: searchId,
      name: "web_search",
      description: "Web search over public internet. More words that the catalog leaves out.",
      riskTier: "LOW",
      ioClass: "READ",
      effect: "pure",
      args: { query: "string", "top_k?": "integer" },
      adapt: ({ query, top_k }: { query: string; top_k?: number }) => ({ q: query, limit: top_k ?? 10 }),
      execute: did("search", ({ q }: { q: string }) => ({ items: [{ title: q }], total: 1 })),
      examples: [{ args: { query: "TRP" } }],
    },
    {
      capId: mailId,
      name: "send_email",
      description: "Send an email to a verified recipient",
      riskTier: "HIGH",
      ioClass: "WRITE",
      effect: "opaque",
      args: {
        type: "object",
        required: ["to", "subject", "body"],
        properties: {
          to: { type: "string", format: "email" },
          subject: { type: "string", maxLength: 200 },
          body: { type: "string", maxLength: 20000 },
        },
        additionalProperties: false,
      },
      execute: did("mail", () => ({ message_id: "msg_abc123" })),
      shape: (value: unknown) => ({ summary: "Email sent successfully", data: value }),
      examples: [{ args: { to: "a@example.com", subject: "hello", body: "test" } }],
    },
    {
      capId: noteId,
      name: "add_note",
      description: "Adds a note",
      riskTier: "MEDIUM",
      ioClass: "WRITE",
      effect: "idempotent",
      args: { text: "string" },
      execute: did("note", () => ({ count: done.filter(([name]) => name === "note").length })),
    },
    {
      capId: queryId,
      name: "sql_read",
      description: "Reads sensitive rows",
      riskTier: "MEDIUM",
      ioClass: "READ",
      effect: "pure",
      args: { sql: "string", "limit?": "integer = 10" },
      rules: [
        {
          name: "limit-at-most",
          check: ({ limit }: { limit: number }) => (limit > 200 ? "limit must not be above 200" : undefined),
        },
      ],
      execute: did("query", () => ({ rows: [] })),
    },
    {
      capId: deleteId,
      name: "record_delete",
      description: "Deletes a record",
      riskTier: "CRITICAL",
      ioClass: "WRITE",
      effect: "opaque",
      args: { id: "string" },
      execute: did("delete", () => ({ deleted: true })),
    },
  ];
}

export interface CallInit {
  [field: string]: unknown;
}

/** A router with one session of the agent. */
export interface Rig {
  router: Router;
  store: RouterStore;
  events: RouterEvent[];
  /** What the capabilities did: name and native arguments. */
  done: [string, unknown][];
  /** Session of the agent. */
  session: { id: string; epoch: number; seq: number };
  advance(ms: number): void;
  /** A frame of the session with the next seq; fields as given. */
  frame(type: string, payload: JsonObject, fields?: Record<string, unknown>): Record<string, unknown>;
  /** Sends a frame as it is. */
  raw(frame: unknown, who?: Principal): Promise<Reply>;
  /** Sends a frame of the session, with the next seq; fields as given. */
  send(type: string, payload: JsonObject, fields?: Record<string, unknown>, who?: Principal): Promise<Reply>;
  /** A call by `cap_id`; payload fields as given, `envelope` for those of the frame. */
  call(capId: string, args: JsonObject, init?: CallInit, envelope?: Record<string, unknown>): Promise<Reply>;
  sync(): Promise<Reply>;
  /** Another session. */
  open(who: Principal, payload?: JsonObject): Promise<Rig>;
  close(): Promise<void>;
}

let ids = 0;
function newId(prefix: string): string {
  return `${prefix}_${++ids}`;
}

/** Opens a router and a session; the numbers of the catalog hold from the start. */
export async function rig(options: Partial<RouterOptions> & { more?: AnyCapability[] } = {}): Promise<Rig> {
  const { more = [], ...rest } = options;
  let now = start;
  const store = await storeUnderTest({ now: () => now });
  const done: [string, unknown][] = [];
  const all = [...capabilities(done), ...more];
  const router = createRouter({
    capabilities: all,
    store,
    allowVolatile: true,
    approvalSecrets: [secret],
    ...rest,
    times: { recoverEveryMs: 0, pruneEveryMs: 0, ...rest.times },
  });
  const events: RouterEvent[] = [];
  router.subscribe((event) => events.push(event));
  return openSession(agent, {});

  async function openSession(who: Principal, payload: JsonObject): Promise<Rig> {
    const raw = async (frame: unknown, as: Principal = who): Promise<Reply> =>
      (await router.handle(frame, { principal: as })) as unknown as Reply;
    const hello = await raw({
      ...envelope("HELLO_REQ", now),
      payload: { agent_id: "draft", supported_versions: ["0.1"], resume_session_id: null, ...payload },
    });
    const session = { id: hello.payload.session_id, epoch: hello.payload.catalog_epoch, seq: hello.payload.seq_start };
    const frame = (type: string, inner: JsonObject, fields: Record<string, unknown> = {}) => ({
      ...envelope(type, now),
      session_id: session.id,
      catalog_epoch: session.epoch,
      seq: session.seq,
      payload: inner,
      ...fields,
    });
    const self: Rig = {
      router,
      store,
      events,
      done,
      session,
      advance: (ms) => {
        now += ms;
      },
      frame,
      raw,
      async send(type, inner, fields, as) {
        const sent = frame(type, inner, fields);
        // What is admitted is known at once; only refusals say otherwise, and those name the next seq.
        if (sent.seq === session.seq) session.seq++;
        const reply = await raw(sent, as);
        const expected = reply.payload.retry_hint?.expected_seq;
        if (reply.frame_type === "NACK" && typeof expected === "number") session.seq = expected;
        if (reply.frame_type === "CATALOG_SYNC_RES") session.epoch = reply.payload.catalog_epoch;
        return reply;
      },
      call: (capId, args, init = {}, fields) => self.send("CALL_REQ", callPayload(all, capId, args, init), fields),
      sync: () => self.send("CATALOG_SYNC_REQ", { mode: "FULL", known_epoch: null }),
      open: openSession,
      close: async () => {
        await router.close({ graceMs: 0 });
        await store.close();
      },
    };
    return self;
  }
}

function callPayload(all: AnyCapability[], capId: string, args: JsonObject, init: CallInit = {}): JsonObject {
  return {
    call_id: newId("call"),
    idempotency_key: null,
    idx: all.findIndex((one) => one.capId === capId),
    cap_id: capId,
    depends_on: [],
    attempt: 1,
    timeout_ms: 5000,
    approval_token: null,
    args,
    ...(init as JsonObject),
  };
}

export function envelope(type: string, now: number = start): Record<string, unknown> {
  return {
    trp_version: "0.1",
    frame_type: type,
    session_id: null,
    frame_id: newId("frm"),
    trace_id: newId("trc"),
    timestamp_ms: now,
    catalog_epoch: null,
    seq: null,
    payload: {},
  };
}

/** A capability whose executions wait until they are let go. */
export function gate(
  init: Partial<AnyCapability> = {},
): AnyCapability & { open(): void; entered(times?: number): Promise<void> } {
  const waiting: (() => void)[] = [];
  let count = 0;
  const watchers: { times: number; resolve: () => void }[] = [];
  return {
    capId: "cap.test.gate.v1",
    name: "gate",
    description: "Waits",
    riskTier: "LOW",
    ioClass: "READ",
    effect: "pure",
    args: {},
    async execute() {
      count++;
      for (const { times, resolve } of watchers) if (count >= times) resolve();
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { count };
    },
    ...init,
    open: () => {
      for (const resolve of waiting.splice(0)) resolve();
    },
    entered: (times = 1) =>
      count >= times ? Promise.resolve() : new Promise((resolve) => watchers.push({ times, resolve })),
  };
}

/** `rig()` that is closed by `closeAll`, for `afterEach`. */
export function opener(): { open: typeof rig; closeAll(): Promise<void> } {
  const rigs: Rig[] = [];
  return {
    async open(options) {
      const opened = await rig(options);
      rigs.push(opened);
      return opened;
    },
    async closeAll() {
      for (const one of rigs.splice(0)) await one.close();
    },
  };
}
