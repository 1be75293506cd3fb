import type { Connection, Driver, Row, Value } from "./types.ts";

/** libsql's synchronous interface. Its option `readonly` has no effect, so it is not offered. */
export async function libsqlDriver(address = "libsql"): Promise<Driver> {
  // Native code: nobody can bundle it.
  const { default: Database } = (await import(/* @vite-ignore */ address)) as { default: typeof import("libsql") };
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
          let counted: typeof statement | undefined;
          const names = statement.columns().map(({ name }) => name);
          // As arrays: half the time, since the binding makes an object's names anew for every row.
          if (names.length > 0) statement.raw();
          const rowOf = (values: readonly Value[]): Row => {
            const row: Row = {};
            for (let index = 0; index < names.length; index++) row[names[index] as string] = values[index] as Value;
            return row;
          };
          // One array: a single object among the parameters would be taken for named ones.
          return {
            // A third less than the binding's `run`, which makes an object of what nobody asks for.
            run: (parameters) => {
              statement.get(parameters);
            },
            change(parameters) {
              // Of its own: the binding does not know well when a statement is both run and read.
              counted ??= database.prepare(sql);
              return counted.run(parameters).changes;
            },
            get: (parameters) => {
              const values = statement.get(parameters) as Value[] | undefined;
              return values ? rowOf(values) : undefined;
            },
            all: (parameters) => (statement.all(parameters) as Value[][]).map(rowOf),
          };
        },
        close: () => {
          database.close();
        },
      };
    },
  };
}
