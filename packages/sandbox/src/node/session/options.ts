import { randomBytes } from "node:crypto";
import type { OperationLog } from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import { checkKeys, defined } from "@toolglot/internal";
import { checkNumbers } from "../../check-numbers.ts";
import { checkRunOptions } from "../../check-options.ts";
import { checkSessionId } from "../../session/kept.ts";
import type { SessionLimits, SessionOptions } from "../../session/types.ts";
import type { ProgramStyle } from "../../types.ts";

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
export interface SessionSettings extends Required<Pick<SessionOptions, "storage" | "key" | "tools" | "save">> {
  /** Where programs are durable runs. */
  log: OperationLog | undefined;
  /** A session of another version is made again from its log. */
  rebuild: boolean;
  /** A session that is not there is begun. */
  begin: boolean;
  limits: SessionLimits;
  /** Of interpreters that are for nobody else, when none was given. */
  domain: string | undefined;
  /** Absent: that of the sandbox. */
  style: ProgramStyle | undefined;
}

/** Signs what never leaves the process. */
let ownKey: Uint8Array | undefined;

const minKeyBytes = 32;
const saves: readonly unknown[] = ["each", "idle", "manual", undefined];

/** Fills in defaults. `own`: the storage to take when none is given. Throws `TypeError` for what makes no sense. */
export function resolveSession(
  what: string,
  options: SessionOptions & { rebuild?: boolean; begin?: boolean },
  own: Storage,
): SessionSettings {
  checkKeys(
    what,
    options,
    'storage:object key:object durable:boolean tools:object[] style:"attp"|"notebook" domain:text save:"each"|"idle"|"manual" limits:object rebuild:boolean begin:boolean',
  );
  const { storage = own, durable = false, rebuild = false, begin = false, tools = [], domain, style, limits } = options;
  checkRunOptions({ tools, ...defined({ domain, style }) });
  checkNumbers("limits", limits, ranges);
  const { operations, logs, blobs } = storage;
  if (![operations?.claim, logs?.append, blobs?.put].every((method) => typeof method === "function")) {
    throw new TypeError(`${what}: storage must be a storage, as memoryStorage() or folderStorage(dir) creates.`);
  }
  if (!saves.includes(options.save)) throw new TypeError('save must be "each", "idle" or "manual".');
  if (rebuild && !durable) throw new TypeError("rebuild needs durable: true, as the session was opened with.");
  const save = options.save ?? (options.storage === undefined && !durable ? "idle" : "each");
  if (durable && save !== "each") throw new TypeError("A durable session saves each turn: leave out save.");
  return {
    storage,
    log: durable ? operations : undefined,
    rebuild,
    begin,
    key: keyFor(storage, options.key),
    tools,
    save,
    domain,
    style,
    limits: { ...defaults, ...defined(limits ?? {}) },
  };
}

function keyFor({ durability }: Storage, key: Uint8Array | undefined): Uint8Array {
  if (key === undefined && durability === "none") {
    ownKey ??= randomBytes(minKeyBytes);
    return ownKey;
  }
  if (key instanceof Uint8Array && key.length >= minKeyBytes) return Uint8Array.from(key);
  throw new TypeError(
    `key must be ${minKeyBytes} bytes or more, as randomBytes(32) gives: it signs what the storage keeps.`,
  );
}

/** Returns the id that was given, or a random one. Throws `TypeError`. */
export function resolveId(id: string | undefined): string {
  const named = id === undefined ? randomBytes(16).toString("hex") : id;
  checkSessionId(named);
  return named;
}
