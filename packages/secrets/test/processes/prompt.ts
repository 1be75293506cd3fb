import { writeSync } from "node:fs";
import { terminalAskValue } from "../../src/terminal/terminal-ask-value.ts";

// Asks once at the terminal, and writes the answer to the file descriptor 3. Meanwhile something else in the program may fail, the program
// may be told to end, or the question may be aborted.
const { throwAfterMs, killAfterMs, abortAfterMs, locale, ...request } = JSON.parse(process.argv[2] ?? "{}");
if (throwAfterMs !== undefined) {
  setTimeout(() => {
    throw new Error("something else");
  }, throwAfterMs);
}
if (killAfterMs !== undefined) setTimeout(() => process.kill(process.pid, "SIGTERM"), killAfterMs);
const stop = new AbortController();
if (abortAfterMs !== undefined) setTimeout(() => stop.abort(), abortAfterMs);
const answer = await terminalAskValue({ ...(locale && { locale }) })(
  { key: "TOKEN", reason: "to call the service", canKeep: true, ...request },
  { signal: stop.signal },
);
writeSync(3, JSON.stringify({ answer: answer ?? null }));
