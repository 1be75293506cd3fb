/**
 * Who calls. It comes from the transport (a bearer token, the parent process), never from a frame; a frame's
 * `auth_context` can only take roles away.
 */
export interface Principal {
  /** Whose data: keys, approvals and artifacts of one tenant are invisible to another. Default `default`. */
  tenant: string;
  /** Unique in its tenant. */
  id: string;
  /** `readonly` refuses every WRITE, `approver` may decide about the requests of others. The meaning of others is up to the rules. */
  roles: readonly string[];
  /** May use CRITICAL capabilities, with approval. */
  canDelete: boolean;
}
