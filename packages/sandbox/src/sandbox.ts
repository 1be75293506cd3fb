import { ToolglotError } from "@toolglot/core";
import { defined, onAbort, randomHex } from "@toolglot/internal";
import { checkRunOptions } from "./check-options.ts";
import { runDurably } from "./durable/run-durably.ts";
import { resolveSettings } from "./durable/settings.ts";
import type { DurableOptions, SandboxDurableRunOptions, SandboxRunParked } from "./durable/types.ts";
import type { Engine } from "./engine.ts";
import { GuestPool, type Lease } from "./pool.ts";
import { ProgramRun } from "./run/program-run.ts";
import { bindTools } from "./run/tools.ts";
import type { RunRequest } from "./run/types.ts";
import type { SandboxPoolStats, SandboxRun } from "./run-types.ts";
import type { Sandbox } from "./sandbox-types.ts";
import type { SessionHost, Sessions } from "./session/host.ts";
import type { ProgramStyle, SandboxLimits, SandboxOptions, SandboxRunOptions } from "./types.ts";

/** Parts of a sandbox besides its options. */
export interface SandboxParts {
  engine: Engine;
  limits: SandboxLimits;
  /** When the options say nothing. */
  pool: { size: number; maxConcurrency: number };
  /** Absent where there are no sessions. */
  sessions?: (host: SessionHost) => Sessions;
}

/** Runs that may wait when the options say nothing. */
const defaultMaxWaiting = 1000;

