// PostgreSQL servers that this machine's binaries run: found, made, started, stopped, doubled. Nothing outlives who started it.
import { execFile, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const oldest = 15;
const signals = /** @type {const} */ ({ smart: "SIGTERM", fast: "SIGINT", immediate: "SIGQUIT" });
/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * @typedef {keyof typeof signals} StopMode As `pg_ctl -m` has them: `immediate` is a crash.
 * @typedef {{ bin: string, user: { uid?: number, gid?: number } }} Installation
 * @typedef {object} PostgresServer
 * @property {string} url With a password; on 127.0.0.1.
 * @property {number} port The same after each start.
 * @property {string} folder Its data; its socket lies in it too, for whoever asks for no password.
 * @property {() => string} log All that it wrote.
 * @property {(mode?: StopMode) => Promise<void>} stop Default `fast`. Nothing when it is stopped already.
 * @property {() => Promise<void>} start
 * @property {(mode?: StopMode) => Promise<void>} restart
 * @property {(statement: string) => Promise<string>} sql What `psql` prints, without headings.
 * @property {(settings: Settings) => Promise<void>} configure Settings that need no restart.
 * @property {(options?: { synchronous?: boolean }) => Promise<PostgresServer>} standby A copy that follows this server; `synchronous`: each
 *   commit waits for it.
 * @property {() => Promise<void>} promote Makes a standby a server of its own.
 * @property {() => Promise<void>} remove Stops it and removes its data.
 * @typedef {Record<string, string | number>} Settings As in postgresql.conf.
 */

/**
 * The newest PostgreSQL of this machine, and who may run it: it refuses root, so root runs it as the user `postgres`.
 * @returns {Installation | { skip: string }}
 */
export function findPostgres() {
  if (process.platform === "win32") return { skip: "no PostgreSQL is started on Windows" };
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((one, other) => Number(other) - Number(one)) : [];
  const folders = [...versions.map((version) => join(debian, version, "bin")), ...(process.env.PATH ?? "").split(":")];
  const bin = folders.find((folder) => ["initdb", "postgres", "psql"].every((name) => existsSync(join(folder, name))));
  if (bin === undefined) return { skip: "no PostgreSQL on this machine, and no TOOLGLOT_POSTGRES_URL" };
  const version = spawnSync(join(bin, "postgres"), ["--version"], { encoding: "utf8" }).stdout;
  if (Number(/\d+/.exec(version)?.[0]) < oldest)
    return { skip: `PostgreSQL is older than ${oldest}: ${version.trim()}` };
  if (process.getuid?.() !== 0) return { bin, user: {} };
  const [uid, gid] = ["-u", "-g"].map((flag) =>
    spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout.trim(),
  );
  if (!uid || !gid) return { skip: "PostgreSQL refuses root, and there is no user `postgres`" };
  return { bin, user: { uid: Number(uid), gid: Number(gid) } };
}

/**
 * A server of one's own, with an empty database `postgres`. It ends with the process that started it, however that ends, and its data
 * with it, unless `folder` names a place for them.
 * @param {{ settings?: Settings, folder?: string }} [options]
 * @returns {Promise<PostgresServer>}
 */
export async function startPostgres({ settings = {}, folder } = {}) {
  const installation = findPostgres();
  if ("skip" in installation) throw new Error(installation.skip);
  const data = join(folder ?? ownFolder(installation), "data");
  const password = randomBytes(12).toString("hex");
  if (!existsSync(data)) {
    // Only who may enter the folder gets in without the password.
    const auth = ["--auth-local=trust", "--auth-host=scram-sha-256"];
    const initdb = ["-D", data, "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync", ...auth];
    await runTool(installation, "initdb", initdb);
  }
  const server = await serverOn({ installation, data, settings, isOurs: folder === undefined });
  // A folder from before has the password of then.
  await server.sql(`alter role postgres password '${password}'`);
  server.url = `postgres://postgres:${password}@127.0.0.1:${server.port}/postgres`;
  return server;
}

/** @param {Installation} installation */
function ownFolder({ user }) {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-postgres-"));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  return folder;
}

/** @param {Installation} installation @param {string} program @param {string[]} args */
async function runTool({ bin, user }, program, args) {
  const options = { ...user, cwd: "/", env: cleanEnvironment(), maxBuffer: 2 ** 26 };
  return (await promisify(execFile)(join(bin, program), args, options)).stdout;
}

/** What PostgreSQL's programs would read of the caller's own connections is left out. */
const cleanEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name)));

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/**
 * The server runs below a shell that waits for the end of its input: when the process at the other end is gone, also by SIGKILL, the
 * shell stops the server and removes its data. `$1`: what to remove, or nothing.
 */
