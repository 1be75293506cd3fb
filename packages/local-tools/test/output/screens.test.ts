import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TextCleaner } from "../../src/output/text-cleaner.ts";
import { session } from "../shell/sessions.ts";

const CSI = "\u001b[";
const clear = `${CSI}H${CSI}2J${CSI}3J`;

function shown(text: string, pieces = [text]): string {
  const cleaner = new TextCleaner({ fold: true });
  return pieces.map((piece) => cleaner.push(piece)).join("") + cleaner.end();
}

describe("what a screen looked like", () => {
  const row = (text: string, width = 199): string => text.padEnd(width);

  it.each([
    ["a screen wiped with blanks", `before\n${" ".repeat(10_000)}Every 1.0s: date`, "before\nEvery 1.0s: date"],
    ["a screen wiped with blanks but the last", `${" ".repeat(9_999)}x\n`, "x\n"],
    ["a screen wiped and not written to", `a\n${" ".repeat(10_000)}`, "a\n"],
    ["rows padded to the edge", `${row("PID")}\n${row("1")}\n${row("2", 200)}\n`, "PID\n1\n2\n"],
    ["rows painted at their places", `${CSI}1;1H${row("~", 200)}${CSI}2;1H${row("~", 200)}`, "~\n~"],
    ["rows passed over", `${CSI}2J${CSI}1;1Htop${CSI}50;1Hstatus`, "top\n\nstatus"],
    ["rows of wide characters padded to the edge", `中文${" ".repeat(196)}\n`, "中文\n"],
    ["a loop that clears and prints", [1, 2, 3].map((n) => `${clear}at ${n} s\r\n`).join(""), "at 3 s\n"],
    ["a loop that erases after moving home", [1, 2, 3].map((n) => `${CSI}2J${CSI}Hn ${n}\n`).join(""), "n 3\n"],
    ["a loop that resets", [1, 2, 3].map((n) => `\u001bcn ${n}\n`).join(""), "n 3\n"],
    [
      "a loop with a bar",
      ["#", "##", "###"].map((bar) => `${clear}[${bar.padEnd(3)}] work\n`).join(""),
      "[###] work\n",
    ],
    [
      "a screen painted over from its first row",
      [1, 2, 3].map((n) => `${CSI}Hload ${n}\r\nfree ${9 - n}\r\n`).join(""),
      "load 3\nfree 6\n",
    ],
    [
      "rows painted over from above",
      [1, 2, 3].map((n) => `${n > 1 ? `${CSI}4A` : ""}a ${n}\nb ${n}\nc ${n}\nd ${n}\n`).join(""),
      "a 3\nb 3\nc 3\nd 3\n",
    ],
    ["what came before a loop", `one\n${clear}at 1\n${clear}at 2\n`, "one\nat 2\n"],
    ["what comes after a loop", `${clear}at 1\n${clear}at 2\n${clear}bye\n`, "at 2\nbye\n"],
  ])("is told as its text: %s", (_what, text, expected) => {
    expect(shown(text)).toBe(expected);
    expect(shown(text, [...text])).toBe(expected);
  });

  it("is told while it is painted, and then what has changed", () => {
    const cleaner = new TextCleaner({ fold: true });
    expect(cleaner.push(`${clear}a 1\nb 1\n${clear}a 2\nb 2\n`) + cleaner.take()).toBe("a 2\nb 2\n");
    expect(cleaner.push(`${clear}a 3\nb 3\n${clear}a 4\nb 4\n${clear}a 5\n`) + cleaner.take()).toBe("a 5\n");
    expect(cleaner.push("b 5\n") + cleaner.end()).toBe("b 5\n");
  });
});

describe("real output is kept", () => {
  it.each([
    ["blank lines", "a\n\n\n\n\n\nb\n"],
    ["trailing blanks", `a   \nb${" ".repeat(19)}\nc${" ".repeat(60)}\n${" ".repeat(500)}\n`],
    ["a long indentation", `${" ".repeat(5_000)}x\n`],
    ["blanks inside", `a${" ".repeat(12_000)}b\n`],
    ["lines as wide as the screen", `${"x".repeat(200)}\n${"y".repeat(180)}${" ".repeat(19)}\n`],
  ])("as it stands: %s", (_what, text) => {
    expect(shown(text)).toBe(text);
    expect(shown(text, [...text])).toBe(text);
  });

  it("when a screen is cleared between other texts", () => {
    expect(shown(`one\n${clear}two\n${clear}three\n${clear}`)).toBe("one\ntwo\nthree\n");
  });

  it("when more than a screen comes after a clear", () => {
    const lines = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n}\n`).join("");
    expect(shown(clear + lines(60) + clear + lines(60))).toBe(lines(60) + lines(60));
  });

  it("whatever its lines, blanks and pieces", () => {
    const line = fc.oneof(
      fc.stringMatching(/^[a-z \t]{0,30}$/),
      fc.nat({ max: 190 }).map((n) => `x${" ".repeat(n)}`),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 80 }), fc.integer({ min: 1, max: 50 }), (lines, size) => {
        const text = lines.map((one) => `${one}\n`).join("");
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
        expect(shown(text, pieces)).toBe(text);
      }),
    );
  });
});

describe.runIf(process.platform === "linux")("full-screen programs", { concurrent: true, timeout: 60_000 }, () => {
  it.for([
    ["watch -n 1 date", 300],
    ["TERM=xterm clear; date; TERM=xterm clear; date; TERM=xterm clear; date", 40],
    ["for i in 1 2 3 4 5; do printf '\\033[H\\033[2J'; date; sleep 0.1; done; sleep 5", 40],
    ["top -d 1 -n 2", 10_000],
  ] as const)("%s: no more than its text", async ([script, most], { onTestFinished }) => {
    const { shell } = await session("pty", {}, onTestFinished);
    let { output, status } = await shell.run(script, { timeoutMs: 1500 });
    // A busy machine takes longer until anything is shown.
    for (let n = 0; n < 20 && output.trim() === "" && status === "running"; n++) {
      ({ output, status } = await shell.input("", { timeoutMs: 1000 }));
    }
    expect(output.trim()).not.toBe("");
    expect(output.length, output).toBeLessThanOrEqual(most);
  });
});
