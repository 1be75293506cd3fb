import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { spawn } from "@lydell/node-pty";
import { onTestFinished } from "vitest";
import { main } from "../../src/run.ts";
import { builtDemo, noConfig, root } from "./child.ts";
import { testHost } from "./in-process.ts";

/** The command line at a terminal. */
export interface CliTerminal {
  /** Resolves when the text has come since the last time, with what came before it. */
  seen(text: string): Promise<string>;
  type(text: string): void;
  ended: Promise<number>;
}

/** Starts the command line with the demo, as they are built, in a terminal and a folder; it ends with the test. */
export function demoTerminal(folder: string, args: readonly string[], extra: NodeJS.ProcessEnv = {}): CliTerminal {
  // node-pty gives up what is unread 200 ms after the exit: the terminal lives until the test is over.
  const script = `"$@"; printf '\\nended: %s\\n' $?; exec tail -f /dev/null`;
  const [file = "", ...module] = builtDemo;
  const command = [process.execPath, join(root, file), ...module, ...args];
  const env = { ...process.env, ...noConfig, NO_COLOR: "1", TERM: "xterm", ...extra };
  const child = spawn("sh", ["-c", script, "sh", ...command], { cols: 100, rows: 40, cwd: folder, env });
  onTestFinished(() => child.kill());
  const screen = new SeenText();
  const ended = new Promise<number>((resolve) => {
    child.onData((data) => {
      screen.add(data);
      const code = /\nended: (\d+)\r?\n$/.exec(screen.text)?.[1];
      if (code !== undefined) resolve(Number(code));
    });
  });
  return { seen: (wanted) => screen.seen(wanted, ended), type: (typed) => child.write(typed), ended };
}

/** Runs the command line in this process, at a terminal that passes every key on and shows nothing of it. */
export function typedTerminal(
  args: readonly string[],
  { folder, env = {}, tools = [] }: { folder: string; env?: Record<string, string>; tools?: readonly string[] },
): CliTerminal {
  const screen = new SeenText();
  const stdin = Object.assign(new PassThrough(), { isTTY: true as const, setRawMode: () => process.stdin });
  const write = (text: Buffer, _: unknown, done: () => void): void => {
    screen.add(String(text));
    done();
  };
  const stdout = Object.assign(new Writable({ write }), { isTTY: true as const, columns: 100, rows: 40 });
  const { host } = testHost({ env, folder });
  const ended = main(args, { ...host, stdin, stdout, stderr: stdout, tools });
  return { seen: (wanted) => screen.seen(wanted, ended), type: (typed) => void stdin.write(typed), ended };
}

/** A text that comes bit by bit. */
class SeenText {
  text = "";
  #watch: () => void = () => {};

  add(text: string): void {
    this.text += text;
    this.#watch();
  }

  seen(wanted: string, ended: Promise<number>): Promise<string> {
    return new Promise((resolve, reject) => {
      void ended.then(() => reject(new Error(`ended without ${wanted}: ${this.text}`)));
      this.#watch = () => {
        const at = this.text.indexOf(wanted);
        if (at < 0) return;
        const before = this.text.slice(0, at);
        this.text = this.text.slice(at + wanted.length);
        this.#watch = () => {};
        resolve(before);
      };
      this.#watch();
    });
  }
}
