import type { BlockBase, ProtocolEvent } from "@toolglot/core";
import type { CommonFixture } from "./fixture.ts";

const few = 2_500;
const many = 4 * few;
/** Less than this for all of a text, in ms, is no growth worth a measurement. */
const cheap = 100;

/** What the text layer reads in texts of all formats: elements, comments, reasoning, turns, escapes. */
const ofAnyText = ["`", "<", " ", "<a>", "<!--", "[THINK]", "<|im_start|>user", "User: a", "\\<tools\\>"];

/**
 * Texts on which a parser's work grows faster than they do, at once or in chunks: four times the text may cost about four
 * times the processor time, where a walk back over everything before costs sixteen.
 */
export function growthFailures<Block extends BlockBase, Event extends ProtocolEvent<Block>>({
  implementation,
  block,
  opener,
  hostile,
}: CommonFixture<Block, Event>): string[] {
  const failures: string[] = [];
  const shapes: [name: string, make: (piece: string, times: number) => string][] = [
    ["alone", (piece, times) => piece.repeat(times)],
    ["on lines", (piece, times) => `${piece}\n`.repeat(times)],
    ["in a block", (piece, times) => block(Array(times).fill(piece).join(" "))],
    ["on the lines of a block", (piece, times) => block(Array(times).fill(piece).join("\n"))],
    ["after a block", (piece, times) => `${block("x")}\n${`${piece} `.repeat(times)}`],
  ];
  const ways: [name: string, read: (text: string) => void][] = [
    ["at once", (text) => void implementation.parse(text, {})],
    ["in chunks", (text) => inChunks(implementation.createParser({ onEvent: () => {} }), text)],
  ];
  for (const piece of new Set([opener, ...hostile, ...ofAnyText])) {
    for (const [shape, make] of shapes) {
      for (const [way, read] of ways) {
        const cost = (times: number): number => processorTime(() => read(make(piece, times)));
        const whole = cost(many);
        if (whole < cheap || whole < 9 * cost(few)) continue;
        // A busy machine, or a compiler that was at work, makes one measurement wrong, not the least of three.
        const [one, four] = [leastOf(3, () => cost(few)), leastOf(3, () => cost(many))];
        if (four <= 9 * one) continue;
        // Garbage of a large heap may be collected in each of the longer ones; a walk back costs sixteen times as much once more.
        const sixteen = leastOf(2, () => cost(4 * many));
        if (sixteen > 9 * four)
          failures.push(`${JSON.stringify(piece)} ${shape}, ${way}: ${one}, ${four}, ${sixteen} ms`);
      }
    }
  }
  return failures;
}

function inChunks(parser: { feed(chunk: string): void; end(): unknown }, text: string): void {
  for (let at = 0; at < text.length; at += 997) parser.feed(text.slice(at, at + 997));
  parser.end();
}

function processorTime(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const leastOf = (times: number, measure: () => number): number => Math.min(...Array.from({ length: times }, measure));
