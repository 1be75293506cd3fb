import { writeSync } from "node:fs";

const sleeping = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes a line to standard output before it returns, in a process that may be killed right afterwards. A parent that
 * does not read for a while leaves the pipe full, and a pipe does not block once the process has started a thread: the
 * rest is then written when there is room.
 */
export function tellParent(line: string): void {
  let rest: Uint8Array = Buffer.from(`${line}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(sleeping, 0, 0, 1);
    }
  }
}
