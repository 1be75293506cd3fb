import { isIPv4 } from "node:net";

/** Checks whether a name or address, without port, means this machine: `localhost`, `127.0.0.0/8`, `::1`. */
export function isLoopback(name: string): boolean {
  const plain = name
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/^::ffff:/, "");
  return plain === "localhost" || plain === "::1" || (isIPv4(plain) && plain.startsWith("127."));
}

/** Returns the name in a `Host` header in lower case, without port: `[::1]:80` is `::1`. Undefined when it is malformed. */
export function hostName(host: string | undefined): string | undefined {
  const match = /^(?:\[([0-9a-f:.]{2,45})\]|([\w.-]{1,255}))(?::\d{1,5})?$/i.exec(host ?? "");
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

/** What a server lets itself be called, and by pages of which origins. */
export interface HostRules {
  /** Names that the `Host` header may have besides those of this machine; `*`: every name. */
  allowedHosts: readonly string[];
  /** Origins of web pages besides those of this machine, as `https://app.example`. */
  allowedOrigins: readonly string[];
  /** Where the server is reached from outside. */
  publicUrl?: string;
}

/** Checks of the `Host` and `Origin` headers: a page of another site must not reach a server on this machine. */
export interface HostCheck {
  isHost(host: string | undefined): boolean;
  /** A request without an `Origin` comes from no page. */
  isOrigin(origin: string | undefined, host: string | undefined): boolean;
  /** Whether a page of the server itself sends the request. */
  isOwn(origin: string | undefined, host: string | undefined): boolean;
}

export function hostCheck({ allowedHosts, allowedOrigins, publicUrl }: HostRules): HostCheck {
  const open = publicUrl === undefined ? undefined : new URL(publicUrl);
  const names = new Set(allowedHosts.map((name) => hostName(name) ?? name.toLowerCase()));
  if (open !== undefined) names.add(open.hostname.replace(/^\[|\]$/g, ""));
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  if (open !== undefined) origins.add(open.origin);
  const isHost = (host: string | undefined): boolean => {
    const name = hostName(host);
    return name !== undefined && (names.has("*") || isLoopback(name) || names.has(name));
  };
  const isOwn = (origin: string | undefined, host: string | undefined): boolean => {
    if (origin === undefined) return false;
    if (origin.toLowerCase() === open?.origin) return true;
    const own = /^https?:\/\/([^/\s]{1,300})$/i.exec(origin)?.[1];
    return own !== undefined && own.toLowerCase() === host?.toLowerCase();
  };
  const isLocal = (origin: string): boolean => URL.canParse(origin) && isLoopback(new URL(origin).hostname);
  return {
    isHost,
    isOwn,
    isOrigin: (origin, host) =>
      origin === undefined || origins.has(origin.toLowerCase()) || isLocal(origin) || isOwn(origin, host),
  };
}
