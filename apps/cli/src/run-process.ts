import { type Host, processHost } from "./host.ts";
import { main } from "./run.ts";

/** Runs the command line as this process, which ends with its exit code. `own`: what differs from the process's own surroundings. */
export async function runProcess(args: readonly string[], own: Partial<Host> = {}): Promise<never> {
  // A reader that needs only the first lines closes the pipe; that is not an error.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
  }
  const code = await main(args, { ...processHost(), ...own });
  // What is still in a pipe's buffer must get out before the process ends.
  await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write("", done))));
  process.exit(code);
}
