import { expect, it } from "vitest";
import { ptyTransport } from "../../src/shell/pty-transport.ts";

it("gives all that was printed before the exit, however busy the host is", async () => {
  const script = "seq 2000; exit 3";
  const env = { PATH: process.env.PATH ?? "" };
  const terminal = await ptyTransport({ bash: "sh", args: ["-c", script], cwd: "/", env, columns: 80, rows: 24 });
  let text = "";
  terminal.onData((bytes) => {
    // Until the shell is gone, and then for longer than node-pty waits for what it printed.
    for (const until = performance.now() + 250; performance.now() < until; );
    text += Buffer.from(bytes).toString();
  });
  const exit = await new Promise((resolve) => terminal.onExit(resolve));
  expect(exit).toMatchObject({ code: 3 });
  expect(text).toBe(Array.from({ length: 2000 }, (_, n) => `${n + 1}\r\n`).join(""));
  terminal.dispose();
});
