import { randomBytes } from "node:crypto";
import type { OperationLog } from "@toolglot/core";
import { checkKeys, defined } from "@toolglot/internal";
import { checkNumbers } from "../../check-numbers.ts";
import { checkRunOptions } from "../../check-options.ts";
import { checkSessionId, type SessionStore } from "../../session/store.ts";
import type { SessionLimits, SessionOptions } from "../../session/types.ts";
import type { ProgramStyle } from "../../types.ts";
import { isInMemory } from "./memory-store.ts";

const day = 24 * 3_600_000;
const maxMs = 2 ** 31 - 1000;

const defaults: SessionLimits = {
  maxImageBytes: 64 * 1024 * 1024,
  maxFileBytes: 32 * 1024 * 1024,
  checkpoints: 8,
  maxPrograms: 10_000,
  idleMs: 30_000,
  expireMs: 7 * day,
  leaseMs: 15_000,
};

const ranges: Readonly<Record<keyof SessionLimits, readonly [number, number]>> = {
  maxImageBytes: [0, 2 ** 31],
  maxFileBytes: [0, 32 * 1024 * 1024],
  checkpoints: [0, 1000],
  maxPrograms: [1, Number.MAX_SAFE_INTEGER],
  idleMs: [0, maxMs],
  expireMs: [1, Number.MAX_SAFE_INTEGER],
  leaseMs: [10, maxMs],
};

/** {@link SessionOptions}, complete. */
export interface SessionSettings extends Required<Pick<SessionOptions, "store" | "key" | "tools" | "save">> {
  log: OperationLog | undefined;
  /** A session of another version is made again from its log. */
  rebuild: boolean;
  limits: SessionLimits;
  /** Of interpreters that are for nobody else, when none was given. */
  domain: string | undefined;
  /** Absent: that of the sandbox. */
  style: ProgramStyle | undefined;
}

/** Signs what never leaves the process. */
let ownKey: Uint8Array | undefined;

const leastKeyBytes = 32;
const saves: readonly unknown[] = ["each", "idle", "manual", undefined];

/** Fills in defaults. `own`: the store to take when none is given. Throws `TypeError` for what makes no sense. */
export function resolveSession(
  what: string,
  options: SessionOptions & { rebuild?: boolean },
  own: SessionStore,
): SessionSettings {
  checkKeys(
    what,
    options,
    'store:object key:object log:{claim,renew,begin,finish,doubt,read} tools:object[] style:"attp"|"notebook" domain:text save:"each"|"idle"|"manual" limits:object rebuild:boolean',
  );
  const { store = own, log, rebuild = false, tools = [], domain, style, limits } = options;
  checkRunOptions({ tools, ...defined({ domain, style }) });
  checkNumbers("limits", limits, ranges);
  if (typeof store?.claim !== "function" || typeof store.put !== "function") {
    throw new TypeError("store must be a store of sessions, as fileSessionStore({ dir }).");
  }
  if (!saves.includes(options.save)) throw new TypeError('save must be "each", "idle" or "manual".');
  if (log !== undefined && (typeof log?.claim !== "function" || typeof log.read !== "function")) {
    throw new TypeError("log must be an operation log, as new MemoryOperationLog() or openSqliteOperationLog().");
  }
  if (typeof rebuild !== "boolean") throw new TypeError("rebuild must be true or false.");
  if (rebuild && log === undefined) throw new TypeError("rebuild needs the log that the session's programs are in.");
  const save = options.save ?? (options.store === undefined && log === undefined ? "idle" : "each");
  if (log !== undefined && save !== "each")
    throw new TypeError("A session with a log saves each turn: leave out save.");
  return {
    store,
    log,
    rebuild,
    key: keyFor(store, options.key),
    tools,
    save,
    domain,
    style,
    limits: { ...defaults, ...defined(limits ?? {}) },
  };
}

function keyFor(store: SessionStore, key: Uint8Array | undefined): Uint8Array {
  if (key === undefined && isInMemory(store)) {
    ownKey ??= randomBytes(leastKeyBytes);
    return ownKey;
  }
  if (key instanceof Uint8Array && key.length >= leastKeyBytes) return Uint8Array.from(key);
  throw new TypeError(
    `key must be ${leastKeyBytes} bytes or more, as randomBytes(32) gives: it signs what the store keeps.`,
  );
}

/** The id that was given, or a random one. Throws `TypeError`. */
export function resolveId(id: string | undefined): string {
  const named = id ?? randomBytes(16).toString("hex");
  checkSessionId(named);
  return named;
}
