// The tables, in steps that only go forward. Never change a step that was released: append one. A step only adds: routers of the
// version before go on working with the tables. `@` stands for the schema.
//
// Records are JSON texts; other columns repeat what is searched for. Texts that callers choose go into columns through
// `columnText`, because a text of PostgreSQL can't hold a NUL. They are compared byte by byte (COLLATE "C"), which is what
// is meant, and cheaper. Times are milliseconds since the epoch. Operations are found by a digest of scope and key, since an index
// takes no texts of any length.
//
// An operation whose state is `none` stands for no operation: an approval waits for one with its key. Whoever starts that
// operation finds the row, and so nobody has to look for approvals of a new key.

const first = `
CREATE TABLE @meta (name text PRIMARY KEY, value text NOT NULL);
CREATE SEQUENCE @fences CACHE 1;
CREATE TABLE @commits (connection text COLLATE "C" PRIMARY KEY, write_id bigint NOT NULL, at bigint NOT NULL)
  WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

CREATE TABLE @sessions (
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  tenant text COLLATE "C" NOT NULL,
  principal text COLLATE "C" NOT NULL,
  expected_seq bigint NOT NULL,
  view text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL,
  record text NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX sessions_by_expiry ON @sessions (expires_at);

CREATE TABLE @frames (
  session bigint NOT NULL,
  frame_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  digest text COLLATE "C" NOT NULL,
  calls text NOT NULL,
  reply text,
  write_id bigint,
  PRIMARY KEY (session, frame_id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

CREATE TABLE @calls (
  session bigint NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  place integer NOT NULL,
  deadline bigint NOT NULL,
  frame text COLLATE "C",
  frame_digest text COLLATE "C",
  record text NOT NULL,
  outcome text,
  reply text,
  write_id bigint,
  PRIMARY KEY (session, call_id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE UNIQUE INDEX calls_by_frame ON @calls (session, frame) WHERE frame IS NOT NULL;

CREATE TABLE @operations (
  id bytea NOT NULL PRIMARY KEY,
  scope text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  fence bigint NOT NULL,
  owner text NOT NULL,
  lease_until bigint NOT NULL,
  claimed_at bigint NOT NULL,
  started_at bigint,
  finished_at bigint,
  expires_at bigint,
  reason text,
  settled text,
  ttl_ms bigint NOT NULL,
  keep_ms bigint NOT NULL,
  due_at bigint,
  effect_id text COLLATE "C",
  data text,
  outcome text,
  write_id bigint
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX operations_open ON @operations (state, fence) WHERE state IN ('claimed', 'started', 'in-doubt');
CREATE INDEX operations_by_fence ON @operations (fence);
CREATE INDEX operations_by_effect ON @operations (effect_id)
  WHERE effect_id IS NOT NULL AND state IN ('claimed', 'started', 'in-doubt');
CREATE INDEX operations_due ON @operations (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE @parts (
  operation bytea NOT NULL,
  id bigint NOT NULL,
  at bigint NOT NULL,
  part text NOT NULL,
  PRIMARY KEY (operation, id)
);

CREATE TABLE @approvals (
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  tenant text COLLATE "C" NOT NULL,
  requester text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  operation bytea NOT NULL,
  expires_at bigint NOT NULL,
  record text NOT NULL
);
CREATE INDEX approvals_by_operation ON @approvals (operation, n);
CREATE INDEX approvals_by_tenant ON @approvals (tenant, n);
CREATE INDEX approvals_by_status ON @approvals (tenant, status, n);
CREATE INDEX approvals_by_requester ON @approvals (tenant, requester, n);
CREATE INDEX approvals_of_requester ON @approvals (tenant, requester, status, expires_at);
CREATE INDEX approvals_by_expiry ON @approvals (expires_at);

CREATE TABLE @tokens (
  jti text COLLATE "C" PRIMARY KEY,
  operation text NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX tokens_by_expiry ON @tokens (expires_at);

CREATE TABLE @heads (name text PRIMARY KEY, n bigint NOT NULL, hash text, dropped bigint NOT NULL DEFAULT 0);
INSERT INTO @heads (name, n) VALUES ('audit', 0), ('outbox', 0), ('epochs', 0);

CREATE TABLE @audit_new (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  entry text NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE TABLE @audit (n bigint PRIMARY KEY, at bigint NOT NULL, entry text NOT NULL, prev_hash text NOT NULL, hash text NOT NULL);
CREATE TABLE @checkpoints (n bigint PRIMARY KEY, first_row bigint NOT NULL, checkpoint text NOT NULL);

CREATE TABLE @outbox_new (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  event text NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE TABLE @outbox (n bigint PRIMARY KEY, at bigint NOT NULL, event text NOT NULL);
CREATE TABLE @consumers (name text COLLATE "C" PRIMARY KEY, position bigint NOT NULL, at bigint NOT NULL);

CREATE TABLE @artifacts (id text COLLATE "C" PRIMARY KEY, expires_at bigint NOT NULL, record text NOT NULL);
CREATE INDEX artifacts_by_expiry ON @artifacts (expires_at);
CREATE TABLE @artifact_parts (artifact text COLLATE "C" NOT NULL, place integer NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (artifact, place));

CREATE TABLE @epochs (epoch bigint PRIMARY KEY, digest text COLLATE "C" NOT NULL);
CREATE INDEX epochs_by_digest ON @epochs (digest, epoch);
CREATE TABLE @views (id text COLLATE "C" PRIMARY KEY, view text NOT NULL);

CREATE TABLE @logs (name text COLLATE "C" PRIMARY KEY, count bigint NOT NULL);
CREATE TABLE @log_lines (name text COLLATE "C" NOT NULL, n bigint NOT NULL, line text NOT NULL, PRIMARY KEY (name, n));

CREATE TABLE @blobs (name text COLLATE "C" PRIMARY KEY, size bigint NOT NULL, parts bytea[] NOT NULL);
CREATE TABLE @blob_parts (digest bytea PRIMARY KEY, uses bigint NOT NULL, bytes bytea NOT NULL);
CREATE INDEX blob_parts_unused ON @blob_parts (digest) WHERE uses <= 0;

CREATE TABLE @rates (
  key text COLLATE "C" PRIMARY KEY,
  at double precision NOT NULL,
  filling_ms double precision NOT NULL,
  taken boolean NOT NULL,
  write_id bigint
) WITH (fillfactor = 70);

CREATE TABLE @heartbeats (router text COLLATE "C" PRIMARY KEY, at bigint NOT NULL) WITH (fillfactor = 70);
`;

// Of an effect that many call at the same time, only those are looked at whose lease is over, or that are in doubt. The index that looked at
// all is contained in the first.
const effects: IndexStep = {
  makes: {
    operations_by_lease: `@operations (effect_id, lease_until)
  WHERE effect_id IS NOT NULL AND state IN ('claimed', 'started', 'in-doubt')`,
    operations_in_doubt: "@operations (effect_id) WHERE state = 'in-doubt'",
  },
  drops: ["operations_by_effect"],
};

/** A step of the tables that is one transaction. */
interface TableStep {
  sql: string;
  /** Whether routers of the version before may write to the tables after this step. */
  keepsWriters: boolean;
}

/** A step that makes and drops indexes, while others go on reading and writing. */
export interface IndexStep {
  /** By name: the table, and what of it. */
  makes: Readonly<Record<string, string>>;
  drops: readonly string[];
}

export type Migration = TableStep | IndexStep;

/** Step by step: tables of version 1 have had the first. */
export const migrations: readonly Migration[] = [{ sql: first, keepsWriters: true }, effects];
