import { attempt } from "@toolglot/internal";

/** Where a store is. */
export type StoreAddress =
  | { kind: "memory" }
  | { kind: "sqlite"; path: string }
  | { kind: "postgres"; url: string; parts: URL };

/** What is wrong with an address, and what helps. Holds nothing of it that may be secret. */
export interface StoreAddressProblem {
  message: string;
  cure: string;
}

/** The form of a PostgreSQL address, in texts. */
const form = "postgres://USER:PASSWORD@HOST:5432/DATABASE";

/** Reads `memory`, `sqlite:PATH` or `postgres://…`. Returns what is wrong with anything else. */
export function readStoreAddress(text: string): StoreAddress | StoreAddressProblem {
  if (text === "memory") return { kind: "memory" };
  const path = /^sqlite:(.+)$/s.exec(text)?.[1];
  if (path !== undefined) return { kind: "sqlite", path };
  if (!/^postgres(?:ql)?:\/\//.test(text)) {
    const scheme = /^([a-z][a-z\d+.-]*):/i.exec(text)?.[1];
    const message = scheme === undefined ? "is no address of a store" : `can't be a store of the kind ${scheme}:`;
    return { message, cure: `Write sqlite:PATH, ${form}, or memory.` };
  }
  // A socket's folder has slashes, which a host can't have.
  const parts = attempt(() => new URL(text));
  const encode =
    "In a user's name and a password, write %40 for @, %3A for :, %2F for /, %3F for ?, %23 for #, %25 for %.";
  if (parts === undefined) return { message: `is no address as ${form}`, cure: encode };
  const isRight = attempt(() => [parts.username, parts.password, parts.pathname].map(decodeURIComponent));
  if (isRight === undefined) return { message: "has a % that begins no encoded character", cure: encode };
  if (parts.hostname === "" && !parts.searchParams.has("host")) {
    const cure = `Write ${form}; for a socket, postgres:///DATABASE?host=/var/run/postgresql.`;
    return { message: "names no host", cure };
  }
  // What stands behind an unencoded # is not sent, and what stands before an unencoded / would be the host.
  if (parts.hash !== "") return { message: "has a # in it", cure: encode };
  return { kind: "postgres", url: text, parts };
}

/** Returns an address as people may see it: without its password. */
export function shownStore(text: string): string {
  const address = readStoreAddress(text);
  if (!("kind" in address)) return "the store";
  if (address.kind !== "postgres") return address.kind === "memory" ? "memory" : address.path;
  const { protocol, username, host, pathname, searchParams } = address.parts;
  const at = host || searchParams.get("host");
  return `${protocol}//${username && `${username}@`}${at}${pathname}`;
}

/** Returns a text without the password of an address, in whatever form it stands there. */
export function withoutPassword(text: string, { parts }: { parts: URL }): string {
  const given = [parts.password, parts.searchParams.get("password") ?? ""];
  const decoded = given.flatMap((one) => attempt(() => decodeURIComponent(one)) ?? []);
  const forms = [parts.href, ...given, ...decoded].filter((one) => one !== "");
  return forms.reduce((shown, secret) => shown.replaceAll(secret, "***"), text);
}
