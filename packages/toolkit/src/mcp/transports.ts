import type { Transport } from "@modelcontextprotocol/client";
import { watchAuthorization } from "./authorization.ts";
import { Incoming, mendAnswers } from "./incoming.ts";
import { limitBytes, MessageTooLarge } from "./limit-bytes.ts";
import type { ClientModule } from "./load-client.ts";
import { defaultBufferSize, type McpClientOptions, type McpHttpTransport } from "./options.ts";

type StdioModule = typeof import("./stdio-transport.ts");

/** Events of a transport besides messages. */
export interface TransportEvents {
  /** A message of the server was longer than the client takes. */
  onTooLarge(error: Error): void;
  /** What every message goes through. */
  incoming: Incoming;
  /** The host's provider was asked to send a person there. */
  onAuthorizationUrl(url: URL): void;
}

/** A transport, and what its server wrote to standard error last, as the end of a sentence. */
export interface MadeTransport {
  transport: Transport;
  said(): string;
}

/** Resolves with the transport that the options ask for. */
export async function makeTransport(
  sdk: ClientModule,
  { transport: config, maxBufferSize = defaultBufferSize }: McpClientOptions,
  events: TransportEvents,
): Promise<MadeTransport> {
  if (typeof config === "function") return { transport: await config(), said: () => "" };
  if (config.type === "http") {
    // To unlock or renew a token may take longer than a server may think about the first question: that is not its time.
    if (config.authProvider !== undefined && "token" in config.authProvider) await config.authProvider.token();
    const options = httpOptions(config, maxBufferSize, events, true);
    return { transport: new sdk.StreamableHTTPClientTransport(new URL(config.url), options), said: () => "" };
  }
  // Bundlers for browsers put an empty module in its place.
  const { createStdioTransport } = (await import("./stdio-transport.ts")) as Partial<StdioModule>;
  if (createStdioTransport === undefined) throw new Error("stdio needs Node: use a transport of type http");
  const { transport, stderrTail } = await createStdioTransport(config, maxBufferSize, {
    onTooLarge: () => events.onTooLarge(new MessageTooLarge(maxBufferSize)),
    read: (line) => events.incoming.readText(line),
  });
  return { transport, said: () => (stderrTail() === "" ? "" : `. It wrote: ${stderrTail()}`) };
}

/** Creates a transport for HTTP with SSE, the one before Streamable HTTP. */
export function makeSseTransport(
  sdk: ClientModule,
  config: McpHttpTransport,
  maxBufferSize: number = defaultBufferSize,
  events: TransportEvents,
): MadeTransport {
  const transport = new sdk.SSEClientTransport(new URL(config.url), httpOptions(config, maxBufferSize, events, false));
  // The stream would open again by itself, for a new session that nobody has begun, and answers would be waited for in vain.
  transport.onerror = (error) => {
    if (sdk.SseError.isInstance(error)) void transport.close();
  };
  return { transport, said: () => "" };
}

function httpOptions(
  { headers, fetch, authProvider }: McpHttpTransport,
  maxBufferSize: number,
  { onTooLarge, incoming, onAuthorizationUrl }: TransportEvents,
  answersHere: boolean,
) {
  const limited = limitBytes(fetch ?? globalThis.fetch, maxBufferSize, onTooLarge);
  return {
    fetch: mendAnswers(limited, incoming, answersHere),
    ...(headers !== undefined && { requestInit: { headers: { ...headers } } }),
    ...(authProvider !== undefined && {
      authProvider: watchAuthorization(authProvider, onAuthorizationUrl),
    }),
  };
}

/** Exchanges the code of an authorisation for tokens, which the provider keeps. `waiting`: the transport that asked for it. */
export async function finishAuthorization(
  sdk: ClientModule,
  { transport: config }: McpClientOptions,
  waiting: Transport | undefined,
  code: string | URLSearchParams,
): Promise<void> {
  if (typeof config === "function" || config.type !== "http" || config.authProvider === undefined) {
    throw new TypeError("finishAuth needs a transport of type http with an authProvider");
  }
  const incoming = new Incoming(sdk, () => {});
  const noEvents: TransportEvents = { onTooLarge: () => {}, onAuthorizationUrl: () => {}, incoming };
  const made = (waiting ??
    new sdk.StreamableHTTPClientTransport(
      new URL(config.url),
      httpOptions(config, defaultBufferSize, noEvents, true),
    )) as InstanceType<ClientModule["StreamableHTTPClientTransport"]>;
  await (typeof code === "string" ? made.finishAuth(code) : made.finishAuth(code));
}
