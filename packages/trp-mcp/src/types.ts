import type { JsonObject, JsonValue } from "@toolglot/core";
import type { McpCallOptions, McpCallResult, McpClient } from "@toolglot/toolkit";
import type { Effect, Principal } from "@toolglot/trp-core";
import type { IoClass, RiskTier, TrpCode } from "@toolglot/trp-core/frames";

/**
 * What happens to a call whose effect was there before: `window` returns its result again for `windowMs`, then runs; the others
 * run a call that is done at once. While it is unknown what became of a call, only `free` runs it again.
 */
export interface RepeatRule {
  /** Default `window`. */
  mode: "window" | "in-doubt" | "free";
  /** Milliseconds. Default 600,000. */
  windowMs: number;
}

/** A read that finds out whether a call happened of which nobody knows. */
export interface ProbeSettings {
  /** A tool of the same server, by the server's own name. */
  tool: string;
  /** Texts in braces are filled from the call's arguments, as in `effectKey`. */
  arguments: JsonObject;
  /** A JSON pointer into `structuredContent`: the call happened when there is a value, or `equals`. */
  found: string;
  equals?: JsonValue;
}

/** The settings of a gateway's owner for a tool. What is left out follows from the tool's annotations. */
export interface ToolSettings {
  risk?: RiskTier;
  io?: IoClass;
  effect?: Effect;
  /**
   * Names the effect by the arguments: `refund:{id}`, with the last names or JSON pointers of arguments in braces. Default: all
   * arguments.
   */
  effectKey?: string;
  repeat?: RepeatRule;
  /** Milliseconds. */
  timeoutMs?: number;
  /** Not listed, and not to be called. */
  hidden?: boolean;
  /** For `effect: "keyed"`: where the server takes the key, a JSON pointer into the arguments, or `_meta/NAME`. */
  downstreamKeyIn?: string;
  /** Roles of which an approver needs one. Default `approver`. */
  approvers?: readonly string[];
  probe?: ProbeSettings;
}

/** A tool of a server, as the gateway has it. */
export interface ImportedTool {
  /** The server's name, as the configuration has it. */
  readonly server: string;
  /** The tool's name at its server. */
  readonly tool: string;
  /** The name that clients see: `<server>__<tool>`, at most 64 characters. */
  readonly shownName: string;
  readonly capId: string;
  /** The tool as the server lists it, under the shown name, without what a model may not set. */
  readonly listed: JsonObject & { name: string; inputSchema: JsonObject };
  readonly io: IoClass;
  readonly risk: RiskTier;
  readonly effect: Effect;
  readonly repeat: RepeatRule;
  readonly settings: Readonly<ToolSettings>;
}

/** What a call carries besides its arguments, in the process that makes it; a capability finds it by its call's id. */
export interface CallExtras {
  /** Answers questions of the server. */
  ask?: McpCallOptions["ask"];
  onProgress?: McpCallOptions["onProgress"];
  /** `_meta` of the client's request that goes to the server. */
  meta?: JsonObject;
  /** What the call's audit rows are to name: the tool, and the receipt that the caller gets. */
  tool?: ImportedTool;
  receipt?: string;
  /** Set by the capability: the server's answer, exactly as it came. */
  result?: McpCallResult;
  /** Set by the capability when there is no answer: what is known of the request, and why, in words for the caller. */
  fault?: { fate: "unsent" | "refused" | "unknown"; message: string; code?: number };
}

/**
 * What is reported of a server and its tools, for the log. `changed`: risk or schema of a tool is another one than at first sight. `down`: the
 * server can't be reached or has ended, reported once for each reason; `up`: it is there again.
 */
export interface ImportNotice {
  server: string;
  tool?: string;
  kind: "added" | "removed" | "changed" | "held-back" | "unusable" | "renamed" | "down" | "up";
  message: string;
}

/** How a server is. */
export interface ServerState {
  /** Whether it answered when it was last asked. */
  up: boolean;
  /** How often it was connected again after its session had ended. */
  restarts: number;
  /** It ended so often that nobody tries it before then: calls are answered at once, not dispatched. Milliseconds since the epoch. */
  downUntil?: number;
  /** Why it is not up. */
  reason?: string;
  /** It wants a login that there is not. */
  needsLogin?: boolean;
}

