import type { Peer } from "../trp/load.ts";
import { type KeyedCall, recordKeyedCall } from "./keyed-call.ts";
import type { Pool } from "./pg.ts";

const table = `
create table if not exists bare (
  scope text not null, key text not null, fingerprint text not null, owner text not null, state text not null,
  fence bigint not null, lease_until bigint not null, data text, outcome text, primary key (scope, key)
) with (fillfactor = 70);
create sequence if not exists bare_fence;`;

const claim = `insert into bare (scope, key, fingerprint, owner, state, fence, lease_until)
  values ($1, $2, $3, $4, 'claimed', nextval('bare_fence'), $5) on conflict do nothing returning fence`;
const begin = "update bare set state = 'started', data = $4 where scope = $1 and key = $2 and fence = $3";
const finish = "update bare set state = 'done', outcome = $4 where scope = $1 and key = $2 and fence = $3";

/** What somebody writes who knows what has to be kept, and nothing of routers. */
export interface Bare {
  /** Insert a claim, update it to started, update it to done with its outcome: three commits. */
  calls: Peer;
  /** The first of them. */
  claims: Peer;
  /** One statement that reads nothing and writes nothing. */
  nothing: Peer;
}

/** Bare statements on a table of their own, with texts as long as those of a keyed call. The pool is not closed. */
export async function bareStatements(pool: Pool): Promise<Bare> {
  await pool.query(table);
  const recorded = await recordKeyedCall();
  let count = 0;
  const claimed = async ({ request }: KeyedCall): Promise<[key: string, fence: unknown]> => {
    const key = `${request.key}${++count}`;
    const { rows } = await pool.query(claim, [
      request.scope,
      key,
      request.fingerprint,
      request.owner,
      Date.now() + request.leaseMs,
    ]);
    if (rows[0] === undefined) throw new Error(`${key} is claimed already`);
    return [key, rows[0].fence];
  };
  const data = JSON.stringify(recorded.options.data);
  const outcome = JSON.stringify(recorded.end);
  const update = async (sql: string, values: readonly unknown[]): Promise<void> => {
    if ((await pool.query(sql, values)).rowCount !== 1) throw new Error("the claim is lost");
  };
  const close = async (): Promise<void> => {};
  return {
    calls: {
      name: "bare statements",
      close,
      async call() {
        const { scope } = recorded.request;
        const [key, fence] = await claimed(recorded);
        await update(begin, [scope, key, fence, data]);
        await update(finish, [scope, key, fence, outcome]);
      },
    },
    claims: { name: "claim by a bare statement", call: () => claimed(recorded), close },
    nothing: { name: "select 1", call: () => pool.query("select 1"), close },
  };
}
