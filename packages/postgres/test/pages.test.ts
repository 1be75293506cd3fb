import { rounds } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { openPostgres } from "../src/index.ts";
import { newSchema, query, skip, url, why } from "./stores.ts";

// A list costs its page, however many records there are: counted in the blocks that the server reads for it.

const count = rounds(10_000, 100_000);

describe.skipIf(skip)(`a store with ${count} approvals${why}`, () => {
  it("should read no more than a page, and give each record once", async () => {
    const schema = newSchema();
    const store = await openPostgres({ url, schema });
    const record = {
      ...{ tenant: "default", operation: { scope: "s", key: "k" }, capId: "cap.x.high.v1", fingerprint: "f" },
      ...{ args: {}, riskTier: "HIGH", reason: "r", policyVersion: "v", status: "pending", createdAt: 1 },
      expiresAt: 9e15,
    };
    await query(async (client) => {
      const sql = `INSERT INTO ${schema}.approvals (id, tenant, requester, status, operation, expires_at, record)
        SELECT 'apr_' || n, 'default', 'agent ' || n % 500, 'pending', sha256(n::text::bytea), 9e15::bigint,
          ($1::jsonb || jsonb_build_object('id', 'apr_' || n, 'requester', 'agent ' || n % 500))::text
        FROM generate_series(1, $2) AS n`;
      await client.query(sql, [JSON.stringify(record), count]);
      await client.query(`ANALYZE ${schema}.approvals`);
    });
    const blocks = async (): Promise<number> => {
      const sql = `SELECT sum(heap_blks_read + heap_blks_hit)::int AS n FROM pg_statio_user_tables
        WHERE schemaname = $1 AND relname = 'approvals'`;
      // What a backend has read is counted when it has nothing to do.
      return await query(async (client) => {
        await client.query("SELECT pg_stat_force_next_flush()");
        return (await client.query(sql, [schema])).rows[0].n;
      });
    };
    const seen: string[] = [];
    for (let before: string | undefined; ; ) {
      const page = await store.approvals.list({ tenant: "default", limit: 500, ...(before && { before }) });
      seen.push(...page.map(({ id }) => id));
      before = page.at(-1)?.id;
      if (before === undefined) break;
    }
    expect(seen).toEqual(Array.from({ length: count }, (_, at) => `apr_${count - at}`));
    const filters = [
      {},
      { status: "approved" },
      { status: "denied", requester: "agent 1" },
      { status: "pending", requester: "agent 1", before: "apr_5000" },
      { requester: "nobody" },
    ] as const;
    await store.close();
    const other = await openPostgres({ url, schema, pool: 1 });
    const start = await blocks();
    for (const filter of filters) {
      const found = await other.approvals.list({ tenant: "default", limit: 20, ...filter });
      expect(found.length).toBeLessThanOrEqual(20);
    }
    await other.close();
    const read = (await blocks()) - start;
    // All of them are many hundreds of blocks.
    expect(read).toBeLessThan(150);
  });
});