const guarded = `
exec 3<&0
folder=$1; shift
"$@" 3<&- &
server=$!
( cat <&3 >/dev/null; trap '' TERM; kill -QUIT $server; while kill -0 $server 2>/dev/null; do sleep 0.1; done
  [ -z "$folder" ] || rm -rf "$folder" ) &
guard=$!
wait $server; code=$?
kill $guard; exit $code`;

/**
 * @param {{ installation: Installation, data: string, settings: Settings, isOurs: boolean }} options
 * @returns {Promise<PostgresServer>}
 */
async function serverOn({ installation, data, settings, isOurs }) {
  const { bin, user } = installation;
  const parent = join(data, "..");
  const logFile = join(parent, "log");
  const port = await freePort();
  const all = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: data,
    max_connections: 200,
    shared_buffers: "32MB",
    max_wal_size: "512MB",
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  /** @type {Promise<unknown> | undefined} */
  let ended;

  const log = () => (existsSync(logFile) ? readFileSync(logFile, "utf8") : "");
  const pidFile = () => {
    const file = join(data, "postmaster.pid");
    return existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  };
  /** @param {NodeJS.Signals} signal */
  const send = (signal) => {
    const pid = Number(pidFile()[0]);
    if (pid > 1) process.kill(pid, signal);
  };
  const local = ["-h", data, "-p", String(port), "-U", "postgres"];

  /** @type {PostgresServer["start"]} */
  const start = async () => {
    if (ended !== undefined) throw new TypeError("this server runs already");
    rmSync(join(data, "postmaster.pid"), { force: true });
    const output = openSync(logFile, "a");
    const child = spawn(
      "sh",
      ["-c", guarded, "sh", isOurs ? parent : "", join(bin, "postgres"), "-D", data, ...flags],
      {
        ...user,
        cwd: "/",
        env: cleanEnvironment(),
        // A Ctrl-C is for who started it.
        detached: true,
        stdio: ["pipe", output, output],
      },
    );
    child.unref();
    /** @type {import("node:net").Socket} */ (/** @type {unknown} */ (child.stdin)).unref();
    let isOver = false;
    ended = new Promise((resolve) => {
      child.on("exit", () => {
        isOver = true;
        ended = undefined;
        child.stdin?.destroy();
        resolve(undefined);
      });
    });
    // As pg_ctl does: the server says in this file how far it is.
    while (!/^(ready|standby)/.test(pidFile()[7] ?? "")) {
      if (isOver) throw new Error(`PostgreSQL did not start: ${log().slice(-2000)}`);
      await pause(20);
    }
  };
  /** @type {PostgresServer["stop"]} */
  const stop = async (mode = "fast") => {
    const end = ended;
    if (end === undefined) return;
    send(signals[mode]);
    // The end of an unreferenced child alone would not keep this process up until then.
    const alive = setInterval(() => {}, 1000);
    await end;
    clearInterval(alive);
  };
  /** @type {PostgresServer["configure"]} */
  const configure = async (more) => {
    const lines = Object.entries(more).map(([name, value]) => `${name} = '${value}'\n`);
    // Of the two files the one that is read last.
    appendFileSync(join(data, "postgresql.auto.conf"), lines.join(""));
    send("SIGHUP");
    for (const [name, value] of Object.entries(more)) {
      while ((await server.sql(`show ${name}`)).trim() !== String(value)) await pause(20);
    }
  };

  /** @type {PostgresServer} */
  const server = {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    folder: data,
    log,
    start,
    stop,
    configure,
    restart: async (mode) => {
      await stop(mode);
      await start();
    },
    sql: (statement) => runTool(installation, "psql", [...local, "-d", "postgres", "-XAtqc", statement]),
    standby: async ({ synchronous = false } = {}) => {
      const copy = join(ownFolder(installation), "data");
      await runTool(installation, "pg_basebackup", [
        ...local,
        "-D",
        copy,
        "-R",
        "-X",
        "stream",
        "--checkpoint=fast",
        "--no-sync",
      ]);
      const standby = await serverOn({ installation, data: copy, settings, isOurs: true });
      const at = new URL(server.url);
      at.port = String(standby.port);
      standby.url = at.href;
      if (synchronous) {
        await configure({ synchronous_standby_names: "*" });
        // The checkpointer is who tells the others that commits wait from now on; it reads its settings first.
        await server.sql("checkpoint");
      }
      const state = `state = 'streaming' and sync_state = '${synchronous ? "sync" : "async"}'`;
      while ((await server.sql(`select 1 from pg_stat_replication where ${state}`)) === "") await pause(50);
      return standby;
    },
    promote: async () => {
      await runTool(installation, "pg_ctl", ["promote", "-w", "-D", data]);
    },
    remove: async () => {
      await stop("immediate");
      rmSync(parent, { recursive: true, force: true });
    },
  };
  await start();
  return server;
}
