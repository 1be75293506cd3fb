// The process that keeps the tests' shared PostgreSQL server: see postgres.mjs, which starts it. `node postgres-keeper.mjs <folder>`.
// It answers each connection with one line, `{ "url" }` or `{ "error" }`, and ends when nobody was connected for a while.
import { linkSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { currentIn } from "./postgres.mjs";
import { startPostgres } from "./postgres-server.mjs";

/** Between two test files, or two runs. */
const idleMs = 20_000;
const folder = process.argv[2] ?? "";
mkdirSync(folder, { recursive: true, mode: 0o700 });
const own = mkdtempSync(join(folder, "k-"));
const socket = join(own, "socket");
process.on("exit", () => {
  rmSync(own, { recursive: true, force: true });
  try {
    rmdirSync(folder);
  } catch {
    // Another keeper is in it.
  }
});

/** @type {NodeJS.Timeout | undefined} */
let idle;
let users = 0;
const leave = () => {
  clearTimeout(idle);
  if (users === 0) idle = setTimeout(end, idleMs);
};
/** @type {Promise<import("./postgres-server.mjs").PostgresServer> | undefined} */
let started;

const doors = createServer((user) => {
  users += 1;
  clearTimeout(idle);
  user.on("error", () => {});
  user.on("close", () => {
    users -= 1;
    leave();
  });
  user.resume();
  started ??= startPostgres();
  started.then(
    ({ url }) => user.write(`${JSON.stringify({ url })}\n`),
    (error) => user.end(`${JSON.stringify({ error: String(error) })}\n`),
  );
});

async function end() {
  rmSync(currentIn(folder), { force: true });
  doors.close();
  const server = await started?.catch(() => undefined);
  await server?.remove();
  process.exit();
}

doors.listen(socket, () => {
  // To link is to have it whole or not at all; who comes second finds the first and is not needed.
  const name = join(own, "name");
  writeFileSync(name, socket);
  try {
    linkSync(name, currentIn(folder));
  } catch {
    process.exit();
  }
  leave();
});
