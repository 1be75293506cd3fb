import { createRequestStateCodec, type RequestStateCodec, type ServerContext } from "@modelcontextprotocol/server";
import { principalKey } from "../principal-key.ts";
import type { GateCaller } from "./options.ts";

/** What a client of 2026-07-28 brings back with its answer. `name`: of the tool that it called. */
export type RequestState =
  | { name: string; approvalId: string; capId: string; fingerprint: string; expiresAt: number; byLink: boolean }
  | { name: string; login: string; expiresAt: number }
  | { name: string; call: string; round: number };

/** Seconds: longer than anybody waits. What is asked about has a shorter life of its own. */
const ttlSeconds = 86_400;

/** Seals states for the principal that they were made for, and opens them for no other. */
export function requestStates(
  key: string | Uint8Array,
  callerOf: (context: ServerContext) => GateCaller,
): RequestStateCodec<RequestState> {
  const bind = (context: ServerContext): string => principalKey(callerOf(context));
  return createRequestStateCodec<RequestState>({ key, ttlSeconds, bind });
}
