import { type Dialect, dialects, serialize } from "@toolglot/dialects";
import type { SlipBody } from "../bodies.ts";
import type { Value, Written } from "../slip.ts";

/** What every call here gives its tool. In the order of the keys' letters: some dialects write them so. */
export type Input = Readonly<{ backup: boolean; file: string; text: string }>;

/** The one tool there is. */
export const tool = {
  name: "write_file",
  description: "Writes a file.",
  inputSchema: {
    type: "object" as const,
    properties: {
      backup: { type: "boolean" as const },
      file: { type: "string" as const },
      text: { type: "string" as const },
    },
    required: ["backup", "file", "text"],
    additionalProperties: false,
  },
};

/** The dialects that are written. */
export const written: readonly Dialect[] = Object.values(dialects).filter(({ write }) => write);

export const inputOf = ({ path, text }: Pick<SlipBody, "path" | "text">): Input => ({ backup: true, file: path, text });

export const valueIn = (input: Input): Value => ({ name: tool.name, input });

/** The right output for calls in one message; undefined for what the dialect can't hold. */
export function textOf({ id }: Dialect, inputs: readonly Input[]): string | undefined {
  try {
    const calls = inputs.map((input) => ({ name: tool.name, input }));
    return serialize({ dialect: id, calls }, { tools: [tool] });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** A right output with the places of its values; undefined for what the dialect can't hold. */
export function writtenOf(row: Dialect, input: Input): (Written & { nameEnd: number }) | undefined {
  const text = textOf(row, [input]);
  const marked = textOf(row, [{ ...input, file: "FILE", text: "TEXT" }]) ?? "";
  if (text === undefined) return undefined;
  const file = marked.indexOf("FILE");
  const middle = marked.slice(file + 4, marked.indexOf("TEXT"));
  const tail = marked.slice(marked.indexOf("TEXT") + 4);
  const start = file + input.file.length + middle.length;
  const valueEnd = text.length - tail.length;
  if (text.slice(file, start) !== input.file + middle || !text.endsWith(tail)) return undefined;
  const nameEnd = text.indexOf(tool.name) + tool.name.length;
  const values: [number, number][] = [
    [file, file + input.file.length],
    [start, valueEnd],
  ];
  return { text, nameEnd, begun: nameEnd, valueEnd, complete: text.length, values, seams: [] };
}

/** Whether the check of a call's input lets it run. */
export function isValid(input: Readonly<Record<string, unknown>>): boolean {
  const { backup, file, text, ...more } = input;
  const isTyped = typeof backup === "boolean" && typeof file === "string" && typeof text === "string";
  return isTyped && Object.keys(more).length === 0;
}
