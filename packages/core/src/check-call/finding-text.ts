import type { FaultName, Found } from "./types.ts";

/** Returns what is wrong: with an argument, from the mark on that was found, and the names of what it swallowed. */
export type FindingWords = Readonly<Record<FaultName, (argument: string, mark: string, names: string) => string>>;

const words: FindingWords = {
  "swallowed-argument": (argument, mark, names) =>
    `${argument} holds ${mark} and behind it ${names}, which the call lacks.`,
  "leaked-closer": (argument, mark) => `${argument} ends in ${mark}, which closes a call.`,
  "doubled-input": (argument) => `${argument || "The arguments"} came twice.`,
  "cut-input": () => "The arguments end early.",
  "nameless-call": (_argument, mark) => `${mark} names no tool.`,
  "marker-in-value": (argument, mark) => `${argument} holds marks of a call: ${mark}.`,
};

/** Returns the words of a finding. `text`: what it was found in. */
export function findingText(
  { code, at = 0, swallowed = [] }: Found,
  path: string,
  text: unknown,
  said: FindingWords = words,
): string {
  const mark = JSON.stringify(`${text}`.slice(at, at + 40));
  const names = swallowed.map(({ name }) => `"${name}"`).join(", ");
  return said[code](path && `"${path.slice(1)}"`, mark, names);
}
