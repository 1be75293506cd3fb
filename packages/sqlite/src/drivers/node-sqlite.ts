import type { Connection, Driver, Row, Value } from "./types.ts";

/** What is used of `node:sqlite`, which the types of Node 20 don't have. */
interface NodeSqlite {
  DatabaseSync: new (
    file: string,
  ) => {
    exec(sql: string): void;
    prepare(sql: string): {
      run(...parameters: Value[]): { changes: number | bigint };
      get(...parameters: Value[]): unknown;
      all(...parameters: Value[]): unknown[];
    };
    close(): void;
  };
}

/** Undefined where the runtime has no `node:sqlite`. */
export function nodeSqliteDriver(): Driver | undefined {
  const module = process.getBuiltinModule?.("node:sqlite") as NodeSqlite | undefined;
  if (!module?.DatabaseSync) return undefined;
  return {
    name: "node:sqlite",
    open(file): Connection {
      const database = new module.DatabaseSync(file);
      return {
        exec: (sql) => database.exec(sql),
        prepare(sql) {
          const statement = database.prepare(sql);
          return {
            run: (parameters) => {
              statement.run(...parameters);
            },
            change: (parameters) => Number(statement.run(...parameters).changes),
            get: (parameters) => statement.get(...parameters) as Row | undefined,
            all: (parameters) => statement.all(...parameters) as Row[],
          };
        },
        close: () => database.close(),
      };
    },
  };
}
