import type { PrincipalData, Setup } from "./vector.ts";

/**
 * A router as the runner sees it. To run the vectors on another implementation, write one of these: an adapter in front
 * of whatever it is, with a clock and a store that the test holds in its hand.
 */
export interface RouterUnderTest {
  /** Answers a frame of a principal whom the transport has identified. */
  handle(frame: unknown, who: PrincipalData): Promise<unknown>;
  /** The same over HTTP, with whatever body. `bearer` is the name of a principal, null for none. */
  post(request: {
    body: string;
    bearer: string | null;
    method: string;
    contentType: string;
  }): Promise<{ status: number; body: unknown }>;
  /** The clock of the store, milliseconds since the epoch. It moves only by `advance`. */
  now(): number;
  advance(ms: number): void;
  /** How often a capability was executed, over all routers on the store. */
  executions(capId: string): number;
  /** Lets what waits in `hold` of this capability go on, in all routers on the store. */
  release(capId: string): void;
  register(capabilities: NonNullable<Setup["capabilities"]>): void;
  unregister(capId: string): void;
  /** `ok`, or the code of what was wrong: `not-found`, `not-allowed`, `own-request`, `not-pending`. */
  decide(who: PrincipalData, decision: "approve" | "deny", id: string): Promise<string>;
  approvals(who: PrincipalData): Promise<ApprovalData[]>;
  inDoubt(who: PrincipalData): Promise<OperationData[]>;
  /** `ok`, or the code of what was wrong: `not-allowed`, `not-in-doubt`. */
  resolve(
    who: PrincipalData,
    operation: OperationData,
    to: "done" | "failed" | "not-applied",
    value: unknown,
  ): Promise<string>;
  /** A new router on the same store; the old one is not told. */
  crash(): void | Promise<void>;
  /** Takes over what a crashed router left. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

export interface ApprovalData {
  approval_id: string;
  cap_id: string;
  args: unknown;
  fingerprint: string;
  requester: string;
  status: string;
  expires_at_ms: number;
}

export interface OperationData {
  scope: string;
  key: string;
}

/** Makes a router for one vector. */
export interface TrpImplementation {
  name: string;
  open(setup: RouterSetup): RouterUnderTest | Promise<RouterUnderTest>;
}

/** What a vector asks for, with everything that it leaves to the runner. */
export type RouterSetup = Setup & Required<Pick<Setup, "capabilities" | "principals">>;
