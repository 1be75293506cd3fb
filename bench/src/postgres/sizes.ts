import type { Queries } from "./pg.ts";

/** How large a table is, with its indexes. */
export interface TableSize {
  name: string;
  rows: number;
  bytes: number;
  /** Of a copy with the same rows. */
  copied: number;
}

/** The sizes of all tables of a schema. */
export async function tableSizes(queries: Queries, schema: string): Promise<TableSize[]> {
  const named = await queries.query("select tablename from pg_tables where schemaname = $1 order by 1", [schema]);
  const found: TableSize[] = [];
  for (const { tablename } of named.rows) {
    const name = `"${schema}"."${tablename}"`;
    await queries.query(
      `create table copied (like ${name} including all); insert into copied overriding system value select * from ${name}`,
    );
    const sizes = `select (select count(*) from copied)::text as rows,
      pg_total_relation_size('${name}')::text as bytes, pg_total_relation_size('copied')::text as copied`;
    const [row] = (await queries.query(sizes)).rows;
    await queries.query("drop table copied");
    found.push({
      name: String(tablename),
      rows: Number(row?.rows),
      bytes: Number(row?.bytes),
      copied: Number(row?.copied),
    });
  }
  return found;
}

/** Bytes of a row of an operation whose data and outcome are forgotten and whose key is still known, with its indexes. */
export async function forgottenSize(queries: Queries, schema: string): Promise<number> {
  const name = `"${schema}"."operations"`;
  await queries.query(`create table forgotten (like ${name} including all);
    insert into forgotten select f.* from ${name} o,
      jsonb_populate_record(null::${name}, to_jsonb(o) || '{"data": null, "outcome": null}') f`);
  const size = "select pg_total_relation_size('forgotten')::text as bytes, count(*)::text as rows from forgotten";
  const [row] = (await queries.query(size)).rows;
  await queries.query("drop table forgotten");
  return Number(row?.bytes) / Number(row?.rows);
}