/** Returns a sandbox over an engine. `options` were checked. */
export function makeSandbox(options: SandboxOptions, parts: SandboxParts): Sandbox {
  const { engine, limits } = parts;
  const { language } = options;
  const tools = options.tools ?? [];
  bindTools(tools, [], language);
  const pool = new GuestPool(
    engine,
    { maxWaiting: defaultMaxWaiting, ...parts.pool, ...defined(options.pool ?? {}) },
    options.reuse,
  );
  const atWork = new Set<AbortController>();
  let disposed = false;
  let runs = 0;

  type Given = Omit<SandboxDurableRunOptions, "durable"> & { durable?: DurableOptions | undefined };

  /** Runs the work with a signal of its own, which follows the caller's and the sandbox's. */
  async function abortable<Outcome>(
    given: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Outcome>,
  ): Promise<Outcome> {
    const own = new AbortController();
    atWork.add(own);
    const stopFollowing = onAbort(given ?? undefined, () => own.abort(given?.reason));
    if (disposed) own.abort();
    try {
      return await work(own.signal);
    } finally {
      atWork.delete(own);
      stopFollowing();
    }
  }

  function filesFor({ files }: Given, style: ProgramStyle): RunRequest["files"] {
    if (files === undefined) return undefined;
    if (!Array.isArray(files)) throw new TypeError("files must be an array of { path, data }.");
    if (engine.files === undefined) throw new TypeError("files are for Python: let a tool bring the data.");
    if (style !== "notebook") throw new TypeError('files are for the style "notebook": set style: "notebook".');
    return engine.files.encode(files);
  }

  function requestOf(given: Given, callIdPrefix: string): Omit<RunRequest, "code" | "signal"> {
    const programTools = bindTools(tools, given.tools ?? [], language);
    return {
      engine,
      limits,
      tools: programTools,
      domain: given.domain ?? options.domain,
      imports: given.imports ?? options.imports ?? "refuse",
      style: given.style ?? options.style ?? "attp",
      guard: options.guard ?? true,
      seed: options.seed === undefined ? randomHex(32) : String(options.seed),
      callIdPrefix: given.callIdPrefix ?? callIdPrefix,
      options: given,
    };
  }

  function run(code: string, given?: SandboxRunOptions): Promise<SandboxRun>;
  function run(code: string, given: SandboxDurableRunOptions): Promise<SandboxRun | SandboxRunParked>;
  async function run(code: string, given: Given = {}): Promise<SandboxRun | SandboxRunParked> {
    if (typeof code !== "string") throw new TypeError("run() takes the program as text.");
    checkRunOptions(given);
    if (given.durable !== undefined) return await runDurable(code, given.durable, given);
    const request = requestOf(given, `run-${++runs}`);
    request.files = filesFor(given, request.style);
    return await abortable(given.signal, (signal) => {
      const program = new ProgramRun({ code, ...request, signal });
      return pool.admit(() => program.execute(() => pool.acquire(signal, request.domain)));
    });
  }

  async function runDurable(
    code: string | undefined,
    durable: DurableOptions,
    given: Given,
  ): Promise<SandboxRun | SandboxRunParked> {
    if (options.guard === false) throw new TypeError("A durable run needs the guard: leave out guard: false.");
    if (given.files !== undefined) throw new TypeError("A durable run takes no files: let a tool bring the data.");
    const settings = resolveSettings(durable);
    const request = requestOf(given, settings.id);
    return await abortable(given.signal, (signal) =>
      pool.admit(() => runDurably(settings, { code, ...request, signal }, () => pool.acquire(signal, request.domain))),
    );
  }

  async function resume(durable: DurableOptions, given: Given = {}): Promise<SandboxRun | SandboxRunParked> {
    checkRunOptions(given);
    return await runDurable(undefined, durable, given);
  }

  async function warm(): Promise<void> {
    try {
      await pool.warm();
    } catch (cause) {
      if (ToolglotError.isInstance(cause) && cause.code === "sandbox/disposed") throw cause;
      const message = "No interpreter started. The cause says why.";
      throw new ToolglotError("sandbox/engine-start-failed", message, { cause, data: { engine: engine.label } });
    }
  }

  const stats = (): SandboxPoolStats => ({
    engine: engine.label,
    isolation: engine.isolation,
    missingWalls: [...(engine.missingWalls ?? [])],
    ...pool.counts,
    snapshot: engine.snapshot,
  });

  async function dispose(): Promise<void> {
    disposed = true;
    for (const run of atWork) run.abort();
    await pool.dispose();
  }

  const { openSession, resumeSession } = (parts.sessions ?? noSessions)({
    engine,
    isGuarded: options.guard ?? true,
    async execute(code, given, { domain, session, lend, keep }) {
      const request = { ...requestOf(given, `run-${++runs}`), domain, session };
      request.files = filesFor(given, request.style);
      return await abortable(given.signal, (signal) =>
        pool.admit(async () => {
          let acquiring: Promise<unknown> = Promise.resolve();
          const acquire = (): Promise<Lease> => {
            const lent = pool.acquire(signal, domain).then(lend);
            acquiring = lent.catch(() => {});
            return lent;
          };
          const program = { code, ...request, signal };
          const run = await (keep?.(program, acquire) ?? new ProgramRun(program).execute(acquire));
          // A run that was aborted has not waited for its interpreter.
          await acquiring;
          return run;
        }),
      );
    },
    checkTools: (given) => void bindTools(tools, given, language),
    forget: (domain) => pool.forget(domain),
  });

  return {
    language,
    limits,
    tools,
    libraries: engine.libraries ?? [],
    librariesOf: (style) => engine.librariesOf?.(style) ?? [],
    style: options.style ?? "attp",
    run,
    resume,
    openSession,
    resumeSession,
    warm,
    stats,
    drain: () => pool.drain(),
    [Symbol.asyncDispose]: dispose,
  };
}

/** Where the engine can't give its memory away. */
function noSessions({ engine }: SessionHost): Sessions {
  const refuse = async (): Promise<never> => {
    const message = "There are sessions in Node alone: this sandbox runs each program by itself.";
    throw new ToolglotError("sandbox/sessions-unsupported", message, { data: { language: engine.language } });
  };
  return { openSession: refuse, resumeSession: refuse };
}
