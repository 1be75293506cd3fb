import { capIdOf, type Kind } from "./outside.ts";
import type { Random } from "./random.ts";
import { type Frame, type Said, saidBy, saysNothingRan, type Told } from "./statements.ts";
import type { Process, VirtualTime } from "./virtual-time.ts";

/** Something that agents want to be done once. */
export interface Operation {
  /** What it is about: its arguments. */
  op: string;
  /** The end of its key: `op1`, or `op1/again` under another key. */
  name: string;
  kind: Kind;
  /** Whether the agent changes its mind while it runs. */
  cancels: boolean;
  isAsync: boolean;
  /** Whether the agent asks for it in two calls at once. */
  isDoubled: boolean;
  /** Whether the agent takes the first refusal for an answer, when it has heard of nothing else. */
  givesUp: boolean;
  /** Whether it asks for the same under another key when it is told that the outcome is unknown. */
  insists: boolean;
}

/** The name of a record's operation. */
export function nameOf({ key }: { key: string }): string {
  return key.slice("key/".length);
}

/** Whether the caller of a started operation was told that an attempt has failed, so that nobody goes on by himself. */
export function isAnswered({ data }: { data?: unknown }): boolean {
  return (data as { answered?: unknown } | undefined)?.answered !== undefined;
}

/** What was said of an operation, by whichever router, in the order in which it was said. */
export interface Heard {
  operation: Operation;
  said: Said[];
  sessions: Set<string>;
  /** A router has taken the wish to cancel it. */
  isCancelled: boolean;
  /** It was cancelled, and has failed: nobody runs it again. */
  isOver: boolean;
  /** What the agents were told last, when all was quiet. */
  last: Told | undefined;
}

/** How frames get to routers. */
export interface Wire {
  /** Sends a frame to some router; undefined when no answer comes in time. */
  send(from: Process, frame: Frame, heard: Heard | undefined, patienceMs: number): Promise<Frame | undefined>;
  /** Somebody decides about a request for approval, sooner or later. */
  askPeople(approvalId: string, operation: Operation): void;
}

const timeoutMs = 6_000;

interface Session {
  id: string;
  epoch: number;
  /** The numbers of the capabilities. */
  idx: Map<string, number>;
}

/** An agent that wants answers and takes no care: it sends to any router, twice at once, again, and in new frames. */
export class Agent {
  readonly process: Process;
  readonly heard = new Map<string, Heard>();
  isReady = false;
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #wire: Wire;
  readonly #features: string[];
  #session: Session | undefined;
  #opening: Promise<Session | undefined> | undefined;
  #seq = 1;
  #frames = 0;

  constructor(process: Process, time: VirtualTime, random: Random, wire: Wire) {
    this.process = process;
    this.#time = time;
    this.#random = random.fork();
    this.#wire = wire;
    this.#features = ["CANCEL", ...(this.#random.chance(0.5) ? ["RESULT_FAILED"] : [])];
  }

  /** Brings each operation to an end, one after the other. */
  async work(operations: readonly Operation[], until: number): Promise<void> {
    for (const operation of operations) {
      await this.#time.sleep(this.#random.mostlyNear(0, 6_000));
      const mind = { isMadeUp: false };
      const cancelling = operation.cancels ? this.#cancel(operation, until, mind) : undefined;
      const isDoubled = operation.isDoubled && !operation.cancels;
      const twin = isDoubled ? this.#call(operation, until, "-twin") : undefined;
      const told = await this.#call(operation, until);
      await twin;
      mind.isMadeUp = true;
      await cancelling;
      if (told === "unknown" && operation.insists) await this.#call(insisted(operation), until);
    }
    this.isReady = true;
  }

  /** Asks again when all is quiet: about the call, and in a new call with the same key. */
  async lookBack(until: number): Promise<void> {
    this.isReady = false;
    for (const heard of this.heard.values()) {
      const { operation } = heard;
      if (operation.givesUp && heard.isOver) continue;
      const callId = this.#callId(operation);
      const found = await this.#ask("RESULT_QUERY_REQ", heard, () => ({ call_id: callId }));
      const hasRun = heard.said.some((each) => each.callId === callId);
      if (hasRun && found?.frame_type === "RESULT_QUERY_RES" && saysNothingRan(found)) {
        heard.said.push({ told: "not-run" });
      }
      // Once it is known what became of the first key, the second one stands for another operation.
      const isSecond = operation.name !== operation.op;
      if (operation.cancels || isSecond || heard.isOver) heard.last = heard.said.at(-1)?.told;
      else heard.last = await this.#call(operation, until, "-later");
    }
    this.isReady = true;
  }

