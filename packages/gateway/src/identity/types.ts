import type { Principal } from "@toolglot/trp-core";

/** Who sends a request, and what their token allows besides. */
export interface Identity {
  /** Of the credential, not of the principal: one principal may have several tokens. Never secret. */
  readonly id: string;
  readonly principal: Principal;
  /** Whether a person may be asked through the client program. */
  readonly mayElicit: boolean;
  /** Whether headers that differ from the body are let pass. */
  readonly lenientHeaders: boolean;
  /** When the credential ends, in milliseconds since the epoch. Absent: when it is revoked. */
  readonly expiresAt?: number;
}

/** What is known of a token, without what would let somebody use it. Times are ISO 8601. */
export interface TokenInfo {
  /** Eight letters of base32. */
  id: string;
  principal: string;
  tenant: string;
  roles: readonly string[];
  /** Whether CRITICAL tools may be asked for. */
  canDelete: boolean;
  /** False: approvals are decided on the page alone, never through the client program. */
  elicitation: boolean;
  /** Lets headers pass that differ from the body. */
  lenientHeaders?: boolean;
  createdAt: string;
  expiresAt?: string;
  revokedAt?: string;
}

/** A token that is to be made. */
export interface NewToken {
  principal: string;
  /** Default `default`. */
  tenant?: string;
  /** Default none. */
  roles?: readonly string[];
  /** Default false. */
  canDelete?: boolean;
  /** Default true. */
  elicitation?: boolean;
  /** Default false. */
  lenientHeaders?: boolean;
  /** Milliseconds since the epoch. Default: it ends when it is revoked. */
  expiresAt?: number;
}
