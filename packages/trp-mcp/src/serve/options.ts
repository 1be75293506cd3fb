import { checkKeys } from "@toolglot/internal";
import type { OwnedArtifactStore, RouterStore } from "@toolglot/trp-core/store";
import type { FaceName } from "../faces/face.ts";
import type { Caller, ImportedServer, ImportedTool, OwnTool, ToolCalls } from "../types.ts";

/** How many sessions of the revisions before 2026-07-28 there may be over HTTP, and how long. */
export interface SessionLimits {
  /** In all. Default 1,000. */
  sessions?: number;
  /** Default 50. */
  sessionsPerPrincipal?: number;
  /** Milliseconds without a request and an open stream after which a session ends. Default 1,800,000. */
  sessionIdleMs?: number;
}

/** Options of `serveMcp`. */
export interface ServeMcpOptions {
  calls: ToolCalls;
  /** As the configuration has them: of two that list one URI, the first serves it. */
  servers(): readonly ImportedServer[];
  /** Whether the caller's policy could allow the tool; what it could not looks unknown. */
  visible(caller: Caller, tool: ImportedTool): boolean;
  /** Default `auto`. */
  face?: FaceName;
  /** Tools of the gateway's own that a caller gets beside those of servers. Default: none. */
  own?(caller: Caller): readonly OwnTool[];
  /** Whole results that were too long to be kept where a call was: behind `toolglot://artifact/ID`, for their principal alone. */
  artifacts?: Pick<OwnedArtifactStore, "read">;
  /** Of the gateway, for clients. */
  info: { name: string; version: string; title?: string; instructions?: string };
  /** Key of the state that clients of 2026-07-28 bring back, at least 32 bytes; the same in all processes that share a store. */
  requestSecret: string | Uint8Array;
  limits?: SessionLimits;
  /**
   * Keeps sessions and tasks, for all processes that share it: the router's store. With it, a request of a session may come to any of them,
   * and clients of 2026-07-28 that declare `io.modelcontextprotocol/tasks` get a task for a call that waits for an approval, or takes long.
   * Default: a session is of the process that began it, and there are no tasks.
   */
  store?: Pick<RouterStore, "logs" | "blobs" | "now">;
  /** Milliseconds after which a running call becomes a task. Default 10,000. */
  taskAfterMs?: number;
  /** Receives what a person who runs the gateway should know: that two servers list one address. */
  onNotice?(message: string): void;
  /** Gets faults that no client hears of. */
  onError?(error: Error): void;
}

/** Who sends a request, as the host has found out. */
export interface GateCaller extends Omit<Caller, "client"> {
  /** What the caller came in by, as a token's id: its sessions and streams can be ended with it. */
  credential?: string;
  /** Headers of 2026-07-28 that differ from the body, or are missing, are let pass. Default false. */
  lenientHeaders?: boolean;
}

/** Refuses options that can't be right. Throws `TypeError`. */
export function checkServeOptions(options: ServeMcpOptions): void {
  checkKeys<ServeMcpOptions, string>(
    "serveMcp",
    options,
    'calls:object servers:function visible:function face:"tools"|"search"|"code"|"auto" own:function artifacts:object info:object requestSecret:string|{subarray} limits:object store:object taskAfterMs:size onNotice:function onError:function',
    ["calls", "servers", "visible", "info", "requestSecret"],
  );
  const { limits, requestSecret } = options;
  checkKeys<SessionLimits, string>(
    "serveMcp: limits",
    limits,
    "sessions:size sessionsPerPrincipal:size sessionIdleMs:size",
  );
  const bytes = typeof requestSecret === "string" ? new TextEncoder().encode(requestSecret) : requestSecret;
  if (!(bytes instanceof Uint8Array) || bytes.length < 32) {
    throw new TypeError(`serveMcp: "requestSecret" must be at least 32 bytes long`);
  }
}
