import { closeSync, openSync } from "node:fs";
import { ReadStream, WriteStream } from "node:tty";
import { isCancel, password } from "@clack/prompts";

/** The person gave no answer: Ctrl-C, Ctrl-D or Escape. */
class Cancelled extends Error {
  override name = "Cancelled";
}

/**
 * Asks for a text that is not shown, at the terminal that the process belongs to, whatever its standard streams are. Undefined when there
 * is no terminal.
 *
 * Rejects with an error named `Cancelled`.
 */
export async function askHidden(message: string): Promise<string | undefined> {
  const terminal = openTerminal();
  if (terminal === undefined) return undefined;
  const { input, output } = terminal;
  try {
    // Without a mask nothing shows how long the text is.
    const answer = await password({ message, mask: "", input, output });
    if (isCancel(answer)) throw new Cancelled("cancelled");
    return answer ?? "";
  } finally {
    input.destroy();
    output.destroy();
  }
}

function openTerminal(): { input: ReadStream; output: WriteStream } | undefined {
  const opened: number[] = [];
  try {
    opened.push(openSync("/dev/tty", "r"));
    opened.push(openSync("/dev/tty", "w"));
    const [from, to] = opened as [number, number];
    return { input: new ReadStream(from), output: new WriteStream(to) };
  } catch {
    for (const descriptor of opened) closeSync(descriptor);
    return undefined;
  }
}
