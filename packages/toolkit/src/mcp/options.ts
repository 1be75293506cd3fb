import type {
  AuthProvider,
  Client,
  ClientOptions,
  FetchLike,
  OAuthClientProvider,
  Transport,
} from "@modelcontextprotocol/client";
import type { QuestionCallback } from "./types.ts";

/** A server that is started as a process and spoken to through its standard input and output. Node only. */
export interface McpStdioTransport {
  type: "stdio";
  command: string;
  args?: readonly string[];
  /** Added to the few variables that are passed on anyway (`HOME`, `PATH`, `USER`…); not all of the host's. */
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** Gets what the server writes to its standard error. Default: only the end of it is kept, for the error when it won't start. */
  onStderr?: (text: string) => void;
}

/** A server behind a URL, spoken to by Streamable HTTP. */
export interface McpHttpTransport {
  type: "http";
  url: string | URL;
  headers?: Readonly<Record<string, string>>;
  fetch?: FetchLike;
  /**
   * Whether a server that answers the first POST with 400, 404 or 405 is tried as one of HTTP with SSE, the transport before
   * Streamable HTTP. Default true.
   */
  fallback?: boolean;
  /**
   * Signs requests: an `OAuthClientProvider` of the official client, or an object whose `token()` returns the bearer token. When the
   * server wants an authorisation that there is not, using it fails with `toolkit/mcp-unauthorised`.
   */
  authProvider?: AuthProvider | OAuthClientProvider;
}

/** Makes a transport of the official client: a new one for each connection. */
export type McpTransportFactory = () => Transport | Promise<Transport>;

/** A folder or file that a server may know of. */
export interface McpRoot {
  /** A `file://` URI. */
  uri: string;
  name?: string;
}

/** A line of a server's log. */
export interface McpLogEntry {
  /** As `debug`, `info`, `warning`, `error`. */
  level: string;
  logger?: string;
  data: unknown;
}

/** Options of `createMcpClient`. */
export interface McpClientOptions {
  name: string;
  transport: McpStdioTransport | McpHttpTransport | McpTransportFactory;
  /**
   * One session for all calls, connected once and again when it is lost; or one session for each call, which learns
   * nothing of changed tools. Default true.
   */
  stateful?: boolean;
  /**
   * Milliseconds that connecting and listing may take; connecting one second more when the server doesn't answer the question for
   * the newest revision. Default 30,000.
   */
  connectTimeoutMs?: number;
  /**
   * Milliseconds after which a call that gave no sign of life is given up: neither its answer nor progress. The time in which a
   * person is asked does not count. Default 60,000; `Infinity`: never.
   */
  callTimeoutMs?: number;
  /**
   * The revision of the protocol: `auto` takes 2026-07-28 where the server has it, else the newest older one that both sides have;
   * `legacy` never asks for 2026-07-28; `{ pin }` takes that one only. Default `auto`.
   */
  revision?: "auto" | "legacy" | { pin: string };
  /** Bytes of one message of the server, over HTTP of one answer or event. A longer one ends its connection. Default 10,485,760. */
  maxBufferSize?: number;
  /**
   * Who answers when the server asks a person something: `host`, the running agent's `ask`; or this function. Only then is the
   * server allowed to ask. Default: nobody.
   */
  elicitation?: "host" | QuestionCallback;
  /** Who answers when the server asks for a model's text. As `elicitation`. */
  sampling?: "host" | QuestionCallback;
  /**
   * Folders of the host that the server gets to know when it asks; `host`: the `ask` of a call names them, and only servers of 2026-07-28
   * may ask, which do so for a call. Default: it can't ask.
   */
  roots?: "host" | readonly McpRoot[] | (() => readonly McpRoot[] | Promise<readonly McpRoot[]>);
  /** Gets what the server logs. */
  onLog?: (entry: McpLogEntry) => void;
  /** Whether a toolkit gets the tools that list and read resources when the server has some. Default true. */
  resources?: boolean;
  /** Whether the server's instructions are part of those of the toolkit. Default true. */
  instructions?: boolean;
  /**
   * Whether answers and listed tools are given as the server sent them, for those who pass them on: with all fields and blocks, known or
   * not. Of an answer only what can't be read as a result is mended. Questions that a server asks at once are asked at once. Default false:
   * what can't be read is left out, and a person is asked one thing after another.
   */
  exact?: boolean;
  /** Whether servers of 2026-07-28 may make tasks of calls, which are followed to their end: `io.modelcontextprotocol/tasks`. Default false. */
  tasks?: boolean;
  /** Whether spans and a metric are made of requests, and the trace's context is sent along. Default false. */
  tracing?: boolean;
  /** Options for the official client, capabilities of your own among them. Changes of the tools are noticed in any case. */
  clientOptions?: Omit<ClientOptions, "listChanged" | "versionNegotiation">;
  /** Sees each official client before it connects. */
  prepareClient?: (client: Client) => void;
  /** Gets faults that belong to no call: lines that are no messages, streams that broke. */
  onError?: (error: Error) => void;
}

/** Bytes of one message where nothing else is said. */
export const defaultBufferSize: number = 10 * 1024 * 1024;
