import { connect, createServer, type Server, type Socket } from "node:net";
import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { startPostgres } from "../../../scripts/lib/postgres.mjs";
import { claimRequest } from "../../trp-core/src/store-suite/fixtures.ts";
import { openPostgres, type PostgresOptions } from "../src/index.ts";
import { faultOf, newSchema, query, skip, url, why } from "./stores.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const secret = "s3cret-pa55";
/** The shared server's address with something changed. */
function address(change: (url: URL) => void): string {
  const changed = new URL(url);
  changed.password = secret;
  change(changed);
  return changed.href;
}

/** What opening a store comes to. Nothing of the error may hold the password. */
async function opening(options: Partial<PostgresOptions> & { url: string }): Promise<string> {
  try {
    const store = await openPostgres({ schema: "never_made", retryForMs: 50, ...options });
    await store.close();
    return "opened";
  } catch (error) {
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(secret);
    expect(JSON.stringify(error)).not.toContain(secret);
    return `${(error as { code?: string }).code}: ${(error as Error).message}`;
  }
}

/** A server that is no PostgreSQL. */
async function fakeServer(answer: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.resume();
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as { port: number }).port;
}

describe("options of a store on PostgreSQL", () => {
  it.each([
    [{ url: "mysql://app@db/app" }, 'must begin with "postgres://"'],
    [{ url: `postgres://app:${secret}#/@db:x/app` }, "percent-encoded"],
    [{ url: "postgres://db/app", listenUrl: `postgres://app:${secret}#/@db:x/app` }, "listenUrl can't be read"],
    [{ url: "postgres://db/app", schema: 'x"; DROP' }, "schema must be lower-case letters"],
    [{ url: "postgres://db/app", pool: 0 }, "pool"],
    [{ url: "postgres://db/app", statementTimeout: 1 } as never, 'Did you mean "statementTimeoutMs"?'],
    [{ url: "postgres://db/app", migrate: "never" as never }, '"check"'],
  ])("should refuse %j", async (options, message) => {
    const fault = await opening(options);
    expect(fault).toMatch(message);
    await expect(openPostgres(options)).rejects.toBeInstanceOf(TypeError);
  });

  it.each([
    [
      "where nothing listens",
      "postgres://app:s3cret-pa55@127.0.0.1:1/app",
      /^trp\/store-unavailable: 127.0.0.1:1\/app/,
    ],
    ["of a machine that does not exist", "postgres://app:s3cret-pa55@nowhere.invalid/app", /^trp\/store-unavailable/],
    ["of a socket that does not exist", "postgres://app:s3cret-pa55@/app?host=/nowhere", /^trp\/store-unavailable/],
  ])("should say that the database can't be reached, at an address %s", async (_name, at, fault) => {
    expect(await opening({ url: at })).toMatch(fault);
  });

  it.each([
    ["HTTP", "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"],
    ["MySQL", "J\0\0\0\n8.0.36\0\b\0\0\0abcdefgh\0\xff\xf7\xff\x02\0"],
  ])("should open nothing that speaks %s", async (_name, greeting) => {
    const port = await fakeServer((socket) => socket.end(Buffer.from(greeting, "latin1")));
    expect(await opening({ url: `postgres://app:${secret}@127.0.0.1:${port}/app` })).toMatch(
      /^trp\/store-(open|unavailable): 127\.0\.0\.1:\d+\/app/,
    );
  });

  it("should give up a server that never answers", async () => {
    const port = await fakeServer(() => undefined);
    expect(await opening({ url: `postgres://app:${secret}@127.0.0.1:${port}/app` })).toMatch(/^trp\/store-unavailable/);
  });
});

