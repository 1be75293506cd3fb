import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import { onTestFinished } from "vitest";
import { noConfig } from "./child.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** The demo in a terminal of its own. */
export interface DemoTerminal {
  /** Resolves when the text has come since the last time, with what came before it. */
  seen(text: string): Promise<string>;
  type(text: string): void;
  ended: Promise<number>;
}

/** Starts the demo as it is built, in a folder; it ends with the test. */
export function demoTerminal(folder: string, args: readonly string[], extra: NodeJS.ProcessEnv = {}): DemoTerminal {
  // node-pty gives up what is unread 200 ms after the exit: the terminal lives until the test is over.
  const script = `"$@"; printf '\\nended: %s\\n' $?; exec tail -f /dev/null`;
  const command = [process.execPath, join(root, "apps/demo/dist/main.js"), ...args];
  const env = { ...process.env, ...noConfig, NO_COLOR: "1", TERM: "xterm", ...extra };
  const child = spawn("sh", ["-c", script, "sh", ...command], { cols: 100, rows: 40, cwd: folder, env });
  onTestFinished(() => child.kill());
  let text = "";
  let watch: () => void = () => {};
  const ended = new Promise<number>((resolve) => {
    child.onData((data) => {
      text += data;
      watch();
      const code = /\nended: (\d+)\r?\n$/.exec(text)?.[1];
      if (code !== undefined) resolve(Number(code));
    });
  });
  return {
    seen: (wanted) =>
      new Promise((resolve, reject) => {
        void ended.then(() => reject(new Error(`ended without ${wanted}: ${text}`)));
        watch = () => {
          const at = text.indexOf(wanted);
          if (at < 0) return;
          const before = text.slice(0, at);
          text = text.slice(at + wanted.length);
          watch = () => {};
          resolve(before);
        };
        watch();
      }),
    type: (typed) => child.write(typed),
    ended,
  };
}