/** A prompt of a server, as the gateway has it. */
export interface ImportedPrompt {
  server: string;
  /** The prompt's name at its server. */
  prompt: string;
  /** The name that clients see: as that of a tool. */
  shownName: string;
  /** The prompt as the server lists it, under the shown name. */
  listed: JsonObject & { name: string };
}

/**
 * What a server has besides tools. To read one of them is a call like that of a tool, with policy and audit: the answer's `result` is that
 * of the method, exactly as it came.
 */
export interface ImportedOffer {
  /** `cap.mcp.<server>.resource_read.v1`, arguments `{ uri }`: `resources/read`. Undefined where the server has no resources. */
  readonly resourceRead: ImportedTool | undefined;
  /** `cap.mcp.<server>.prompt_get.v1`, arguments `{ name, arguments? }` with the server's own name: `prompts/get`. */
  readonly promptGet: ImportedTool | undefined;
  /** All of them, as the server lists them; none where it has no resources. Rejects as `McpClient.request`. */
  listResources(): Promise<(JsonObject & { uri: string })[]>;
  listResourceTemplates(): Promise<(JsonObject & { uriTemplate: string })[]>;
  listPrompts(): Promise<ImportedPrompt[]>;
}

/** A server as callers have it. */
export interface ServerView {
  readonly name: string;
  readonly client: McpClient;
  /** Of those that may be shown: neither hidden, denied nor held back. */
  readonly tools: readonly ImportedTool[];
  /** Its resources and prompts. Subscriptions, completion and logging: `client.request` and `client.onNotification`. */
  readonly offer: ImportedOffer;
  state(): ServerState;
}

/**
 * A server at which each caller has a connection of their own: what it lists for one is shown to nobody else. A tool that differs by caller
 * is one capability, and counts as the most harmful of those that are known.
 */
export interface CallerLists {
  /** As the caller's connection listed it last: nothing before `ready`. */
  of(principal: Principal): ServerView;
  /** Reads what the server lists for a caller, where that is not known. Resolves within five seconds; never rejects. */
  ready(principal: Principal): Promise<void>;
  /** The tool that a capability is, as one of the callers has it. */
  named(capId: string): ImportedTool | undefined;
  /** Forgets what a caller was shown: their login is gone, or another one. */
  forget(principal: Pick<Principal, "tenant" | "id">): void;
}

/** A server whose tools are capabilities of a router. With `views` its tools are those of a connection that is nobody's, for its owner. */
export interface ImportedServer extends ServerView {
  /** The server as each caller has it. Absent: all have this one. */
  readonly views?: CallerLists | undefined;
  /** Resolves when the tools were imported for the first time, the server wants a login that there is not, or it was closed. */
  ready(): Promise<void>;
  /** Reads the server's list again. Rejects as `McpClient.listTools`. */
  refresh(): Promise<void>;
  /** Calls the listener after the tools have changed. Returns what ends it. */
  onChange(listener: () => void): () => void;
  /**
   * Accepts a tool, or all, as they are now (`pin`); `by`: the id of who does, for the audit log. Returns the names of those that were held
   * back.
   */
  accept(options: { tool?: string | undefined; by: string }): Promise<string[]>;
  /** Takes the capabilities out of the router, and closes the client. */
  close(): Promise<void>;
}

/** How a call ended, in `_meta["toolglot/outcome"]` of every result. */
export interface Outcome {
  status: "done" | "replayed" | "refused" | "pending" | "failed" | "unknown";
  code?: TrpCode;
  /** Whether the server's tool was started. */
  dispatched: boolean;
  /** Names the call: for `toolglot_again` and `toolglot_status`. */
  receipt: string;
  approvalId?: string;
  approvalUrl?: string;
  /** When a replayed call was done, ISO 8601. */
  doneAt?: string;
  /** What to do now: one line. */
  fix?: string;
}

/** Who calls, through which client. */
export interface Caller {
  principal: Principal;
  /** The client program, as it said at its start. */
  client: { name: string; version: string };
  /** Whether a person may be asked through the client program (`--no-elicitation` tokens: false). Default true. */
  mayElicit?: boolean;
}

/** One call of a tool. */
export interface ToolCall {
  tool: ImportedTool;
  arguments: JsonObject;
  /** The client's own key, from `_meta["toolglot/idempotencyKey"]`. */
  key?: string;
  /** `_meta` of the request that goes on to the server: `traceparent`, and what is not the protocol's own. */
  meta?: JsonObject;
  /**
   * When this very call was first begun, by the store's clock: it is made again since its answer was lost. Its effect, done since then, is
   * its outcome, whatever the tool's rule for repeats.
   */
  begunAt?: number;
}

