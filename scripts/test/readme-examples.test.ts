import { expect, it } from "vitest";
import { readmeExamples } from "../lib/readme-examples.mjs";

it("should pair a program with the output that follows it", () => {
  const markdown = "# A\n\n```ts\nconsole.log(1);\n```\n\nprints\n\n```text\n1\n```\n";
  expect(readmeExamples(markdown)).toEqual([{ program: "console.log(1);", output: "1", line: 3 }]);
});

it("should leave out programs without output, and output without a program", () => {
  const markdown =
    "```text\nno program\n```\n```ts\na();\n```\n```ts\nb();\n```\n```text\nb\n```\n```text\nmore\n```\n";
  expect(readmeExamples(markdown)).toEqual([{ program: "b();", output: "b", line: 7 }]);
});

it("should take a shorter fence inside a longer one as text", () => {
  const markdown = "````ts\nconst a = `\n```\n`;\n````\n````text\n```toml\n```\n````\n";
  expect(readmeExamples(markdown)).toEqual([{ program: "const a = `\n```\n`;", output: "```toml\n```", line: 1 }]);
});

it("should ignore other languages", () => {
  expect(readmeExamples("```sh\nnpm i\n```\n```json\n{}\n```\n")).toEqual([]);
});
