import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fewWays, session } from "../shell/sessions.ts";
import { noteWithoutBubblewrap } from "../support/bubblewrap.ts";

const states: Readonly<Record<string, string>> = {
  "nothing special": ":",
  "a slow trap before each command": "set -T; trap 'sleep 0.02' DEBUG",
  "a slow prompt": "PS1='$(sleep 0.1)'",
};
const losses: Readonly<Record<string, string>> = {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: it is the shell that expands it.
  "the folder is removed": 'rm -rf "${BASH_SOURCE%/*}"',
  "the FIFO is removed a little later": '(sleep 0.03; rm -f "$BASH_SOURCE") & disown',
  "a FIFO of somebody else stands there": 'rm "$BASH_SOURCE"; (sleep 0.01; mkfifo "$BASH_SOURCE") & disown',
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: it is the shell that expands it.
};

noteWithoutBubblewrap();
for (const way of fewWays) {
  for (const [state, prepare] of Object.entries(states)) {
    it(`runs each command exactly once whatever becomes of the way to the shell, with ${state}, over ${way}`, async () => {
      const { shell, dir } = await session(way);
      const file = join(dir, "ran");
      for (const [loss, lose] of Object.entries(losses)) {
        await shell.run(prepare);
        await shell.run(lose);
        for (let n = 1; n <= 3; n++) {
          const result = await shell.run(`command echo ${n} >>ran; (exit ${n})`);
          expect({ loss, n, ran: existsSync(file) ? readFileSync(file, "utf8") : "" }).toEqual({
            loss,
            n,
            ran: `${n}\n`,
          });
          expect(result).toMatchObject({ status: "ended", exit: n });
          rmSync(file);
        }
      }
    });
  }
}