describe.skipIf(skip)(`a store on PostgreSQL${why}`, () => {
  it("should say what is wrong with an address, and how to cure it", async () => {
    expect(await opening({ url: address(() => undefined) })).toMatch(
      /^trp\/store-open: .* can't be opened: Its user or password is wrong\.$/,
    );
    const missing = new URL(url);
    missing.pathname = "/no_such_database";
    expect(await opening({ url: missing.href })).toMatch("There is no such database: create it.");
  });

  it("should take users and passwords of any characters", async () => {
    const odd = `o'd"d @/?#%:é`;
    const user = `${odd} ${newSchema()}`;
    const schema = newSchema();
    await query(async (client) => {
      const name = client.escapeIdentifier(user);
      await client.query(`CREATE ROLE ${name} LOGIN PASSWORD ${client.escapeLiteral(odd)}`);
      await client.query(`CREATE SCHEMA ${schema} AUTHORIZATION ${name}`);
    });
    const at = new URL(url);
    at.username = encodeURIComponent(user);
    at.password = encodeURIComponent(odd);
    expect(await opening({ url: at.href, schema })).toBe("opened");
    await query((client) => client.query(`DROP OWNED BY ${client.escapeIdentifier(user)}`));
    await query((client) => client.query(`DROP ROLE ${client.escapeIdentifier(user)}`));
  });

  it("should know its connections by name, also when the address names the application", async () => {
    const named = new URL(url);
    named.searchParams.set("application_name", "billing");
    const store = await openPostgres({ url: named.href, schema: newSchema() });
    const { rows } = await query((client) =>
      client.query("SELECT application_name AS name FROM pg_stat_activity WHERE application_name LIKE 'billing %'"),
    );
    expect(rows[0]?.name).toMatch(/^billing [0-9a-f-]{36}$/);
    await store.close();
  });

  it("should refuse a database that takes no writes", async () => {
    const readonly = new URL(url);
    readonly.searchParams.set("options", "-c default_transaction_read_only=on");
    expect(await opening({ url: readonly.href })).toMatch(/^trp\/store-readonly: .*address of the primary/);
    const lax = new URL(url);
    lax.searchParams.set("options", "-c synchronous_commit=off");
    expect(await opening({ url: lax.href })).toMatch(/^trp\/store-open: .*synchronous_commit is off/);
    expect(await opening({ url, requireSync: true })).toMatch(/^trp\/store-open: .*no synchronous standby/);
  });

  it.each([
    ["-c default_transaction_isolation=serializable", /its transactions are serializable/],
    ["-c client_min_messages=error", /client_min_messages is error/],
    ["-c array_nulls=off", /array_nulls is off/],
    ["-c search_path=public,pg_catalog", /other schemas come before pg_catalog/],
  ])("should refuse a role or an address with %s", async (options, fault) => {
    const strange = new URL(url);
    strange.searchParams.set("options", options);
    expect(await opening({ url: strange.href })).toMatch(fault);
  });

  it("should refuse a database that can't hold every text, a schema of somebody else, and TLS where there is none", async () => {
    const [database, schema] = [newSchema(), newSchema()];
    await query(async (client) => {
      await client.query(
        `CREATE DATABASE ${database} ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`,
      );
      await client.query(`CREATE SCHEMA ${schema} CREATE TABLE sessions (n int)`);
    });
    const latin = new URL(url);
    latin.pathname = `/${database}`;
    expect(await opening({ url: latin.href })).toMatch(/its encoding is LATIN1/);
    expect(await opening({ url, schema })).toMatch(/tables of something else .*sessions/);
    expect(await opening({ url, ssl: true })).toMatch(/^trp\/store-open: .*speaks no TLS/);
    await query((client) => client.query(`DROP DATABASE ${database}`));
  });

  it("should refuse a pooler that gives its backends other names, and take one that adds to them", async () => {
    const { hostname, port } = new URL(url);
    const through = async (change: (name: string) => string): Promise<string> => {
      const at = await fakeServer((socket) => {
        const server = connect(Number(port), hostname);
        socket.once("data", (first) => {
          // Its length, the version of the protocol, and names and values that end with a zero.
          const words = first.toString("latin1", 8).split("\0");
          const name = words.indexOf("application_name") + 1;
          words[name] = change(words[name] as string);
          const rest = Buffer.from(words.join("\0"), "latin1");
          const head = Buffer.alloc(8);
          head.writeInt32BE(rest.length + 8);
          first.copy(head, 4, 4, 8);
          server.write(Buffer.concat([head, rest]));
          socket.pipe(server).pipe(socket);
        });
        server.on("error", () => socket.destroy());
      });
      const proxy = new URL(url);
      proxy.host = `127.0.0.1:${at}`;
      return await opening({ url: proxy.href });
    };
    expect(await through(() => "pooler")).toMatch(/^trp\/store-open: .*does not pass application_name on/);
    expect(await through((name) => `${name} @1`)).toBe("opened");
  });

  it("should close once, after what was asked for, and take nothing more", async () => {
    const schema = newSchema();
    const store = await openPostgres({ url, schema });
    const claiming = store.operations.claim(claimRequest());
    const appending = store.logs.append("log", ["line"], 0);
    const closing = [store.close(), store.close()];
    expect([(await claiming).status, await appending]).toEqual(["claimed", true]);
    await Promise.all(closing);
    for (const late of [store.operations.claim(claimRequest()), store.ping(), store.prune(), store.audit.read()]) {
      expect(await faultOf(late)).toMatch(/^trp\/store-closed/);
    }
  });

  it("should name what can't be read, and go on with the rest", async () => {
    const schema = newSchema();
    const store = await openPostgres({ url, schema });
    ends.push(() => store.close());
    const parts = [new Uint8Array(300_000).fill(1), new Uint8Array(300_000).fill(2)];
    await store.blobs.put("cut", parts[0] as Uint8Array);
    await store.blobs.put("changed", parts[1] as Uint8Array);
    await store.blobs.put("whole", new Uint8Array(9));
    await store.operations.start(claimRequest({ key: "odd" }), { data: { a: 1 } });
    await query(async (client) => {
      await client.query(`DELETE FROM ${schema}.blob_parts WHERE bytes = decode(repeat('01', 262144), 'hex')`);
      await client.query(`UPDATE ${schema}.blob_parts SET bytes = set_byte(bytes, 0, 9) WHERE get_byte(bytes, 0) = 2`);
      await client.query(`UPDATE ${schema}.operations SET data = '{' WHERE key = 'odd'`);
    });
    for (const name of ["cut", "changed"]) {
      expect(await faultOf(store.blobs.get(name))).toMatch(
        /^trp\/store-damaged: .*lacks a part, or a part was changed/,
      );
    }
    expect(await store.blobs.get("whole")).toEqual(new Uint8Array(9));
    expect(await faultOf(store.operations.read(claimRequest({ key: "odd" })))).toMatch(
      /^trp\/store-damaged: .*operations, "odd"/,
    );
    // A part that two blobs have in common is kept once, and goes with the second one.
    await store.blobs.put("one", parts[0] as Uint8Array);
    await store.blobs.put("two", parts[0] as Uint8Array);
    const count = async (): Promise<number> => {
      await store.prune();
      const { rows } = await query((client) =>
        client.query(`SELECT count(*)::int AS n FROM ${schema}.blob_parts WHERE get_byte(bytes, 0) = 1`),
      );
      return rows[0].n;
    };
    expect(await count()).toBe(2);
    await store.blobs.delete("one");
    expect(await count()).toBe(2);
    expect(Buffer.compare((await store.blobs.get("two")) as Uint8Array, parts[0] as Uint8Array)).toBe(0);
    await store.blobs.delete("two");
    await store.blobs.delete("cut");
    expect(await count()).toBe(0);
  });
});

