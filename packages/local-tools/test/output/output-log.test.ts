import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { OutputLog } from "../../src/output/output-log.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "toolglot-output-"));
});
afterEach(() => {
  chmodSync(dir, 0o700);
  rmSync(dir, { recursive: true, force: true });
});

const artifactDir = () => join(dir, "state", "artifacts");

it("should keep what fits, without a file", () => {
  const log = new OutputLog({ maxChars: 10, artifactDir: artifactDir() });
  log.write("12345");
  log.write("");
  log.write("678");
  expect(log.finish("90")).toEqual({ output: "1234567890", outputLength: 10 });
  expect(existsSync(artifactDir())).toBe(false);
});

it("should keep nothing of nothing", () => {
  expect(new OutputLog({ maxChars: 1, artifactDir: artifactDir() }).finish()).toEqual({ output: "", outputLength: 0 });
});

it("should keep head and tail at line borders, and the whole in a file of its own", () => {
  const log = new OutputLog({ maxChars: 2000, artifactDir: artifactDir() });
  const lines = Array.from({ length: 5000 }, (_, n) => `line ${n}\n`);
  for (const line of lines) log.write(line);
  const whole = `${lines.join("")}end`;
  const kept = log.finish("end");
  expect(kept.outputLength).toBe(whole.length);
  expect(kept.output.length).toBeLessThanOrEqual(2000);
  expect(kept.output.length).toBeGreaterThan(1900);
  const [, head, cut, path, tail] =
    /^([\s\S]*\n)\[(\d+) characters left out here; the whole output is in (.*)\]\n([\s\S]*)$/.exec(
      kept.output,
    ) as unknown as [string, string, string, string, string];
  expect(whole.startsWith(head)).toBe(true);
  expect(whole.endsWith(tail)).toBe(true);
  expect(tail.startsWith("line ")).toBe(true);
  expect(head.length + tail.length + Number(cut)).toBe(whole.length);
  expect(kept.artifact).toBe(path);
  expect(readFileSync(path, "utf8")).toBe(whole);
  expect(log.finish("more")).toBe(kept);
});

it("should make the file and its folders for their owner only", () => {
  const paths = [1, 2].map(() => {
    const log = new OutputLog({ maxChars: 5, artifactDir: artifactDir() });
    log.write("123456");
    return log.finish().artifact as string;
  });
  expect(new Set(paths).size).toBe(2);
  if (process.platform === "win32") return;
  for (const path of paths) expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(artifactDir()).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, "state")).mode & 0o777).toBe(0o700);
});

it("should never cut inside a surrogate pair", () => {
  for (let maxChars = 1; maxChars < 60; maxChars++) {
    for (const start of ["", "x"]) {
      const log = new OutputLog({ maxChars, artifactDir: artifactDir() });
      const whole = start + "😀".repeat(100);
      for (let at = 0; at < whole.length; at += 3) log.write(whole.slice(at, at + 3));
      const { output, artifact } = log.finish();
      expect(Buffer.from(output, "utf8").toString("utf8")).toBe(output);
      expect(readFileSync(artifact as string, "utf8")).toBe(whole);
    }
  }
});

it("should show head and tail also where the line between them alone is longer than the bound", () => {
  const log = new OutputLog({ maxChars: 10, artifactDir: artifactDir() });
  log.write("abcdefghijklmnopqrstuvwxyz");
  const { output, artifact } = log.finish();
  expect(output).toBe(`abcde\n[16 characters left out here; the whole output is in ${artifact}]\nvwxyz`);
});

it("should keep the result when the file can't be made", () => {
  writeFileSync(join(dir, "state"), "in the way");
  const log = new OutputLog({ maxChars: 400, artifactDir: artifactDir() });
  let length = 0;
  for (let n = 0; n < 100_000; n++) {
    log.write(`line ${n}\n`);
    length += `line ${n}\n`.length;
  }
  const { output, outputLength, artifact } = log.finish();
  expect(artifact).toBeUndefined();
  expect(outputLength).toBe(length);
  expect(output).toContain("characters left out here; the whole output could not be kept: ");
  expect(output.startsWith("line 0\n")).toBe(true);
  expect(output.endsWith("line 99999\n")).toBe(true);
});

it.runIf(existsSync("/dev/full"))("should keep the result where no folder can be made", () => {
  const log = new OutputLog({ maxChars: 400, artifactDir: "/proc/toolglot/artifacts" });
  log.write("x".repeat(1000));
  expect(log.finish().output).toContain("the whole output could not be kept: ");
});

it("should stop a file at its bound, and say so", () => {
  const log = new OutputLog({ maxChars: 400, artifactDir: artifactDir(), maxArtifactBytes: 200_001 });
  const whole = "é".repeat(300_000);
  for (let at = 0; at < whole.length; at += 1000) log.write(whole.slice(at, at + 1000));
  const { output, artifact } = log.finish();
  expect(readFileSync(artifact as string, "utf8")).toBe("é".repeat(100_000));
  expect(output).toContain(`the first 200000 bytes of the output are in ${artifact}, the rest was not kept]`);
});

it("should remove its file when given up", () => {
  const log = new OutputLog({ maxChars: 10, artifactDir: artifactDir() });
  log.write("x".repeat(200_000));
  expect(readdirSync(artifactDir())).toHaveLength(1);
  log.discard();
  expect(readdirSync(artifactDir())).toHaveLength(0);
  expect(() => log.write("x")).toThrow(TypeError);
});

it("should throw for text after the end", () => {
  const log = new OutputLog({ maxChars: 10, artifactDir: artifactDir() });
  log.finish();
  expect(() => log.write("x")).toThrow(TypeError);
});
