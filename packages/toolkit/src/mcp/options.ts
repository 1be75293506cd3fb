import type { Client, ClientOptions, FetchLike, Transport } from "@modelcontextprotocol/client";

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
}

/** Makes a transport of the official client: a new one for each connection. */
export type McpTransportFactory = () => Transport | Promise<Transport>;

/** Options of `createMcpClient`. */
export interface McpClientOptions {
  name: string;
  transport: McpStdioTransport | McpHttpTransport | McpTransportFactory;
  /**
   * One session for all calls, connected once and again when it is lost; or one session for each call, which learns
   * nothing of changed tools. Default true.
   */
  stateful?: boolean;
  /** Milliseconds that connecting and listing may take. Default 30,000. */
  connectTimeoutMs?: number;
  /** Options for the official client: capabilities, protocol versions. Changes of the tools are noticed in any case. */
  clientOptions?: Omit<ClientOptions, "listChanged">;
  /** Sees each official client before it connects: to answer sampling, elicitation and roots. */
  prepareClient?: (client: Client) => void;
  /** Gets faults that belong to no call: lines that are no messages, streams that broke. */
  onError?: (error: Error) => void;
}
