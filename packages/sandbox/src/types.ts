import type { AnyTool, ApprovalRequest, Decision, ExecutorContext, LogEntry, Usage } from "@toolglot/core";
import type { ReuseOptions } from "./reuse.ts";

/** Languages a sandbox runs. */
export type SandboxLanguage = "python" | "javascript";

/**
 * Isolation of an interpreter: `worker`, a thread of the host with WebAssembly as the border; `process`, a child process
 * that may do nothing; `namespace`, such a child without network and with a user of its own, as the kernel sees it.
 */
export type SandboxIsolation = "worker" | "process" | "namespace";

/**
 * Walls around a program besides WebAssembly, each checked before a program runs. For Python: `files`, the process reads the
 * engine's files and nothing else; `processes`, it starts none; `network`, it opens no socket; `code`, it makes no code of
 * text; `namespace`, the kernel shows it no network. For both languages, but not in browsers: `memory`, the
 * runtime limits what the process or the thread takes besides the interpreter's own memory.
 */
export type SandboxWall = "files" | "processes" | "network" | "code" | "memory" | "namespace";

/** Limits of a run. Every limit is enforced, and reported in {@link SandboxStats.limits}. */
export interface SandboxLimits {
  /** Milliseconds the program itself may run; waiting for tools and approvals not counted. Default 8000. */
  timeoutMs: number;
  /**
   * Milliseconds in which tools of the run may be at work; calls at the same time count once, waiting for approvals does
   * not count. Default 60,000.
   */
  toolTimeMs: number;
  /**
   * Megabytes of the interpreter's memory, itself included (Python about 30, JavaScript about 17). Python: default 256, at
   * least 64; JavaScript: default 64, at least 24; at most 2048.
   */
  memoryMb: number;
  /** Tool calls of a run. Default 100. */
  maxToolCalls: number;
  /** Bytes of the program, as UTF-8. Default 131,072. */
  maxSourceBytes: number;
  /** Bytes of the value, as JSON in UTF-8. Default 1,048,576. */
  maxResultBytes: number;
  /** Bytes a program may print, as UTF-8. What is beyond is cut with a mark, the run continues. Default 65,536. */
  maxLogBytes: number;
}

/** Policy for an import of a library that is there without one. */
export type ImportPolicy = "refuse" | "ignore-allowed";

/**
 * Style of a program. `attp`: it assigns `__result__`, libraries are there without imports. `notebook`: it may also
 * end in an expression or a `return`, import, read and write files under `/mnt/data` (Python), and await.
 */
export type ProgramStyle = "attp" | "notebook";

/** A file for a program, at `/mnt/data` or below it. */
export interface FileInput {
  /** As `sales.csv`, `raw/2024.csv` or `/mnt/data/sales.csv`. */
  path: string;
  /** Text is written as UTF-8. */
  data: Uint8Array | string;
  /** For the caller's own use: a program sees the content alone. */
  mediaType?: string;
}

/** A file that a program made or changed. */
export interface FileOutput {
  /** Under `/mnt/data`, as `charts/sales.png`. Chosen by the program: untrusted text. */
  path: string;
  bytes: number;
  /** By the content for PNG, JPEG, GIF, WebP, SVG and PDF, else by the name, else `application/octet-stream`. */
  mediaType: string;
  /** Absent for files beyond 8 MiB in sum, in the order of their paths. */
  data?: Uint8Array;
}

/** Options of {@link createSandbox}. */
export interface SandboxOptions {
  language: SandboxLanguage;
  limits?: Partial<SandboxLimits>;
  /** Tools of every run; those given to `run` win over them. */
  tools?: readonly AnyTool[];
  /**
   * `refuse` (default): any import is an error that names the line. `ignore-allowed`: an import of an allowed library
   * binds what is there already, with a warning in `stats.warnings`; any other import stays an error.
   */
  imports?: ImportPolicy;
  /** Style of every run without one of its own. Default `attp`. In `notebook` imports are Python's own, and `imports` is ignored. */
  style?: ProgramStyle;
  /**
   * Python only: the libraries that a program finds, and may import. `standard` (default): those of the ATTP specification
   * (`math`, `json`, `datetime`, `re`, `random`, `statistics`) and the others of the README's list. `specification`: the
   * first six alone. Or names out of that list. In the style `notebook`, `standard` has those of the README's second list too.
   */
  libraries?: "standard" | "specification" | readonly string[];
  /**
   * Python only: libraries for programs of the style `notebook`, as wheels in files of this machine: their paths, or `{ dir }` for all
   * `*.whl` of a folder. Nothing is fetched: `createSandbox` throws a `TypeError` that names a dependency that is missing, or a wheel that
   * is not for this engine. They are read at once, and imported before an interpreter takes its first program. A program reaches all that
   * hangs on them: the guard does not look at them, the walls of the process hold.
   */
  wheels?: readonly string[] | { dir: string };
  /** `false` switches the guard inside the interpreter off, to test the process around it. Default true. */
  guard?: boolean;
  pool?: PoolOptions;
  /**
   * Whose programs these are: a person, a conversation, an application; any text but the empty one. Programs of one domain may
   * follow one another in one interpreter, which two domains never share, nor a domain and programs without one. A domain
   * means that its programs trust one another: the threat model describes how far. Without one, Python uses an interpreter once.
   */
  domain?: string;
  /** How long an interpreter is used again; of Python's, only within a `domain`. */
  reuse?: ReuseOptions;
  /**
   * Python only. `auto` (default): the child process gets namespaces of its own where the system's `unshare` can make
   * them. `process`: none. `namespace`: it gets them, or no interpreter starts. `required`: every {@link SandboxWall}
   * stands, or no interpreter starts. {@link SandboxStats.isolation} names what a run had, and `warnings` what was missing.
   */
  isolation?: "auto" | "process" | "namespace" | "required";
  /**
   * Folder for the interpreter's memory snapshot (31 MB, made once). Default: `toolglot-sandbox` under
   * `XDG_CACHE_HOME`, else in the temporary folder. `false`: no snapshot; each start then takes about 3 seconds.
   */
  cacheDir?: string | false;
  /** Fixes the program's random numbers, for replay. Default: fresh entropy for each run. */
  seed?: string | number;
}

