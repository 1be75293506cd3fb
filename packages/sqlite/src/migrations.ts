// The tables, in steps that only go forward. Never change a step that was released: append one.
//
// What grows with every call is in tables by rowid: new rows stand together at the end, so that a commit of many calls
// touches few pages. For the same reason there are no more indexes on them than one.
//
// How the only call of a frame was answered is the frame's answer: kept once, as the call's `reply`. `calls.frame` is the
// frame that brought the call last, when it brought no other: the frame's only row.
//
// Records are JSON in one column; other columns repeat what is searched for. Texts that callers choose go into columns
// through `columnText`.

const first = `
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO counters VALUES ('fence', 0);

CREATE TABLE sessions (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  expected_seq INTEGER NOT NULL,
  view TEXT NOT NULL,
  expires_at REAL NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE frames (
  session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  frame_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  calls TEXT NOT NULL,
  reply TEXT
) STRICT;
CREATE UNIQUE INDEX frames_by_id ON frames (session, frame_id);

CREATE TABLE calls (
  session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
  call_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  place INTEGER NOT NULL,
  deadline REAL NOT NULL,
  frame TEXT,
  record TEXT NOT NULL,
  outcome TEXT,
  reply TEXT
) STRICT;
CREATE UNIQUE INDEX calls_by_id ON calls (session, call_id);

CREATE TABLE operations (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  state TEXT NOT NULL,
  open INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  lease_until REAL NOT NULL,
  due_at REAL,
  kept TEXT NOT NULL,
  data TEXT,
  outcome TEXT
) STRICT;
CREATE UNIQUE INDEX operations_by_key ON operations (scope, key);
CREATE INDEX operations_open ON operations (state, fence) WHERE open = 1;
CREATE INDEX operations_due ON operations (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE approvals (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  tenant TEXT NOT NULL,
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  used INTEGER NOT NULL,
  expires_at REAL NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX approvals_by_operation ON approvals (scope, key, n);
CREATE INDEX approvals_by_tenant ON approvals (tenant, n);

CREATE TABLE tokens (
  jti TEXT PRIMARY KEY,
  operation TEXT NOT NULL,
  expires_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  n INTEGER PRIMARY KEY,
  at REAL NOT NULL,
  entry TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;

CREATE TABLE artifacts (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  expires_at REAL NOT NULL,
  record TEXT NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE INDEX artifacts_by_expiry ON artifacts (expires_at);

CREATE TABLE epochs (epoch INTEGER PRIMARY KEY, digest TEXT NOT NULL) STRICT;
CREATE INDEX epochs_by_digest ON epochs (digest, epoch);

CREATE TABLE views (id TEXT PRIMARY KEY, view TEXT NOT NULL) STRICT;
`;

const effects = `
ALTER TABLE operations ADD COLUMN effect_id TEXT;
CREATE INDEX operations_by_effect ON operations (effect_id) WHERE open = 1 AND effect_id IS NOT NULL;
`;

const identity = `
CREATE TABLE identity (id TEXT NOT NULL) STRICT;
INSERT INTO identity VALUES (lower(hex(randomblob(16))));
INSERT INTO counters VALUES ('pulse', 0);
`;

// Whether one has expired depends on `expires_at`: the status stays as it was written.
const approvalColumns = `
ALTER TABLE approvals ADD COLUMN requester TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN status TEXT NOT NULL DEFAULT '';
UPDATE approvals SET requester = json_extract(record, '$.requester'), status = json_extract(record, '$.status');
CREATE INDEX approvals_by_status ON approvals (tenant, status, n, expires_at);
CREATE INDEX approvals_by_requester ON approvals (tenant, requester, status, n, expires_at);
CREATE INDEX approvals_of_requester ON approvals (tenant, requester, n);
CREATE INDEX approvals_by_expiry ON approvals (expires_at);
`;

// They go with their operation's outcome. An operation has few or none, and most calls never look.
const partialResults = `
CREATE TABLE parts (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  id INTEGER NOT NULL,
  at REAL NOT NULL,
  part TEXT NOT NULL,
  PRIMARY KEY (scope, key, id)
) STRICT, WITHOUT ROWID;
`;

// Numbers of events have no gaps: the counter is how many were dropped from the beginning.
const outbox = `
CREATE TABLE outbox (n INTEGER PRIMARY KEY, at REAL NOT NULL, event TEXT NOT NULL) STRICT;
CREATE TABLE consumers (name TEXT PRIMARY KEY, position INTEGER NOT NULL, at REAL NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO counters VALUES ('outbox', 0);
CREATE TABLE checkpoints (n INTEGER PRIMARY KEY, first_row INTEGER NOT NULL, checkpoint TEXT NOT NULL) STRICT;
`;

// A line's row stands with those of its log, so that reading one touches few pages.
const storage = `
CREATE TABLE logs (name BLOB NOT NULL, n INTEGER NOT NULL, line BLOB NOT NULL, PRIMARY KEY (name, n)) STRICT, WITHOUT ROWID;
CREATE TABLE blobs (name BLOB NOT NULL PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
`;

// A frame with a single call is in the call's row, which saves most calls a row and an index. Such a frame has no row of
// its own until it needs one: see `unfold`.
const oneRow = `
ALTER TABLE calls ADD COLUMN frame_digest TEXT;
UPDATE calls SET frame_digest = (SELECT digest FROM frames f
  WHERE f.session = calls.session AND f.frame_id = calls.frame AND f.seq = calls.seq AND f.reply IS NULL);
UPDATE calls SET frame = NULL WHERE frame_digest IS NULL;
DELETE FROM frames WHERE EXISTS (SELECT 1 FROM calls c
  WHERE c.session = frames.session AND c.frame = frames.frame_id AND c.seq = frames.seq);
CREATE UNIQUE INDEX calls_by_frame ON calls (session, frame) WHERE frame IS NOT NULL;
`;

// What somebody settled as not applied stays as a record in the state `released`, whose key is free. A version that doesn't
// know the state would take it for done: this step only keeps such a version from opening the file.
const settlements = `
INSERT INTO counters VALUES ('settlements', 1);
`;

// Token buckets. One that is full again goes; there is no index on what changes with every call.
const rates = `
CREATE TABLE rates (
  key TEXT PRIMARY KEY,
  at REAL NOT NULL,
  filling_ms REAL NOT NULL,
  taken INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

// Many calls may be to bring about the same at one time, and each start asks whether one of them is unsettled: an index that
// leads to these alone.
const unsettledEffects = `
DROP INDEX operations_by_effect;
CREATE INDEX operations_by_effect ON operations (effect_id, lease_until) WHERE open = 1 AND effect_id IS NOT NULL;
CREATE INDEX operations_in_doubt ON operations (effect_id) WHERE state = 'in-doubt';
`;

/** Step by step: a file of version 1 has had the first. */
export const migrations: readonly string[] = [
  first,
  effects,
  identity,
  approvalColumns,
  partialResults,
  outbox,
  storage,
  oneRow,
  settlements,
  rates,
  unsettledEffects,
];

/** In the header of every store's file, so that no other database is taken for one: "TRP1". */
export const applicationId = 0x54525031;
