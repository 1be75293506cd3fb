import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";

import { MarkScanner } from "../../src/output/mark-scanner.ts";
import { type KeptOutput, OutputLog } from "../../src/output/output-log.ts";
import { TextCleaner } from "../../src/output/text-cleaner.ts";
import { ReferenceTerminal } from "./reference-terminal.ts";

const numRuns = rounds(250, 20_000);
let artifactDir: string;
beforeAll(() => {
  artifactDir = mkdtempSync(join(tmpdir(), "toolglot-output-"));
});
afterAll(() => {
  rmSync(artifactDir, { recursive: true });
});

const part = fc.oneof(
  fc.constantFrom(
    "a line\r\n",
    "größer 中文 😀\r\n",
    "\r 10% ",
    "\r 100%",
    "\u001b[1m",
    "\u001b[2K",
    "\u001b[A",
    "\u001b]0;t\u0007",
  ),
  fc.constantFrom("x\u001b[3Dy", "\b", "\t", "e\u0301", "\u001b]633;D;other;1\u0007", "\n", "Name: "),
  fc.stringMatching(/^[a-z ]{0,30}$/),
);
const command = fc.array(part, { maxLength: 40, size: "max" }).map((parts) => parts.join(""));

it("should make of bytes, in any chunks, the results of commands", () => {
  fc.assert(
    fc.property(
      fc.array(command, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 600 }),
      (commands, size, maxChars) => {
        const bytes = Buffer.from(commands.map((text, n) => `${text}\u001b]633;D;nonce;${n}\u0007`).join(""));
        const decoder = new StringDecoder("utf8");
        const scanner = new MarkScanner("nonce");
        const cleaner = new TextCleaner();
        let log = new OutputLog({ maxChars, artifactDir });
        const results: KeptOutput[] = [];
        for (let at = 0; at < bytes.length; at += size) {
          for (const piece of scanner.push(decoder.write(bytes.subarray(at, at + size)))) {
            if (piece.type === "text") log.write(cleaner.push(piece.text));
            else {
              expect(piece).toEqual({ type: "mark", kind: "D", fields: [String(results.length)] });
              results.push(log.finish(cleaner.end()));
              log = new OutputLog({ maxChars, artifactDir });
            }
          }
        }
        const shown = commands.map((text) => new ReferenceTerminal(50, 200).show(text));
        expect(results.map((result) => result.outputLength)).toEqual(shown.map((text) => text.length));
        for (const [n, { output, artifact }] of results.entries()) {
          const whole = shown[n] as string;
          expect(artifact === undefined ? output : readFileSync(artifact, "utf8")).toBe(whole);
          if (artifact === undefined) continue;
          const line = /\n?\[(\d+) characters left out here; the whole output is in [^\]]+\]\n/.exec(output);
          const head = output.slice(0, line?.index);
          const tail = output.slice((line?.index ?? 0) + (line?.[0].length ?? 0));
          expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
          // A line end before the line is its own where the head has none.
          expect([0, 1]).toContain(whole.length - head.length - tail.length - Number(line?.[1]));
          expect(Buffer.from(output).toString()).toBe(output);
        }
      },
    ),
    { numRuns },
  );
});
