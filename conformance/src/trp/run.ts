import { conversationOperators, frameOf, type Session } from "./frame.ts";
import { type Bindings, fill, mismatches } from "./pattern.ts";
import type { OperationData, RouterSetup, RouterUnderTest, TrpImplementation } from "./router-under-test.ts";
import { standardCapabilities, standardPrincipals } from "./standard.ts";
import type { ExpectedFault, PrincipalData, SendStep, SentFrame, Step, TrpVector } from "./vector.ts";

/** Everything that is wrong with how a router takes part in a conversation. */
export async function conversationFailures(implementation: TrpImplementation, vector: TrpVector): Promise<string[]> {
  const conversation = await Conversation.open(implementation, vector);
  try {
    await conversation.run();
  } finally {
    await conversation.close();
  }
  return conversation.found;
}

interface Sent {
  frame: SentFrame;
  step: SendStep;
  session: Session;
  /** The seq that the router expects once it has taken the frame. */
  next: number;
  reply: Promise<unknown>;
}

class Conversation {
  readonly found: string[] = [];
  readonly #vector: TrpVector;
  readonly #setup: RouterSetup;
  readonly #router: RouterUnderTest;
  readonly #bindings: Bindings = new Map();
  readonly #sessions = new Map<string, Session>();
  readonly #pending = new Map<string, Sent>();
  #where = "";

  static async open(implementation: TrpImplementation, vector: TrpVector): Promise<Conversation> {
    const { capabilities = standardCapabilities, more = [], principals = {}, ...rest } = vector.setup ?? {};
    const setup = {
      ...rest,
      principals: { ...standardPrincipals, ...principals },
      capabilities: [...capabilities, ...more],
    };
    return new Conversation(vector, setup, await implementation.open(setup));
  }

  private constructor(vector: TrpVector, setup: RouterSetup, router: RouterUnderTest) {
    this.#vector = vector;
    this.#setup = setup;
    this.#router = router;
  }

