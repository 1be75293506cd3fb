// The PostgreSQL that tests of several packages share. Each test makes a schema of its own in it.
//
// All test processes of a machine that run at the same time share one server, which the first of them brings about: it starts a keeper
// (postgres-keeper.mjs), a process that starts the server and holds it for as long as somebody is connected to the keeper, and 20 s
// more. A connection ends with its process, however that ends, so nothing has to be tidied up; and the server ends with its keeper,
// also by SIGKILL. A setup of vitest would know one run only, and would have to start a server for runs that need none.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { findPostgres } from "./postgres-server.mjs";

export { startPostgres } from "./postgres-server.mjs";

/** @typedef {{ url: string, skip: undefined } | { url: "", skip: string }} PostgresForTests */

/** Where the name of the keeper's socket stands. @param {string} folder */
export const currentIn = (folder) => join(folder, "current");

/** @type {Promise<PostgresForTests> | undefined} */
let found;

/**
 * A server for tests: that of `TOOLGLOT_POSTGRES_URL`, else one that this machine's binaries run. `skip`: why there is none.
 *
 *     const { url, skip } = await postgresForTests();
 *     describe.skipIf(skip)(`what it does${skip ? ` (${skip})` : ""}`, () => { … });
 *
 * @returns {Promise<PostgresForTests>}
 */
export function postgresForTests() {
  found ??= find();
  return found;
}

/** @returns {Promise<PostgresForTests>} */
async function find() {
  const given = process.env.TOOLGLOT_POSTGRES_URL;
  if (given) return { url: given, skip: undefined };
  const installation = findPostgres();
  if ("skip" in installation) return { url: "", skip: installation.skip };
  return { url: await sharedServer(), skip: undefined };
}

/** A folder for this user and this version of the keeper. */
function keepersFolder() {
  const sources = ["postgres.mjs", "postgres-keeper.mjs", "postgres-server.mjs"];
  const hash = createHash("sha256");
  for (const name of sources) hash.update(readFileSync(join(import.meta.dirname, name)));
  return join(tmpdir(), `toolglot-pg-${userInfo().uid}-${hash.digest("hex").slice(0, 8)}`);
}

/** @returns {Promise<string>} */
async function sharedServer() {
  const folder = keepersFolder();
  const until = Date.now() + 60_000;
  let keepers = 0;
  while (Date.now() < until) {
    const url = await askKeeper(folder);
    if (url !== undefined) return url;
    // Two keepers at once, by a race, are a server too many for a while, and no mistake.
    if (keepers++ % 20 === 0) {
      rmSync(currentIn(folder), { force: true });
      const keeper = join(import.meta.dirname, "postgres-keeper.mjs");
      spawn(process.execPath, [keeper, folder], { detached: true, stdio: "ignore", cwd: "/" }).unref();
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error("the shared PostgreSQL did not start within 60 s");
}

/**
 * The keeper's answer; nothing when there is no keeper. The connection stays open for as long as this process lives.
 * @param {string} folder
 * @returns {Promise<string | undefined>}
 */
function askKeeper(folder) {
  return new Promise((resolve, reject) => {
    let path = "";
    try {
      path = readFileSync(currentIn(folder), "utf8");
    } catch {
      return resolve(undefined);
    }
    let text = "";
    const socket = connect(path);
    socket.on("data", (chunk) => {
      text += chunk;
      if (!text.endsWith("\n")) return;
      const { url, error } = JSON.parse(text);
      socket.unref();
      if (error) reject(new Error(error));
      else resolve(url);
    });
    socket.on("error", () => resolve(undefined));
    socket.on("close", () => resolve(undefined));
  });
}
