import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ScriptChannel } from "../../src/shell/script-channel.ts";
import { session } from "./sessions.ts";

/** Lets this process hear something only so often, as a host does that computes, or has no processor. */
function slowTurns(ms: number): () => void {
  const sleeping = new Int32Array(new SharedArrayBuffer(4));
  const timer = setInterval(() => Atomics.wait(sleeping, 0, 0, ms), 1);
  onTestFinished(() => clearInterval(timer));
  return () => clearInterval(timer);
}

it("drops left input although the host hears of the end only after seconds", async () => {
  const { shell, dir } = await session("pty");
  await shell.run("until [ -e go ]; do sleep 0.02; done", { timeoutMs: 50 });
  await shell.input("echo ran >> ran.txt\nhalf", { timeoutMs: 50 });
  const hearAgain = slowTurns(2200);
  writeFileSync(join(dir, "go"), "");
  const next = await shell.run("echo next", { timeoutMs: 60_000 });
  hearAgain();
  expect(next).toMatchObject({ exit: 0, output: "next\n" });
  expect(next.notes).toContain("Input that nobody read was dropped when it ended.");
  expect([existsSync(join(dir, "ran.txt")), shell.state.generation]).toEqual([false, 1]);
}, 60_000);

it("gives a shell that is released the text that it is found to wait for", async () => {
  const channel = await ScriptChannel.create(false);
  onTestFinished(() => channel.remove());
  for (const text of ["the script", ""]) {
    const read = new Promise((resolve) => execFile("cat", [channel.path], (_, output) => resolve(output)));
    let found = false;
    const meanwhile = async (): Promise<void> => {
      found = true;
      if (text !== "") channel.deliver(text, () => {});
    };
    while (!found) await channel.release(meanwhile);
    expect(await read).toBe(text);
  }
});
