import { Client } from "pg";
import { atCommits, type Commit, cut } from "./commits.ts";

/** A moment in a commit of the store. */
export const moments = ["before-commit", "after-commit-before-answer"] as const;

/** What is committed, and how its transaction is known. */
export const transactions = {
  start: /INSERT INTO "\w+"\.operations\b/,
  finish: /UPDATE "\w+"\.operations o SET state/,
  seal: /INSERT INTO "\w+"\.audit\b/,
  migration: /CREATE TABLE "\w+"\.operations\b/,
};

/** What happens then: the process is killed, or stopped until somebody wakes it, or the database ends its connection. */
export const breaks = ["kill", "stop", "terminate"] as const;

/** Where a router fails, and how: once. */
export interface Broken {
  moment: (typeof moments)[number];
  of: keyof typeof transactions;
  way: (typeof breaks)[number];
}

/** What the process writes to its error output before it fails. */
export const brokenAt = "broken in a commit";

/** Makes this process fail there. */
export function breakAt(url: string, { moment, of, way }: Broken): void {
  let isDone = false;
  const fail = async ({ client }: Commit): Promise<void> => {
    if (way === "terminate") return await terminate(url, client);
    process.kill(process.pid, way === "kill" ? "SIGKILL" : "SIGSTOP");
    // The signal has arrived by then; woken up, the code goes on where it was.
    await new Promise((resume) => setTimeout(resume, 20));
  };
  atCommits(async (commit) => {
    if (isDone || !transactions[of].test(commit.sql)) return await commit.send();
    isDone = true;
    // For who looks whether it came to that.
    process.stderr.write(`${brokenAt}\n`);
    if (moment === "before-commit") {
      await fail(commit);
      return await commit.send();
    }
    const result = await commit.send();
    await fail(commit);
    return way === "terminate" ? cut(commit.client) : result;
  });
}

async function terminate(url: string, client: Client): Promise<void> {
  const other = new Client({ connectionString: url });
  await other.connect();
  await other.query("SELECT pg_terminate_backend($1)", [(client as unknown as { processID: number }).processID]);
  await other.end();
}