/**
 * Numbers of interpreters that are kept and run: for Python each is a process of about 200 MB, for JavaScript an engine in a thread
 * of about 10 MB.
 */
export interface PoolOptions {
  /**
   * Interpreters kept ready for the next runs, started in the background from the first run on; 0 to 64. Default 1. One
   * more that is used again may stay, see {@link ReuseOptions}. 0: none is kept, each run starts its own.
   */
  size?: number;
  /** Runs at the same time, 1 to 64; further ones wait in order. Default 4 for Python, 8 for JavaScript. */
  maxConcurrency?: number;
  /** Runs that may wait; further ones are rejected with `sandbox/busy`. Default 1000. */
  maxWaiting?: number;
}

/** Options of {@link Sandbox.run}. Callbacks observe: what they throw is ignored, and so is a promise that they reject. */
export interface SandboxRunOptions {
  /** See {@link SandboxDurableRunOptions}. */
  durable?: undefined;
  tools?: readonly AnyTool[];
  /** Wins over that of the sandbox, {@link SandboxOptions.domain}. */
  domain?: string;
  /** Aborting ends the run with the error type `Aborted`. */
  signal?: AbortSignal;
  imports?: ImportPolicy;
  /** Default: that of the sandbox. */
  style?: ProgramStyle;
  /** Python in the style `notebook`: files that the program finds, at most 32 MiB together. Not for durable runs. */
  files?: readonly FileInput[];
  /** Prefix of the call ids that tools get: `<callIdPrefix>:1`, `<callIdPrefix>:2`. Default: one of its own. */
  callIdPrefix?: string;
  /** Called when a tool call begins, before its approval is asked for. */
  onToolCallStart?(call: { callId: string; name: string; args: Record<string, unknown>; replayed?: true }): void;
  /** Called for each value that a tool yields, as it comes. The last one, or what the tool returns, is the call's value. */
  onToolCallProgress?(call: { callId: string; name: string }, value: unknown): void;
  /** Called when a tool call has ended, with what `toolCalls` lists of it and with the value that the tool gave. */
  onToolCall?(call: SandboxToolCall, value: unknown): void;
  /** Called for each line the program prints, at once. */
  onLog?(entry: LogEntry): void;
  /**
   * Asked before a call of a tool that needs approval. Absent: such calls are denied. The time counts to no limit.
   *
   * `later` is for durable runs: when nothing else can continue, the run ends as `parked`, and the next run under the same id
   * asks again, with the same call id. Elsewhere it denies.
   */
  approve?(request: ApprovalRequest): Promise<Decision | "later">;
  /** The run of an agent that the program belongs to: tools get it in their context. */
  runId?: string;
  /** How a tool waits for a person: that of an executor's context. The time counts to no limit. */
  wait?: ExecutorContext["wait"];
  /**
   * The hooks of an executor's context, around each call that is made; one that a journal answers has none. `beforeCall` sees the arguments
   * before the tool itself has checked them. The time counts to no limit.
   */
  hooked?: Pick<ExecutorContext, "hooks" | "runId" | "stepIndex">;
  /** How a server that runs a tool asks the host: that of an executor's context. The time counts to no limit. */
  ask?: ExecutorContext["ask"];
}

/** One tool call of a program. */
export interface SandboxToolCall {
  callId: string;
  name: string;
  /** By parameter name, defaults filled in. */
  args: Record<string, unknown>;
  ok: boolean;
  /** Milliseconds the tool took; 0 when it was not run. */
  ms: number;
  /** `type`: `ToolError`, `Denied`, `InvalidInput` (it does not fit the tool's schema, and was not made), `Timeout`, `Aborted`. The message is the one the program saw. */
  error?: { type: string; message: string };
  /** Models' usage that the tool reported, by `report` of its context. */
  usage?: Usage;
  /** The call was made by an earlier process; this is what it came to then. Durable runs only. */
  replayed?: true;
}