/** What a call has around it. */
export interface ToolCallContext {
  caller: Caller;
  /** Aborted when the client is gone, where that stops a call. */
  signal?: AbortSignal;
  /** Passes the server's progress on; also tells every 10 s that a call waits for an approval. */
  onProgress?: McpCallOptions["onProgress"];
  /** Answers questions of the server. */
  ask?: McpCallOptions["ask"];
  /**
   * Asks the person at the client about an approval, where the client can: resolves with what they said. What it throws is
   * `cancel`.
   */
  elicit?(question: ApprovalQuestion): Promise<ApprovalDecision>;
  /**
   * How long a call waits for an approval on the page before it is answered `pending`. Milliseconds; default the option's. 0 for a face
   * that asks the person in its own way, after `pending`.
   */
  waitMs?: number;
  /** The person at the client was shown where to log in, and goes there: a call that needs the login waits for it, as for an approval. */
  loginShown?: boolean;
  /** For the audit log: what belongs together, as the calls of one program. Default: the caller's session. */
  traceId?: string;
}

/** A request for approval, for a person. */
export interface ApprovalQuestion {
  approvalId: string;
  /** Capability, risk, requester and every argument, as `router.approvals.render` writes them. */
  text: string;
  /** Of capability and arguments. */
  fingerprint: string;
  capId: string;
  risk: RiskTier;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** Where it can be decided in a browser. Absent without a page. */
  url?: string;
  /** It is decided on the page alone: a client may show the link, and what it answers decides nothing. */
  pageOnly?: boolean;
}

/** What a person said. `cancel`: nothing, so the request stays. */
export interface ApprovalDecision {
  decision: "approve" | "deny" | "cancel";
  comment?: string;
  /** Of the question that was shown. */
  fingerprint?: string;
}

/** The answer to a call: a result as MCP has it, and how it ended. */
export interface ToolAnswer {
  /** As it goes to the client, with the outcome in `_meta`. */
  result: McpCallResult & { _meta: JsonObject };
  outcome: Outcome;
  /**
   * With `pending` for an approval: a face that asks in its own way (`input_required`, a task) does so, has `decide` note the answer,
   * and calls again.
   */
  question?: ApprovalQuestion;
  /** The code of the error of JSON-RPC that the server answered with, in place of a result: a task of the call fails with it. */
  errorCode?: number;
  /** With `pending` because the caller has to log in first: where, for a face that can show an address, and then calls again. */
  login?: LoginRequest;
}

/** Where a caller has to log in at a server, for a person. */
export interface LoginRequest {
  server: string;
  url: string;
  text: string;
}

/** A tool of the gateway itself. */
export interface OwnTool {
  /** As a list has it. */
  readonly listed: JsonObject & { name: string; inputSchema: JsonObject };
  /** `meta`: the request's, for servers. Never rejects. */
  call(args: JsonObject, context: ToolCallContext, meta?: JsonObject): Promise<ToolAnswer>;
}

/** Calls of tools through a router. Never rejects: every fault is an answer. */
export interface ToolCalls {
  call(call: ToolCall, context: ToolCallContext): Promise<ToolAnswer>;
  /** The time of the router's store, which is not this machine's: what its times, as an approval's `expiresAt`, are compared with. */
  now(): number;
  /** Notes what the person at the client decided. False when the request is no longer pending, or is not the caller's. */
  decide(caller: Caller, approvalId: string, decision: ApprovalDecision): Promise<boolean>;
  /**
   * Waits until somebody has decided about a request for approval, in any process, at most `ms`. Resolves with whether there is a decision.
   * Ends early when the signal is aborted.
   */
  whenDecided(caller: Caller, approvalId: string, wait: { signal?: AbortSignal; ms: number }): Promise<boolean>;
  /** Runs a kept call once more, as a new operation, always asked about; never one in doubt. */
  again(receipt: string, context: ToolCallContext): Promise<ToolAnswer>;
  /** What became of a call, or of a request for approval, by its receipt or id. */
  status(id: string, context: ToolCallContext): Promise<ToolAnswer>;
  close(): Promise<void>;
}
