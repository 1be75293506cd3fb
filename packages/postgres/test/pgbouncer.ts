import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgres } from "../../../scripts/lib/postgres-server.mjs";

const program = "/usr/sbin/pgbouncer";
const installation = findPostgres();

/** Why there is no pooler. */
export const noPooler: string | undefined =
  "skip" in installation ? installation.skip : existsSync(program) ? undefined : "no PgBouncer on this machine";

/** A PgBouncer in transaction mode before a server, with so few backends that each transaction may get another one. */
export async function startPooler(url: string, on?: number): Promise<{ url: string; stop(): Promise<void> }> {
  if ("skip" in installation) throw new Error(installation.skip);
  const { user } = installation;
  const folder = mkdtempSync(join(tmpdir(), "toolglot-pgbouncer-"));
  const at = new URL(url);
  const port = on ?? (await freePort());
  const users = join(folder, "users");
  writeFileSync(users, `"${decodeURIComponent(at.username)}" "${decodeURIComponent(at.password)}"\n`);
  writeFileSync(
    join(folder, "config"),
    `[databases]
* = host=${at.hostname} port=${at.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = 4
ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout
`,
  );
  // It refuses root.
  const { uid, gid } = user;
  if (uid !== undefined && gid !== undefined) {
    for (const path of [folder, users, join(folder, "config")]) chownSync(path, uid, gid);
  }
  const child: ChildProcess = spawn(program, ["-q", join(folder, "config")], { ...user, cwd: "/", stdio: "ignore" });
  const ended = once(child, "exit");
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  at.port = String(port);
  return {
    url: at.href,
    async stop() {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