  async #call(operation: Operation, until: number, suffix = ""): Promise<Told | undefined> {
    const heard = this.#heardOf(operation);
    const callId = this.#callId(operation) + suffix;
    const { op, name, kind, isAsync } = operation;
    const call = ({ idx }: Session): object => ({
      ...{ call_id: callId, idempotency_key: `key/${name}`, idx: idx.get(capIdOf(kind)), cap_id: capIdOf(kind) },
      ...{ depends_on: [], attempt: 1, timeout_ms: timeoutMs, approval_token: null, args: { op } },
      ...(isAsync && { execution_mode: "ASYNC" }),
    });
    let isSure = operation.givesUp && suffix === "";
    while (this.#time.now < until && !heard.isOver) {
      const reply = await this.#ask("CALL_REQ", heard, call, isSure);
      const said = reply && saidBy(reply);
      if (said !== undefined) return said.told;
      isSure &&= reply?.frame_type === "NACK" && reply.payload.dispatched === false;
      if (isSure && String(reply?.payload.error_code).startsWith("TRP_5")) {
        // Whatever was sent was refused, and nothing was executed.
        heard.said.push({ told: "not-run" });
        heard.isOver = true;
        this.#time.note(`gives up ${callId}`);
        return "not-run";
      }
      const { error_code, retry_hint, status, dispatched } = reply?.payload ?? {};
      if (heard.isCancelled && (status === "FAILED" || dispatched === true)) heard.isOver = true;
      if (error_code === "TRP_4002" && retry_hint.approval_id) this.#wire.askPeople(retry_hint.approval_id, operation);
      await this.#time.sleep(this.#random.between(50, 800));
      if (reply?.frame_type !== "ACK" || !this.#random.chance(0.5)) continue;
      const found = await this.#ask("RESULT_QUERY_REQ", heard, () => ({ call_id: callId }));
      const told = found && saidBy(found)?.told;
      if (told !== undefined) return told;
    }
    return undefined;
  }

  async #cancel(operation: Operation, until: number, mind: { isMadeUp: boolean }): Promise<void> {
    await this.#open();
    await this.#time.sleep(this.#random.chance(0.6) ? this.#random.between(0, 60) : this.#random.between(0, 3_000));
    const heard = this.#heardOf(operation);
    const callId = this.#callId(operation);
    while (!mind.isMadeUp && this.#time.now < until) {
      const reply = await this.#ask("CANCEL_REQ", heard, () => ({ call_id: callId }));
      const status = reply?.frame_type === "CANCEL_RES" ? reply.payload.status : "NOT_FOUND";
      heard.isCancelled ||= status !== "NOT_FOUND";
      heard.isOver ||= status === "FAILED";
      if (heard.isCancelled) return;
      await this.#time.sleep(this.#random.between(5, 200));
    }
  }

  /** One frame of the session: its first answer. Now and then it is sent twice, or again when nothing comes. */
  async #ask(
    type: string,
    heard: Heard,
    payload: (session: Session) => object,
    isOnce = false,
  ): Promise<Frame | undefined> {
    const session = await this.#open();
    if (session === undefined) return undefined;
    heard.sessions.add(session.id);
    const frame = this.#frame(type, session, this.#seq++, payload(session));
    const send = (): Promise<Frame | undefined> =>
      this.#wire.send(this.process, structuredClone(frame), heard, isOnce ? 30_000 : this.#random.between(800, 8_000));
    const isTwice = this.#random.chance(0.2) && !isOnce;
    const reply = await (isTwice ? Promise.race([send(), send()]) : send());
    if (reply === undefined && !isOnce && this.#random.chance(0.4)) return await send();
    this.#follow(reply);
    return reply;
  }

  /** Does what a refusal says about the session. */
  #follow(reply: Frame | undefined): void {
    if (reply?.frame_type !== "NACK") return;
    const { error_code, retry_hint } = reply.payload;
    if (error_code === "TRP_1008") this.#session = undefined;
    if (error_code === "TRP_1002" || error_code === "TRP_1004") this.#seq = retry_hint.expected_seq;
  }

  /** The session, and a new one when there is none: one, whoever asks meanwhile. */
  async #open(): Promise<Session | undefined> {
    if (this.#session !== undefined) return this.#session;
    this.#opening ??= this.#hello().finally(() => {
      this.#opening = undefined;
    });
    return await this.#opening;
  }

  async #hello(): Promise<Session | undefined> {
    const hello = { agent_id: "agent", supported_versions: ["0.1"], resume_session_id: null, features: this.#features };
    const opened = await this.#wire.send(
      this.process,
      this.#frame("HELLO_REQ", undefined, null, hello),
      undefined,
      4_000,
    );
    if (opened?.frame_type === "HELLO_RES") {
      const { session_id: id, catalog_epoch: epoch, seq_start } = opened.payload;
      const session: Session = { id, epoch, idx: new Map() };
      const sync = this.#frame("CATALOG_SYNC_REQ", session, seq_start, { mode: "FULL", known_epoch: epoch });
      const synced = await this.#wire.send(this.process, sync, undefined, 4_000);
      if (synced?.frame_type === "CATALOG_SYNC_RES") {
        for (const { cap_id, idx } of synced.payload.alias_table) session.idx.set(cap_id, idx);
        session.epoch = synced.payload.catalog_epoch;
        this.#seq = seq_start + 1;
        this.#session = session;
        return session;
      }
    }
    await this.#time.sleep(50);
    return undefined;
  }

  #frame(type: string, session: Session | undefined, seq: number | null, payload: object): Frame {
    const id = `${this.process.name}-${++this.#frames}`;
    return {
      ...{ trp_version: "0.1", frame_type: type, session_id: session?.id ?? null, frame_id: id, trace_id: id },
      ...{ timestamp_ms: this.#time.wallClock(), catalog_epoch: session?.epoch ?? null, seq, payload },
    };
  }

  /** Of one agent: calls of others have other ids. */
  #callId({ name }: Operation): string {
    return `${this.process.name}-${name}`;
  }

  #heardOf(operation: Operation): Heard {
    const { name } = operation;
    const heard = this.heard.get(name) ?? {
      operation,
      said: [],
      sessions: new Set(),
      isCancelled: false,
      isOver: false,
      last: undefined,
    };
    this.heard.set(name, heard);
    return heard;
  }
}

/** The same under another key. */
function insisted(operation: Operation): Operation {
  return { ...operation, name: `${operation.op}/again`, insists: false, cancels: false };
}
