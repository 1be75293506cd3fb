import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** A server to measure on. */
export interface Server {
  url: string;
  remove(): Promise<void>;
}

/** What is used of scripts/lib/postgres.mjs. */
interface Servers {
  findPostgres(): { skip?: string };
  startPostgres(options: { settings: Record<string, string> }): Promise<Server>;
}

/** Larger than what is shared by tests: no checkpoint falls into a window that is measured. The defaults write each commit to the disk. */
const settings = { shared_buffers: "256MB", max_wal_size: "8GB", checkpoint_timeout: "30min" };

const servers = async (root: string): Promise<Servers> =>
  (await import(pathToFileURL(join(root, "scripts/lib/postgres-server.mjs")).href)) as Servers;

/** Why there is none on this machine; undefined when there is one. */
export async function noServer(root: string): Promise<string | undefined> {
  return process.env.TOOLGLOT_POSTGRES_URL ? undefined : (await servers(root)).findPostgres().skip;
}

/** The server of `TOOLGLOT_POSTGRES_URL`, which stays as it is; else a new one of this machine's. */
export async function startServer(root: string, more: Record<string, string> = {}): Promise<Server> {
  const url = process.env.TOOLGLOT_POSTGRES_URL;
  if (url) return { url, async remove() {} };
  return await (await servers(root)).startPostgres({ settings: { ...settings, ...more } });
}
