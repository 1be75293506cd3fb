import { createRequire } from "node:module";

export type Row = Readonly<Record<string, string | number | null>>;

/** What is used of a connection of `pg`, or of its pool. */
export interface Queries {
  query(text: string, values?: readonly unknown[]): Promise<{ rows: Row[]; rowCount: number | null }>;
}

export interface Pool extends Queries {
  end(): Promise<void>;
}

interface Pg {
  Pool: new (options: { connectionString: string; max: number }) => Pool;
  Connection: { prototype: unknown };
}

/** Connections of a pool: as many as the store has by default. */
const poolSize = 10;

/** The `pg` that the store uses, which is no dependency of this package. */
export const pgOfStore = (): Pg => createRequire(import.meta.resolve("@toolglot/postgres"))("pg") as Pg;

export function openPool(url: string, max = poolSize): Pool {
  const { Pool } = pgOfStore();
  return new Pool({ connectionString: url, max });
}
