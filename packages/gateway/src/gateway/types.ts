import type { Readable, Writable } from "node:stream";
import type { PolicyEngine, Router } from "@toolglot/trp-core";
import type { ImportedServer, ImportedTool } from "@toolglot/trp-mcp";

/** A line of the gateway's log. No values that are secret are in it. */
export interface LogLine {
  level: "debug" | "info" | "warn" | "error";
  message: string;
  /** As `gateway/store`. */
  code?: string;
  server?: string;
  tool?: string;
}

/** Options of `createGateway`, besides the configuration. */
export interface GatewayOptions {
  /** Who calls over stdio. Default `local`. */
  principal?: string;
  /** Lets a store in memory run effects that must not happen twice. Default false. */
  allowVolatile?: boolean;
  /** Serves HTTP without tokens, on loopback alone. Default false. */
  noAuth?: boolean;
  /**
   * Makes OpenTelemetry spans of calls, and passes traces on to servers, also their baggage. The application registers the SDK. Default:
   * whether the environment has `OTEL_EXPORTER_OTLP_ENDPOINT`.
   */
  tracing?: boolean;
  /** Default: nothing is logged. */
  log?(line: LogLine): void;
}

/** A gateway that listens. */
export interface GatewayAddress {
  /** Of the MCP endpoint: `http://127.0.0.1:8765/mcp`. */
  readonly url: string;
  readonly port: number;
  /**
   * Makes a link that signs the owner of this process in at the page of approvals, once, within five minutes: for a terminal that only they
   * see. Undefined without the page.
   */
  signInUrl?(): string;
}

/** A router before MCP servers. Made by `createGateway`. */
export interface Gateway {
  readonly router: Router;
  /** As it decides now: with `observe`, the one that would decide is within. */
  readonly policy: PolicyEngine;
  readonly servers: readonly ImportedServer[];
  /** Of all servers, in the order of the configuration. */
  readonly tools: readonly ImportedTool[];
  /** Resolves when every server has its tools, or after `ms` milliseconds. Default 5,000. */
  settled(ms?: number): Promise<void>;
  /** Serves HTTP: MCP, the page of approvals, metrics. Rejects with `ToolglotError` `gateway/…`. */
  listen(): Promise<GatewayAddress>;
  /** Serves one client over standard input and output. Resolves when the client is gone. */
  serveStdio(streams?: { input: Readable; output: Writable }): Promise<void>;
  /**
   * Serves on for `shutdown.drainMs`, while `/readyz` says that it will soon be gone, and resolves then: what stands before several gateways
   * has sent callers elsewhere when this one is closed. It takes longer, at most by `shutdown.graceMs`, while calls run that had begun
   * before. Never rejects.
   */
  drain(): Promise<void>;
  /** Takes no new calls, waits at most `shutdown.graceMs` for those that run, and ends the servers' processes. Never rejects. */
  close(): Promise<void>;
}
