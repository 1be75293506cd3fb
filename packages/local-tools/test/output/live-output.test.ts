import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { MakeMasker } from "../../src/output/masker.ts";
import { CommandText } from "../../src/shell/command-text.ts";

const CSI = "\u001b[";
let artifactDir: string;
beforeAll(() => {
  artifactDir = mkdtempSync(join(tmpdir(), "toolglot-live-"));
});
afterAll(() => rmSync(artifactDir, { recursive: true }));
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

interface Listening {
  text: CommandText;
  given: string[];
  at: number[];
  stop: () => void;
}

function listening(options: { maxChars?: number; masker?: MakeMasker; before?: string } = {}): Listening {
  const { maxChars = 100_000, masker, before = "" } = options;
  const text = new CommandText({ maxChars, artifactDir, columns: 40, rows: 10, ...(masker && { masker }) });
  text.endCommand();
  if (before !== "") text.write(before);
  const given: string[] = [];
  const at: number[] = [];
  const begun = performance.now();
  const stop = text.listen((piece) => {
    given.push(piece);
    at.push(performance.now() - begun);
  });
  return { text, given, at, stop };
}

/** Writes a text, then lets milliseconds pass, and so on. */
function play(text: CommandText, ...steps: (string | number)[]): void {
  for (const step of steps) {
    if (typeof step === "string") text.write(step);
    else vi.advanceTimersByTime(step);
  }
}

