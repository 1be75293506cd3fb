import { Client, type QueryConfig } from "pg";

/** A statement as it was sent, with the values that it was first sent with. */
export interface Sent {
  text: string;
  values: unknown[];
  /** It was sent to be prepared: its plan has to do for other values as well. */
  isPrepared: boolean;
}

/** One statement that has a plan, on tables of the store. */
const explainable = /^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)\b[^;]*@[a-z][^;]*$/;

/**
 * Keeps what every connection of `pg` sends from now on, each statement once: those that have a plan. Names of schemas are put as `@`, as
 * in the store's sources.
 */
export function collectStatements(): Map<string, Sent> {
  const found = new Map<string, Sent>();
  const { query } = Client.prototype;
  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    const [first, second] = given;
    const config = typeof first === "object" && first !== null ? (first as QueryConfig) : undefined;
    const text = config?.text ?? (typeof first === "string" ? first : undefined);
    const values = config?.values ?? (Array.isArray(second) ? second : []);
    const plain = text?.replace(/"[a-z_][a-z0-9_]*"\./g, "@");
    if (plain !== undefined && explainable.test(plain)) {
      const isPrepared = config?.name !== undefined || found.get(plain)?.isPrepared === true;
      found.set(plain, { values, ...found.get(plain), text: plain, isPrepared });
    }
    return Reflect.apply(query, this, given);
  } as typeof query;
  return found;
}

/** How many rows {@link fill} puts into what most grows with calls, and into other tables. */
const manyRows = 100_000;
const someRows = 20_000;

/** Fills the tables of a schema, so that no plan may read one from end to end. */
export async function fill(client: Client, schema: string): Promise<void> {
  const far = "1760000000000 + g";
  const rows = (table: string, columns: string, values: string, count = manyRows): string =>
    `INSERT INTO "${schema}".${table} (${columns}) SELECT ${values} FROM generate_series(1, ${count}) AS g`;
  const state =
    "(ARRAY['done', 'done', 'done', 'done', 'done', 'done', 'failed', 'in-doubt', 'started', 'claimed'])[g % 10 + 1]";
  const status = "(ARRAY['pending', 'approved', 'denied', 'used'])[g % 4 + 1]";
  await client.query("SET synchronous_commit = off");
  for (const sql of [
    rows(
      "sessions",
      "id, tenant, principal, expected_seq, view, expires_at, record",
      `'s' || g, 't' || g % 50, 'p', 9, 'v', ${far}, '{}'`,
      someRows,
    ),
    rows("frames", "session, frame_id, seq, digest, calls", "g / 10, 'f' || g, g % 10, 'd', '[]'"),
    rows(
      "calls",
      "session, call_id, seq, place, deadline, frame, frame_digest, record",
      `g / 10, 'c' || g, g % 10, 0, ${far}, 'f' || g, 'd', '{}'`,
    ),
    rows(
      "operations",
      "id, scope, key, fingerprint, state, fence, owner, lease_until, claimed_at, ttl_ms, keep_ms, due_at, effect_id, data",
      `sha256(g::text::bytea), 'scope' || g % 100, 'k' || g, 'f', ${state}, nextval('"${schema}".fences'), 'o', ${far}, ${far}, 1000, 1000, ${far}, 'e' || g, '{}'`,
    ),
    rows("parts", "operation, id, at, part", `sha256((g / 5)::text::bytea), g, ${far}, '{}'`, someRows),
    rows(
      "approvals",
      "id, tenant, requester, status, operation, expires_at, record",
      `'a' || g, 't' || g % 5, 'r' || g % 500, ${status}, sha256(g::text::bytea), ${far}, '{}'`,
    ),
    rows("tokens", "jti, operation, expires_at", `'j' || g, 'o', ${far}`, someRows),
    rows("audit_new", "at, entry", `${far}, '{}'`, someRows),
    rows("audit", "n, at, entry, prev_hash, hash", `g, ${far}, '{}', 'p', 'h'`),
    rows("outbox_new", "at, event", `${far}, '{}'`, someRows),
    rows("outbox", "n, at, event", `g, ${far}, '{}'`, someRows),
    rows("artifacts", "id, expires_at, record", `'r' || g, ${far}, '{}'`, someRows),
    rows("artifact_parts", "artifact, place, bytes", "'r' || g, 0, '\\x00'", someRows),
    rows("logs", "name, count", "'l' || g, 3", someRows),
    rows("log_lines", "name, n, line", "'l' || g / 5, g, '{}'", someRows),
    rows("blobs", "name, size, parts", "'b' || g, 1, ARRAY[sha256(g::text::bytea)]", someRows),
    rows("blob_parts", "digest, uses, bytes", "sha256(g::text::bytea), 1, '\\x00'", someRows),
    rows("rates", "key, at, filling_ms, taken", "'k' || g, 0, 1, true", someRows),
  ]) {
    await client.query(sql);
  }
  await client.query(`ANALYZE ${large.map((table) => `"${schema}".${table}`).join(", ")}`);
}

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  Plans?: Plan[];
}

/** The tables that {@link fill} fills. */
const large = [
  ...[
    "sessions",
    "frames",
    "calls",
    "operations",
    "parts",
    "approvals",
    "tokens",
    "audit_new",
    "audit",
    "outbox_new",
    "outbox",
  ],
  ...["artifacts", "artifact_parts", "logs", "log_lines", "blobs", "blob_parts", "rates"],
];

/** Returns the large tables that a statement would read from end to end. */
export async function scannedBy(client: Client, schema: string, sent: Sent): Promise<string[]> {
  const text = sent.text.replaceAll("@", `"${schema}".`);
  const plans = [await planOf(client, text, sent.values)];
  if (sent.isPrepared) {
    await client.query("SET plan_cache_mode = force_generic_plan");
    await client.query(`PREPARE once AS ${text}`);
    plans.push(await planOf(client, `EXECUTE once (${sent.values.map(() => "NULL").join(", ")})`));
    await client.query("DEALLOCATE once; RESET plan_cache_mode");
  }
  return plans.flatMap(scanned).filter((table) => large.includes(table));
}

async function planOf(client: Client, text: string, values: unknown[] = []): Promise<Plan> {
  const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(`EXPLAIN (FORMAT JSON) ${text}`, values);
  return (rows[0] as { "QUERY PLAN": [{ Plan: Plan }] })["QUERY PLAN"][0].Plan;
}

const scanned = (plan: Plan): string[] => [
  ...(plan["Node Type"] === "Seq Scan" ? [plan["Relation Name"] ?? "?"] : []),
  ...(plan.Plans ?? []).flatMap(scanned),
];
