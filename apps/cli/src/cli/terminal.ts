import type { Readable, Writable } from "node:stream";
import type { Host } from "../host.ts";
import type { Screen } from "../view/screen.ts";
import { styleFor } from "../view/style.ts";
import { wrapped } from "../view/wrap.ts";

/** What a conversation is connected to. */
export interface Terminal {
  /** Where runs are drawn. */
  screen: Screen;
  /** A person types and reads here. */
  interactive: boolean;
  /** Where a person can be asked; absent without a terminal. */
  prompt: { input: Readable; output: Writable } | undefined;
  out(text: string): void;
  note(text: string): void;
}

/**
 * Returns a host's streams as a terminal. With `json`, standard output is for events alone, and questions go to standard error. `plain`: Markdown
 * is shown as it is, as it is anywhere but at a terminal with colours, since bold and headings can't be told apart there.
 */
export function hostTerminal({ stdin, stdout, stderr, env }: Host, json: boolean, plain = false): Terminal {
  const style = styleFor(stdout, env);
  const asks = stdin.isTTY === true && (json ? stderr.isTTY : stdout.isTTY || stderr.isTTY) === true;
  const out = (text: string): void => {
    stdout.write(text);
  };
  return {
    screen: {
      write: out,
      columns: () => Math.min(stdout.columns ?? 100, 120),
      style,
      live: stdout.isTTY === true,
      markdown: !plain && stdout.isTTY === true && style.strong("") !== "",
    },
    interactive: stdin.isTTY === true && stdout.isTTY === true && !json,
    prompt: asks ? { input: stdin, output: json || !stdout.isTTY ? stderr : stdout } : undefined,
    out,
    note: (text) => {
      stderr.write(stderr.isTTY === true ? wrapped(text, stderr.columns ?? 80) : text);
    },
  };
}
