import type { Principal } from "../identity/types.ts";
import type { TransportLimits } from "../transport/limits.ts";

/** What a server knows of a request before its body. */
export interface HttpHead {
  method: string;
  /** Path with query, as `/trp/approvals?status=pending`; an absolute URL is taken, too. */
  target: string;
  /** A header by its name in lower case; repeated ones joined by `, `. */
  header(name: string): string | undefined;
}

/**
 * Identifies the caller: returns the principal, or nothing for a caller who is not known (401). Gets the `Authorization` header; the
 * rest of the request's head is there for other schemes (a client certificate's fields set by a proxy, for example).
 */
export type Authenticate = (
  authorization: string | undefined,
  head: HttpHead,
) => Principal | undefined | Promise<Principal | undefined>;

/** The page that a server shows at `GET /metrics`. `routerMetrics()` of `@toolglot/trp-core/metrics` creates it. */
export interface MetricsPage {
  readonly contentType: string;
  text(): Promise<string>;
  /** Whether a principal may read the page. A principal who may send frames need not have this right. */
  mayRead(who: Principal): boolean;
  /** Counts a frame or a request that was refused before it reached the router. `code`: the code of its NACK. */
  refused?(code: string): void;
  /** Counts connections. Call the returned function to end the counting. */
  connections?(transport: "http" | "stdio" | "ws", count: () => number): () => void;
}

/** Options of the HTTP faces: `createFetchHandler` and `serveHttp`. */
export interface HttpOptions {
  authenticate: Authenticate;
  /**
   * Serves `GET /metrics` for Prometheus. The caller must pass `authenticate`, and `mayRead` of the page; others get
   * 403. `routerMetrics()` of `@toolglot/trp-core/metrics` creates the page. Default: the path does not exist.
   */
  metrics?: MetricsPage;
  limits?: Partial<TransportLimits>;
  /**
   * Names that the `Host` header may have, without port; a request for another is refused (403), which stops DNS
   * rebinding. Default: every name; `serveHttp` on a loopback address: `localhost` and the loopback addresses.
   */
  allowedHosts?: readonly string[];
  /**
   * Origins of web pages that may call, as `https://app.example`: they get CORS headers. Default none: a POST with an
   * `Origin` other than the host's own is refused (403), and no CORS header is sent.
   */
  allowedOrigins?: readonly string[];
  /** On a `text/event-stream` answer, a comment goes out so often, so that proxies keep it open. Default 15,000 ms. */
  heartbeatMs?: number;
}

/** An answer. */
export interface HttpReply {
  status: number;
  /** In lower case. */
  headers: Record<string, string>;
  /** Empty when `stream` is there. */
  body: string;
  /** Sends the body piece by piece; resolves at its end, never rejects. */
  stream?: (write: (text: string) => void) => Promise<void>;
}

/** The request is fine so far, and its body is wanted. */
export interface BodyWanted {
  /** More is answered with `tooLarge`, as soon as it is known. */
  maxBytes: number;
  tooLarge(): HttpReply;
  /** Never rejects. `signal`: aborted when the caller is gone. */
  answer(body: Uint8Array, sender: { readonly signal: AbortSignal }): Promise<HttpReply>;
}