  async run(): Promise<void> {
    const { open = "sync", steps, setup } = this.#vector;
    if (open !== "none") {
      this.#where = "opening";
      const payload = setup?.features ? { features: setup.features } : {};
      await this.#send({ send: { frame_type: "HELLO_REQ", payload }, reply: { frame_type: "HELLO_RES" } });
      if (open === "sync")
        await this.#send({ send: { frame_type: "CATALOG_SYNC_REQ" }, reply: { frame_type: "CATALOG_SYNC_RES" } });
    }
    for (const [index, step] of steps.entries()) {
      this.#where = `step ${index + 1}`;
      if (this.found.length > 5) return;
      await this.#step(step);
    }
    // What a conversation says of the seq must be so: the next one is admitted in every session that it opened.
    for (const [name, session] of this.#sessions) {
      this.#where = `the next seq of ${name}`;
      if (session.closed || session.id === undefined) continue;
      await this.#send({
        send: { frame_type: "RESULT_QUERY_REQ", payload: { call_id: "$new:nobody" } },
        session: name,
        as: session.as,
        reply: { frame_type: "RESULT_QUERY_RES", payload: { status: "NOT_FOUND" } },
      });
    }
  }

  close(): Promise<void> {
    return this.#router.close();
  }

  async #step(step: Step): Promise<void> {
    if ("send" in step) return this.#send(step);
    if ("post" in step) return this.#post(step);
    if ("await" in step) {
      const sent = this.#pending.get(step.await);
      if (!sent) throw new TypeError(`${this.#vector.name}: nothing was sent as ${step.await}`);
      const { reply, fault } = step;
      await this.#answered({ ...sent, step: { ...sent.step, reply, ...(fault ? { fault } : {}) } });
    } else if ("until_executed" in step) await this.#until(step.until_executed);
    else if ("release" in step) this.#router.release(step.release);
    else if ("effects" in step) {
      const effects = Object.fromEntries(Object.keys(step.effects).map((id) => [id, this.#router.executions(id)]));
      this.#compare(step.effects, effects, "executions");
    } else if ("advance_ms" in step) this.#router.advance(step.advance_ms);
    else if ("decide" in step)
      this.#compare(
        step.expect,
        await this.#router.decide(this.#principal(step.as), step.decide, String(this.#fill(step.id))),
        step.decide,
      );
    else if ("approvals" in step)
      this.#compare(step.expect, await this.#router.approvals(this.#principal(step.approvals)), "approvals");
    else if ("in_doubt" in step)
      this.#compare(step.expect, await this.#router.inDoubt(this.#principal(step.in_doubt)), "in doubt");
    else if ("resolve" in step)
      this.#compare(
        step.expect,
        await this.#router.resolve(
          this.#principal(step.as),
          this.#fill(step.resolve) as OperationData,
          step.to,
          step.value ?? null,
        ),
        "resolve",
      );
    else if ("register" in step) this.#router.register(step.register);
    else if ("unregister" in step) this.#router.unregister(step.unregister);
    else if ("crash" in step) await this.#router.crash();
    else if ("recover" in step) await this.#router.recover();
    else this.#compare(step.with, this.#fill(step.compare), "compare");
  }

  async #send(step: SendStep): Promise<void> {
    const { session: name = "main", as = "agent", raw } = step;
    const session = this.#sessions.get(name) ?? newSession(as);
    this.#sessions.set(name, session);
    const fillIn = (template: unknown) => this.#fill(template);
    const frame = (
      typeof step.send === "string" || raw ? fillIn(step.send) : frameOf(step.send, session, fillIn)
    ) as SentFrame;
    if (step.consumes !== false && !raw && frame.frame_type !== "HELLO_REQ") session.next++;
    const sent: Sent = {
      frame,
      step,
      session,
      next: session.next,
      reply: this.#router.handle(frame, this.#principal(as)),
    };
    this.#bindings.set(step.async ?? step.bind ?? "sent", frame);
    if (step.async === undefined) return this.#answered(sent);
    sent.reply.catch(() => {});
    this.#pending.set(step.async, sent);
  }

  /** Compares the answer of a frame with what is expected, and learns from it what the next frames need. */
  async #answered({ frame, step, session, next, reply }: Sent): Promise<void> {
    let answer: unknown;
    try {
      answer = await reply;
    } catch (error) {
      this.found.push(`${this.#where}: ${frame.frame_type} was answered by an exception: ${String(error)}`);
      return;
    }
    this.#bindings.set("request", frame);
    const name = `${frame?.frame_type ?? "broken frame"} → ${(answer as SentFrame | undefined)?.frame_type}`;
    if (!step.raw && !step.loose) this.#compare(envelopeOf(frame), answer, name);
    if (step.fault) this.#compare(faultPattern(step.fault, frame, next), answer, name);
    if (step.reply !== undefined) this.#compare(step.reply, answer, name);
    if (frame?.session_id === session.id || frame?.frame_type === "HELLO_REQ") learn(session, answer);
  }

  async #post(step: Extract<Step, { post: unknown }>): Promise<void> {
    const { post, bearer = "agent", method = "POST", content_type: contentType = "application/json" } = step;
    const name = step.session ?? "main";
    const session = this.#sessions.get(name) ?? newSession(bearer ?? "agent");
    this.#sessions.set(name, session);
    let body: string;
    if (typeof post === "string") body = post;
    else if ("frame_type" in post) {
      const frame = frameOf(post as SentFrame, session, (part) => this.#fill(part)) as SentFrame;
      this.#bindings.set("request", frame);
      if (step.consumes !== false && frame.frame_type !== "HELLO_REQ") session.next++;
      body = JSON.stringify(frame);
    } else body = String(this.#fill(post));
    const answer = await this.#router.post({ body, bearer, method, contentType });
    this.#compare(step.status, answer.status, "HTTP status");
    this.#compare(step.reply, answer.body, "HTTP body");
    learn(session, answer.body);
  }

  /** Waits, in turns of the event loop rather than by the clock, until something has been executed. */
  async #until(wanted: Record<string, number>): Promise<void> {
    const deadline = Date.now() + 5000;
    while (Object.entries(wanted).some(([id, times]) => this.#router.executions(id) < times)) {
      if (Date.now() > deadline) {
        this.found.push(`${this.#where}: not executed: ${JSON.stringify(wanted)}`);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  #compare(pattern: unknown, value: unknown, what: string): void {
    for (const one of mismatches(pattern, value, this.#bindings)) this.found.push(`${this.#where}, ${what}: ${one}`);
  }

  #fill(template: unknown): unknown {
    return fill(template, this.#bindings, {
      now: () => this.#router.now(),
      operators: conversationOperators(() => this.#router.now()),
    });
  }

  #principal(name: string): PrincipalData {
    const principal = this.#setup.principals[name];
    if (!principal) throw new TypeError(`${this.#vector.name}: no principal is called ${name}`);
    return principal;
  }
}

function newSession(as: string): Session {
  return { as, next: 1, epoch: null, indexes: new Map() };
}

/** What every reply's envelope must be: the request's, and no other fields. */
function envelopeOf(frame: SentFrame): unknown {
  const hello = frame.frame_type === "HELLO_REQ";
  return {
    $exactly: {
      trp_version: "0.1",
      frame_type: "$text",
      session_id: hello ? "$any" : frame.session_id,
      frame_id: `res_${String(frame.frame_id)}`,
      trace_id: frame.trace_id,
      timestamp_ms: "$int",
      catalog_epoch: { $or: [null, "$int"] },
      seq: hello ? null : frame.seq,
      payload: "$object",
    },
  };
}

/** The pattern that a refusal has to fit. */
function faultPattern(fault: ExpectedFault, frame: SentFrame, next: number): unknown {
  const { code, class: errorClass, retryable, dispatched, hint = {}, message, in: place = "NACK" } = fault;
  const error = {
    error_class: errorClass,
    error_code: code,
    message: message === undefined ? "$text" : message,
    fix: "$line",
    retryable: retryable ?? "$boolean",
    dispatched: dispatched ?? "$boolean",
    retry_hint: hint,
  };
  const callId = frame.frame_type === "CALL_REQ" ? (frame.payload?.call_id ?? null) : "$any";
  if (place !== "NACK")
    return { frame_type: "RESULT", payload: { call_id: callId, status: place, result: null, error } };
  const known = fault.no_seq ? {} : { expected_seq: next };
  return {
    frame_type: "NACK",
    catalog_epoch: frame.catalog_epoch ?? null,
    payload: {
      ...error,
      nack_of_frame_id: frame.frame_id ?? null,
      nack_of_call_id: typeof callId === "string" ? callId : null,
      retry_hint: { ...known, ...hint },
    },
  };
}

/** Session id, epoch and numbers, as a client takes them from replies. */
function learn(session: Session, answer: unknown): void {
  const { frame_type: type, payload } = (answer ?? {}) as { frame_type?: string; payload?: Record<string, unknown> };
  if (type === "HELLO_RES" && payload) {
    session.id = String(payload.session_id);
    session.epoch = payload.catalog_epoch as number;
    session.next = payload.seq_start as number;
  }
  if (type === "CATALOG_SYNC_RES" && payload) {
    session.epoch = payload.catalog_epoch as number;
    session.indexes = new Map(
      ((payload.alias_table ?? []) as { cap_id: string; idx: number }[]).map(({ cap_id, idx }) => [cap_id, idx]),
    );
  }
  if (type === "NACK" && payload?.error_code === "TRP_1008") session.closed = true;
}
