import type { Connection, Driver, Row } from "../driver.ts";

/** libsql's synchronous interface. Its option `readonly` has no effect, so it is not offered. */
export async function libsqlDriver(): Promise<Driver> {
  const { default: Database } = await import("libsql");
  return {
    name: "libsql",
    open(file): Connection {
      const database = new Database(file);
      return {
        exec: (sql) => {
          database.exec(sql);
        },
        prepare(sql) {
          const statement = database.prepare(sql);
          // One array: a single object among the parameters would be taken for named ones.
          return {
            run: (parameters) => {
              statement.run(parameters);
            },
            get: (parameters) => (statement.get(parameters) as Row | undefined) ?? undefined,
            all: (parameters) => statement.all(parameters) as Row[],
          };
        },
        close: () => {
          database.close();
        },
      };
    },
  };
}
