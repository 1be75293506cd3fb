import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ShellResult, ShellSession } from "../../src/shell/types.ts";
import { noteWithoutBubblewrap } from "../support/bubblewrap.ts";
import { isConfined, session, terminals, type Way } from "./sessions.ts";

const has = (program: string): boolean => {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};
const asks = `read -p "Name? " x; echo "hi $x"`;

/** Scripts by the program that they need; ./asks is one that asks. */
const waiting: readonly (readonly [needs: string, script: string])[] = [
  ["su", `su nobody -s /bin/bash -c '${asks}'`],
  ["su", `x=$(su nobody -s /bin/bash -c '${asks}'); echo "$x"`],
  ["su", `su nobody -s /bin/bash -c 'setsid -w bash -c "read -p \\"Name? \\" x; echo hi \\$x"'`],
  ["setsid", "setsid -w ./asks"],
  ["setsid", "sleep 100 & setsid -w setsid -w ./asks; kill %1"],
  ["script", "script -qec ./asks /dev/null"],
  ["script", "script -qec 'setsid -w ./asks' /dev/null"],
  ["script", `script -qec "script -qec ./asks /dev/null" /dev/null`],
  ["python3", `python3 -c 'import pty; pty.spawn("./asks")'`],
];

/** Waits on: on a busy machine a program is silent for long, and what it prints comes late through others. */
async function until(
  shell: ShellSession,
  first: ShellResult,
  there: (result: ShellResult) => boolean,
): Promise<ShellResult> {
  let result = first;
  for (let n = 0; n < 40 && result.status === "running" && !there(result); n++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const next = await shell.input("", { timeoutMs: 1000 });
    result = { ...next, output: result.output + next.output };
  }
  return result;
}

/** As much, but nobody reads. */
const silent: readonly (readonly [needs: string, script: string])[] = [
  ["su", "su nobody -s /bin/bash -c 'sleep 30'"],
  ["setsid", "setsid -w sleep 30"],
  ["script", "script -qec 'sleep 30' /dev/null"],
  // What was left in the background, in a session of its own, is not what runs.
  ["setsid", "setsid cat <$(tty) >/dev/null & sleep 30"],
  ["setsid", "(setsid cat <$(tty) >/dev/null &) ; sleep 30"],
];

noteWithoutBubblewrap();
// A confined shell has no other users: su can't become one.
const within = (way: Way, needs: string): boolean => !(isConfined(way) && needs === "su");

describe.runIf(process.platform === "linux").each(terminals)(
  "a program in a session of its own (%s)",
  { concurrent: true, timeout: 60_000 },
  (way) => {
    const usable = (needs: string): boolean => has(needs) && (needs !== "su" || process.getuid?.() === 0);

    it.for(waiting.filter(([needs]) => within(way, needs)))(
      "that waits for input is noticed (%s): %s",
      async ([needs, script], { onTestFinished, skip }) => {
        if (!usable(needs)) skip(`no ${needs} that can be used`);
        const { shell, dir } = await session(way, {}, onTestFinished);
        writeFileSync(join(dir, "asks"), `#!/bin/bash\n${asks}\n`, { mode: 0o755 });
        const asked = await until(
          shell,
          await shell.run(script),
          ({ output, waiting }) => waiting === "input" && output.includes("Name?"),
        );
        expect(asked).toMatchObject({ status: "running", waiting: "input", output: expect.stringContaining("Name?") });
        // Its end may be told by the answer, or by a call after it.
        const done = await until(shell, await shell.input("Bob\n"), () => false);
        expect(done.output).toContain("hi Bob");
        expect(shell.state.running).toBeUndefined();
      },
    );

    it.for(silent.filter(([needs]) => within(way, needs)))(
      "that only works is none that waits (%s): %s",
      async ([needs, script], { onTestFinished, skip }) => {
        if (!usable(needs)) skip(`no ${needs} that can be used`);
        const { shell } = await session(way, {}, onTestFinished);
        const result = await shell.run(script, { timeoutMs: 1500 });
        expect(result).toMatchObject({ status: "running" });
        expect(result.waiting).toBeUndefined();
        // A reader in the background takes what is typed for the shell, too.
        if (script.includes("&")) return;
        let stopped = await shell.ctrl("c", { timeoutMs: 3000 });
        for (let n = 0; n < 10 && stopped.status === "running"; n++)
          stopped = await shell.ctrl("c", { timeoutMs: 3000 });
        expect(stopped).toMatchObject({ status: "ended" });
      },
    );
  },
);