// A server of its own can't come from TOOLGLOT_POSTGRES_URL.
const own = skip ?? (process.env.TOOLGLOT_POSTGRES_URL ? "it needs servers of its own" : undefined);
describe.skipIf(own)(`a server with other settings${own ? ` (skipped: ${own})` : ""}`, () => {
  it("should say that fsync is off, that a standby is none to write to, and work through a socket", async () => {
    const server = await startPostgres({ settings: { fsync: "off" } });
    ends.push(() => server.remove());
    const errors: string[] = [];
    const socket = `postgres://postgres@/postgres?host=${server.folder}&port=${server.port}`;
    const store = await openPostgres({ url: socket, onError: ({ message }) => void errors.push(message) });
    expect(store.durability).toBe("process");
    expect(errors.join()).toMatch("fsync or full_page_writes off");
    expect((await store.operations.claim(claimRequest())).status).toBe("claimed");
    await store.close();
    const standby = await server.standby({ synchronous: true });
    ends.push(() => standby.remove());
    expect(await opening({ url: standby.url, schema: "toolglot" })).toMatch(/^trp\/store-readonly/);
    expect(await opening({ url: standby.url, schema: "other" })).toMatch(/^trp\/store-readonly/);
    expect(await opening({ url: server.url, requireSync: true })).toBe("opened");
    // A commit that nobody confirms is not told to be one, nor one that was found afterwards.
    const careful = await openPostgres({
      url: server.url,
      requireSync: true,
      statementTimeoutMs: 300,
      retryForMs: 100,
    });
    await standby.stop("immediate");
    expect(await faultOf(careful.logs.append("log", ["line"], 0))).toMatch(/^trp\/store-unsettled/);
    await standby.start();
    expect(await careful.logs.read("log")).toEqual(["line"]);
    await careful.close();
  }, 60_000);
});
