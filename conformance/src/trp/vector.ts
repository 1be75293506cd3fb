import { readdirSync, readFileSync } from "node:fs";

/** A file of vectors for a router: what is sent, and what has to come back. The README says it in words. */
export interface TrpFile {
  protocol: "trp";
  topic: string;
  about: string;
  /** Of every vector that has none of its own. */
  setup?: Setup;
  vectors: TrpVector[];
}

/** One conversation with a router of its own. */
export interface TrpVector {
  /** Unique over all files. */
  name: string;
  /** The sentence that is tested, with its place. */
  spec: string;
  setup?: Setup;
  /** What the runner does for session `main` before the steps. Default `sync`: hello and catalog sync, which takes seq 1. */
  open?: "none" | "hello" | "sync";
  steps: Step[];
  /** The same conversation as a client lives it: run against a server that takes the `send` steps' frames as patterns and
   * plays their replies. Other steps are left out. */
  client?: ClientStep[];
  /** How the client is made: `agent_id`, `resume_session_id`, `keys`. */
  client_options?: Record<string, unknown>;
  /** It is about a store that keeps nothing, and only run on such a one. */
  volatile?: true;
  /** False: it holds what only another router would answer, so it is only played to a client. */
  router?: false;
}

/** What the router under test is made with. */
export interface Setup {
  /** Instead of the standard ones (`standardCapabilities`). */
  capabilities?: CapabilityData[];
  /** After the standard ones. */
  more?: CapabilityData[];
  /** Beside `agent`, `other`, `boss`, `reader`, `deleter` and `stranger`. */
  principals?: Record<string, PrincipalData>;
  approval_secrets?: string[];
  /** In words of `RouterLimits`, in snake case. */
  limits?: Record<string, number>;
  /** In words of `RouterTimes`, in snake case; milliseconds. */
  times?: Record<string, number>;
  strict_epoch?: boolean;
  /** Default true. */
  allow_volatile?: boolean;
  /** Requests for approval of one principal that may wait. */
  pending_approvals?: number;
  /** In tokens. */
  result_budget?: number;
  /** Asked in this order before the default policy; the first that fits decides. */
  policy?: PolicyData[];
  /** Features that session `main` asks for. */
  features?: string[];
}

export interface PrincipalData {
  id: string;
  tenant?: string;
  roles?: string[];
  can_delete?: boolean;
}

/** A rule of a policy that the test supplies. */
export interface PolicyData {
  cap_id: string;
  decision: "allow" | "deny" | "approve";
  reason: string;
  /** Only from the call after so many on; counted at admission. */
  after_calls?: number;
  /** With `deny`: by a rate, and this is when to try again. */
  retry_after_ms?: number;
  /** Only in this phase: `start` is right before the capability runs. */
  phase?: "admission" | "start";
}

/** A capability as data: what it does is one of a fixed set. */
export interface CapabilityData {
  cap_id: string;
  name: string;
  desc: string;
  risk_tier: "LOW" | "MEDIUM" | "HIGH" | "CRITICAL";
  io_class: "READ" | "WRITE";
  effect: "pure" | "idempotent" | "keyed" | "probe" | "opaque";
  /** JSON Schema of the canonical args. */
  schema: Record<string, unknown>;
  does: Behaviour;
  /** What `probe` answers. */
  probe?: "done" | "failed" | "not-applied" | "unknown";
  /** Native names of canonical arguments; `throw`: the adapter is broken. */
  adapt?: Record<string, string> | "throw";
  /** Semantic rule: the argument must not be above `max`. */
  rule?: { name: string; argument: string; max: number };
  roles?: string[];
  examples?: { args: Record<string, unknown> }[];
  max_concurrency?: number;
  max_timeout_ms?: number;
  adapter_version?: string;
  /** JSON Schema of `data` in its results. */
  output?: Record<string, unknown>;
}

/** What a test capability does when it is executed; each execution is counted first. */
export type Behaviour =
  /** Gives `{ "echo": <native arguments> }`. */
  | "echo"
  /** Gives `{ "count": <how often it was executed> }`. */
  | "count"
  /** Gives `{ "key": <the key for downstream> }`. */
  | "key"
  /** Ends only when it is told to stop. */
  | "never"
  /** Waits for a `release` step, then does as `echo`. */
  | "hold"
  /** Gives the value. */
  | { value: unknown }
  /** Gives a text of so many characters. */
  | { text: number }
  /** Fails definitely; the model may read the message. */
  | { fail: string }
  /** Fails, proven to have had no effect. */
  | { not_applied: string }
  /** Breaks with an exception that says nothing about the effect. Nobody outside may read the message. */
  | { throw: string }
  /** Reports each text as a partial result, then does as it says. */
  | { say: string[]; then: Behaviour }
  /** One after the other; the last one stays. */
  | { in_turn: Behaviour[] };