describe("somebody who listens gets", () => {
  it.each([
    ["a line when it is complete", ["one\r\ntw", 60, "o", 60], ["one\n"]],
    ["an unfinished line after a silence", ["Name: ", 250, "Bob\r\n", 150], ["Name: ", "Bob\n"]],
    ["the rest of a line", ["a", 250, "b", 250, "c\n", 150], ["a", "b", "c\n"]],
    ["blank lines", ["a\n\n\nb\n", 150], ["a\n\n\nb\n"]],
    [
      "progress that stands, and its end",
      [" 1%", 250, "\r 2%", 90, "\r 3%", 700, "\r 4%\n", 150],
      [" 1%", "\n 3%", "\n 4%\n"],
    ],
    ["only the end of quick progress", ["1%", 60, "\r2%", 60, "\r3%", 60, "\r4%\n", 120], ["4%\n"]],
    [
      "lines that are painted over once they stand",
      ["a 1\nb 1\n", 150, `${CSI}2Aa 2\n`, 150, "b 2\n", 150, `${CSI}2Aa 3\nb 3\n`, 800],
      ["a 1\nb 1\n", "a 3\nb 3\n"],
    ],
    [
      "what is printed above a spinner",
      ["/", 150, "\rdone x\n-", 150, "\rdone y\n|", 150],
      ["/", "\ndone x\n-", "\ndone y\n|"],
    ],
    [
      "screens that stand",
      [`${CSI}H${CSI}2Jat 1\n`, 800, `${CSI}H${CSI}2Jat 2\n`, 100, `${CSI}H${CSI}2Jat 3\n`, 800],
      ["at 1\n", "at 3\n"],
    ],
    ["a very long line in parts", ["x".repeat(5000), 250], [`${"x".repeat(5000)}`]],
    ["no padding that a line may lose", [`a${" ".repeat(30)}`, 250, `${" ".repeat(9)}\nb\n`, 150], ["a", "\nb\n"]],
    ["nothing of nothing", ["", 1000], []],
  ] as const)("%s", (_what, steps, expected) => {
    const { text, given } = listening();
    play(text, ...steps);
    expect(given).toEqual(expected);
  });

  it("at most ten pieces a second, of 64 KiB at most", () => {
    const { text, given, at } = listening();
    for (let n = 0; n < 300; n++) play(text, `line ${n} ${"é".repeat(700)}\n`, 10);
    expect(given.length).toBeGreaterThan(20);
    for (const [index, time] of at.entries())
      expect((at[index + 10] ?? Number.POSITIVE_INFINITY) - time).toBeGreaterThan(1000);
    for (const piece of given) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(65_536);
  });

  it("one MiB, and then that there is more", () => {
    const { text, given } = listening();
    for (let n = 0; n < 100; n++) play(text, `${"😀".repeat(3000)}\n`, 60);
    play(text, 5000);
    const note = given.pop();
    expect(note).toMatch(/^\n?\[More than 1 MiB was printed: /);
    const size = Buffer.byteLength(given.join(""));
    expect(size).toBeLessThanOrEqual(1 << 20);
    expect(size).toBeGreaterThan((1 << 20) - 4);
    expect(given.join("")).not.toMatch(/\p{Surrogate}/u);
    text.endCommand();
    expect(text.take().outputLength).toBe(100 * 6001);
  });

  it("one MiB of a flood as well", () => {
    const { text, given } = listening();
    play(text, "a line of a flood\n".repeat(200_000), 3000);
    expect(given.pop()).toMatch(/^\n?\[More than 1 MiB was printed: /);
    expect(given.join("")).toBe("a line of a flood\n".repeat(60_000).slice(0, 1 << 20));
    expect(vi.getTimerCount()).toBe(0);
  });

  it("nothing any more when it has failed, or has stopped", () => {
    const text = new CommandText({ maxChars: 1000, artifactDir, columns: 40, rows: 10 });
    let calls = 0;
    text.listen(() => {
      calls++;
      throw new Error("gone");
    });
    play(text, "a\n", 200, "b\n", 200);
    expect(calls).toBe(1);
    const other = listening();
    play(other.text, "a\n", 200);
    other.stop();
    play(other.text, "b\n", 1000);
    expect(other.given).toEqual(["a\n"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("what was printed before it listened, of much the beginning", () => {
    const few = listening({ before: "one\nName: " });
    play(few.text, 250, "Bob\n", 150);
    expect(few.given.join("")).toBe("one\nName: Bob\n");
    const lines = "a line\n".repeat(20_000);
    const many = listening({ before: lines, maxChars: 700 });
    play(many.text, 250, "new\n", 150);
    const [, rest] = many.given.join("").split(/\[[\d,]+ characters that were printed before are left out here\.\]\n/);
    expect(many.given.join("").startsWith("a line\n".repeat(100))).toBe(true);
    expect(rest).toMatch(/^(?:a line\n)+new\n$/);
  });

  it("the rest of a command, and the next one, in one call", () => {
    const { text, given } = listening();
    play(text, "one");
    text.endCommand();
    text.resize(30, 10);
    text.endCommand();
    play(text, "two\n", 150);
    expect(given).toEqual(["onetwo\n"]);
    expect(text.take().output).toBe("onetwo\n");
  });

  it("nothing that the result before has given", () => {
    const { text, given, stop } = listening();
    play(text, "one\nName: ");
    expect(text.take().output).toBe("one\nName: ");
    stop();
    text.listen((piece) => given.push(piece));
    play(text, "Bob\n", 150);
    expect(given).toEqual(["Bob\n"]);
  });
});

/** Takes a word out, and holds back what may become it. */
const masker: MakeMasker = () => {
  let held = "";
  const flush = (): string => {
    const text = held;
    held = "";
    return text;
  };
  return {
    write(text) {
      const all = (held + text).replaceAll("secret", "‹KEY›");
      const start = [5, 4, 3, 2, 1].find((units) => all.endsWith("secret".slice(0, units))) ?? 0;
      held = all.slice(all.length - start);
      return all.slice(0, all.length - start);
    },
    pause: () => (held.length > 2 ? "" : flush()),
    end: flush,
  };
};

it("should take out for the log and for the listener alike, wherever the text is cut", () => {
  const { text, given } = listening({ masker });
  play(text, "a sec", 300, "ret\nse", 300, "e\n", 150);
  text.endCommand();
  expect(text.take().output).toBe("a ‹KEY›\nsee\n");
  expect(given.join("")).toBe("a ‹KEY›\nsee\n");
});

const line = fc.oneof(
  fc.stringMatching(/^[a-zé ]{0,50}$/),
  fc.constantFrom("", "😀😀", "\tx", "中文", " ".repeat(45), "x".repeat(45)),
);
const plain = fc.tuple(line, fc.constantFrom("\n", "\r\n", "")).map((parts) => parts.join(""));
const painted = fc.constantFrom(
  `${CSI}A`,
  `${CSI}3A`,
  `${CSI}B`,
  `${CSI}H`,
  `${CSI}2J`,
  `${CSI}K`,
  `${CSI}J`,
  "\r",
  "\b",
  `${CSI}5;3Hx`,
  `${CSI}?1049h`,
  `${CSI}?1049l`,
  " ".repeat(400),
  `${CSI}1`,
  "\u001b",
);
const pauses = fc.constantFrom(0, 0, 0, 30, 110, 600);

/** The pieces that a listener got, and the whole output; `isHeard` false: nobody listened. */
function run(steps: readonly (readonly [string, number])[], isHeard: boolean): { given: string; whole: string } {
  const { text, given, stop } = listening({ maxChars: 300 });
  if (!isHeard) stop();
  for (const [output, ms] of steps) play(text, output, ms);
  text.endCommand();
  const { output, artifact } = text.take();
  stop();
  return { given: given.join(""), whole: artifact === undefined ? output : readFileSync(artifact, "utf8") };
}

it("should give a beginning of the whole output, whatever its lines, cuts and pauses", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(plain, pauses), { maxLength: 60 }), (steps) => {
      // Blanks enough to wipe the screen, or to fill a row, are layout.
      const { given, whole } = run(
        steps.map(([text, ms]) => [text.replace(/ {19,}/g, " "), ms]),
        true,
      );
      expect(whole.startsWith(given)).toBe(true);
    }),
    { numRuns: rounds(300, 2000) },
  );
});

it("should change nothing of the output by listening, whatever is painted", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.oneof(plain, painted), pauses), { maxLength: 60 }), (steps) => {
      const heard = run(steps, true);
      expect(heard.whole).toBe(run(steps, false).whole);
      expect(heard.given).not.toContain("\u001b");
    }),
    { numRuns: rounds(300, 2000) },
  );
});
