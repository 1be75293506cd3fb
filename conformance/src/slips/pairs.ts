import { Random } from "./random.ts";
import type { SlipCase, Slipped } from "./slip.ts";

/** Slips within a block that go together with one around it. */
const within: ReadonlySet<string> = new Set([
  ...["own-closers", "missing-closer", "missing-end", "wrong-delimiters", "one-character", "case-space"],
  ...["odd-quotes", "duplicates", "near-names", "entities", "escapes", "cdata"],
]);

const ended = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`);

/** What stands around a block and changes nothing of what it means. */
const around: Readonly<Record<string, (text: string) => string>> = {
  "in a fence, prose": (text) => `Here it is:\n\n\`\`\`\n${ended(text)}\`\`\`\n\nThat is all.\n`,
  "line ends of Windows": (text) => text.replaceAll("\n", "\r\n"),
  "after reasoning": (text) => `<think>\nWhat is to be done is plain.\n</think>\n\n${text}`,
  "before prose": (text) => `${ended(text)}\nThat is all; tell me when something is missing.\n`,
};

/** One in so many of the cases within a block gets something around it. */
const every = 3;

/** A slip within a block together with one around it; nothing for most cases, so that their number stays in bounds. */
export function pairOf({ slip, body, variant, text, ...meaning }: SlipCase): Slipped | undefined {
  const random = new Random(`${body} ${slip} ${variant} ${text.length}`);
  if (!within.has(slip) || text.includes("\r") || random.between(1, every) > 1) return undefined;
  const what = random.pick(Object.keys(around));
  return {
    ...meaning,
    variant: `${slip}, ${variant}, ${what}`,
    text: around[what]?.(text) ?? text,
    looseLineEnds: true,
  };
}