/** A frame to send; fields that are not given are filled in (README). */
export interface SentFrame {
  frame_type: string;
  payload?: Record<string, unknown>;
  [field: string]: unknown;
}

/** What is expected of a refusal, as a NACK unless `in` says otherwise. */
export interface ExpectedFault {
  /** Pattern. */
  code: unknown;
  class: string;
  retryable?: boolean;
  dispatched?: boolean;
  /** Pattern of `retry_hint`, beside `expected_seq`. */
  hint?: Record<string, unknown>;
  /** Pattern of `message`. */
  message?: unknown;
  /** RESULT: a RESULT with this status, and the error in it. */
  in?: "NACK" | "FAILED" | "UNKNOWN";
  /** Nobody can know the next seq here. */
  no_seq?: true;
}

export type Step =
  | SendStep
  /** A body over HTTP, as it stands or as a frame. `bearer` names a principal; null: none is given. */
  | {
      post: string | SentFrame | { $repeat: string; times: number };
      bearer?: string | null;
      method?: string;
      content_type?: string;
      session?: string;
      consumes?: false;
      status: number;
      reply: unknown;
    }
  | { await: string; reply?: unknown; fault?: ExpectedFault }
  /** Until the capability has been executed so often. */
  | { until_executed: Record<string, number> }
  | { release: string }
  /** How often each capability has been executed. */
  | { effects: Record<string, number> }
  | { advance_ms: number }
  | { decide: "approve" | "deny"; as: string; id: unknown; expect: string }
  /** `expect`: pattern of the list of approvals, newest first. */
  | { approvals: string; expect: unknown }
  /** `expect`: pattern of the list of operations in doubt. */
  | { in_doubt: string; expect: unknown }
  | { resolve: unknown; as: string; to: "done" | "failed" | "not-applied"; value?: unknown; expect: string }
  | { register: CapabilityData[] }
  | { unregister: string }
  /** The router is gone, as by a crash: another one takes its store over. What ran in the old one goes on there. */
  | { crash: true }
  | { recover: true }
  /** Compares values that earlier steps bound. */
  | { compare: unknown; with: unknown };

export interface SendStep {
  /** A frame, or a reference to one that was sent before. */
  send: SentFrame | string;
  /** Sent as it stands, without a field filled in; the reply's envelope is not compared. */
  raw?: true;
  /** The reply's envelope is not compared, since the frame's is broken. */
  loose?: true;
  /** A name for the frame. */
  bind?: string;
  /** Default `agent`. */
  as?: string;
  /** Default `main`; another name after a HELLO_REQ in it opens it. */
  session?: string;
  /** Whether the seq is used up. Default true. */
  consumes?: false;
  /** Not waited for: a later `await` step does. */
  async?: string;
  reply?: unknown;
  fault?: ExpectedFault;
  /** Of the played reply. Default 200. */
  http_status?: number;
}

/** What a client is made to do, in the words of its contract. */
export interface ClientStep {
  do: "hello" | "sync" | "call" | "call_by_cap" | "batch" | "cap_query" | "query";
  with?: Record<string, unknown>;
  /** Pattern of what comes back, in snake case; of what is thrown, `{ "throws": <code> }`. */
  expect?: unknown;
}

const vectors = new URL("../../vectors/trp/", import.meta.url);
const wire = new URL("../../trp/wire/", import.meta.url);

/** All files of vectors that are conversations. */
export function readTrpVectors(): TrpFile[] {
  return [...readFolder(vectors), ...readFolder(wire)]
    .filter((file): file is TrpFile => "vectors" in file)
    .map((file) => ({ ...file, vectors: file.vectors.filter(({ router }) => router !== false) }));
}

/** The transcripts made from the facts of the Python implementation. */
export function readTrpWire(): TrpFile[] {
  return readFolder(wire) as TrpFile[];
}

/** A file of vectors for single functions: what goes in, and what has to come out. */
export interface ValuesFile {
  protocol: "trp";
  topic: string;
  about: string;
  values: Record<string, unknown>[];
}

export function readTrpValues(topic: string): ValuesFile {
  return readFile(vectors, `${topic}.json`) as ValuesFile;
}

export function readTrpFiles(): Record<string, unknown> {
  return Object.fromEntries(
    [vectors, wire].flatMap((folder) =>
      names(folder).map((name) => [name, readFile(folder, name)] as [string, unknown]),
    ),
  );
}

function readFolder(folder: URL): (TrpFile | ValuesFile)[] {
  return names(folder).map((name) => {
    const file = readFile(folder, name);
    if (!("vectors" in file) || file.setup === undefined) return file;
    const { setup } = file;
    return { ...file, vectors: file.vectors.map((vector) => ({ setup, ...vector })) };
  });
}

function names(folder: URL): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort();
}

function readFile(folder: URL, name: string): TrpFile | ValuesFile {
  return JSON.parse(readFileSync(new URL(name, folder), "utf8"));
}
