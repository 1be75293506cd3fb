import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isLong, leftToCi } from "@toolglot/internal/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { CommandText } from "../../src/shell/command-text.ts";
import { session } from "../shell/sessions.ts";

let artifactDir: string;
beforeAll(() => {
  artifactDir = mkdtempSync(join(tmpdir(), "toolglot-flood-"));
});
afterAll(() => rmSync(artifactDir, { recursive: true }));
afterEach(() => void vi.useRealTimers());

/** What is kept of texts that all come in one second, but those after `null`, which come in the next. */
function flooded(texts: readonly (string | null)[]): string {
  vi.useFakeTimers({ toFake: ["performance"] });
  vi.advanceTimersByTime(5000);
  const size = { columns: 200, rows: 50, maxCharsASecond: 400_000, maxCharsAtOnce: 400_000 };
  const text = new CommandText({ maxChars: 500, artifactDir, ...size });
  for (const one of texts) {
    if (one === null) vi.advanceTimersByTime(1000);
    else text.write(one);
  }
  text.endCommand();
  const { artifact, output } = text.take();
  return artifact === undefined ? output : readFileSync(artifact, "utf8");
}

const part = "abcdefghi\n".repeat(10_000);
const parts = (count: number): string[] => new Array<string>(count).fill(part);
const skippedLine = /^\[([\d,]+) characters were skipped here: more than 16 MB were printed in a second\.\]$/m;

describe("of a flood the middle is skipped", () => {
  it("and a line says how much", () => {
    const kept = flooded([...parts(10), "the end\n"]);
    const [before = "", count = "", after = ""] = kept.split(skippedLine);
    expect(before.length).toBeGreaterThanOrEqual(400_000);
    expect(before.length).toBeLessThan(600_000);
    expect(after.endsWith("abcdefghi\nthe end\n")).toBe(true);
    expect(after.length).toBeLessThan(200_000);
    expect(before.length + Number(count.replaceAll(",", "")) + after.length - 1).toBe(1_000_008);
  });

  it("only while it lasts", () => {
    const kept = flooded([...parts(8), null, "slow\n", null, "slower\n"]);
    expect(kept.endsWith("abcdefghi\nslow\nslower\n")).toBe(true);
    expect(kept.match(new RegExp(skippedLine, "gm"))).toHaveLength(1);
  });

  it("and a program that left the alternate screen in it has left it", () => {
    const left = ["x\u001b[?1049h", "y\u001b[?10", "49lz", ...parts(2), "\nseen\n"];
    expect(flooded([...parts(6), ...left])).toMatch(/\nseen\n$/);
    expect(flooded([...parts(6), "x\u001b[?1049h", ...parts(2), "\nhidden\n"])).not.toContain("hidden");
  });

  it("but not of progress, which is little text", () => {
    const bars = Array.from({ length: 20 }, (_, n) => `\r${String(n).padEnd(100)}`.repeat(500));
    expect(flooded([...bars, "\n"])).toBe("19\n");
  });
});

describe("a gigabyte", () => {
  // A terminal carries 5 MB a second, so it takes the whole timeout: that is left to `test:long`.
  it.for(["pipe", ...(isLong ? (["pty"] as const) : [])] as const)(
    "ends or is reported in a minute, and the host goes on (%s)",
    { timeout: 120_000 },
    async (backend, { skip }) => {
      leftToCi({ skip });
      const { shell } = await session(backend);
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      const given: string[] = [];
      // What is given while it runs is at most 64 KiB ten times a second: a fast machine prints the gigabyte sooner.
      const result = await shell.run("yes | head -c 1000000000; sleep 2", { onOutput: (text) => given.push(text) });
      delay.disable();
      expect(result.ms).toBeLessThan(60_000);
      expect(["ended", "running"]).toContain(result.status);
      // On a busy machine the host itself now and then waits for a processor.
      expect(delay.percentile(99.9) / 1e6).toBeLessThan(100);
      expect(given.at(-1)).toContain("More than 1 MiB was printed");
    },
  );
});
