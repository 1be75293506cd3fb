import { expect, it } from "vitest";
import { packagesToInstall, readmeExamples, shownFiles } from "../lib/readme-examples.mjs";

it("should pair a program with the output that follows it", () => {
  const markdown = "# A\n\n```ts\nconsole.log(1);\n```\n\nprints\n\n```text\n1\n```\n";
  expect(readmeExamples(markdown)).toEqual([{ language: "ts", program: "console.log(1);", output: "1", line: 3 }]);
});

it("should take a text block that follows at once for the output, of JavaScript too", () => {
  const markdown = "```js\na();\n```\n\n```text\n1\n```\n";
  expect(readmeExamples(markdown)).toEqual([{ language: "js", program: "a();", output: "1", line: 1 }]);
});

it("should leave out programs without output, and text that no program prints", () => {
  const grammar = "```ts\na();\n```\nA grammar:\n```text\na = b\n```\n";
  expect(readmeExamples(`prints\n\`\`\`text\nno program\n\`\`\`\n${grammar}`)).toEqual([]);
});

it("should go on from the program before when one imports nothing", () => {
  const first = '```ts\nimport { a } from "a";\n```\nprints\n```text\n1\n```\n';
  const second = "```ts\na();\n```\nIt prints:\n```text\n2\n```\n";
  expect(readmeExamples(first + second)).toEqual([
    { language: "ts", program: 'import { a } from "a";\n{\na();\n}', output: "1\n2", line: 1 },
  ]);
});

it("should not take a line of a program's text for an import", () => {
  const first = '```ts\nimport { run } from "a";\n```\nprints\n```text\n1\n```\n';
  const [both] = readmeExamples(`${first}\`\`\`ts\nrun(\`\nimport csv\n\`);\n\`\`\`\nprints\n\`\`\`text\n2\n\`\`\`\n`);
  expect(both?.output).toBe("1\n2");
});

it("should take a shorter fence inside a longer one as text", () => {
  const markdown = "````ts\nconst a = `\n```\n`;\n````\nprints\n````text\n```toml\n```\n````\n";
  expect(readmeExamples(markdown)).toEqual([
    { language: "ts", program: "const a = `\n```\n`;", output: "```toml\n```", line: 1 },
  ]);
});

it("should ignore other languages", () => {
  expect(readmeExamples("```sh\nnpm i\n```\n```json\n{}\n```\n")).toEqual([]);
});

it("should read what a page asks to install, in blocks and in sentences, without versions and remarks", () => {
  const markdown =
    "`npm install @a/b`\n```sh\nnpm install --save-dev @c/d@1.2 e@^3   # for f\nnpm i g\n```\nInstall h.";
  expect([...packagesToInstall(markdown)]).toEqual(["@a/b", "@c/d", "e", "g"]);
});

it("should pair a program with the file that its prose links to, and with what it prints", () => {
  const link = "[a.ts](../examples/x/a.ts), and [b](../b.md):";
  const markdown = `${link}\n\n\`\`\`ts\na();\n\`\`\`\n\n\`\`\`text\n1\n\`\`\`\n\n\`\`\`ts\nb();\n\`\`\`\n`;
  expect(shownFiles(markdown)).toEqual([{ file: "../examples/x/a.ts", program: "a();\n", output: "1" }]);
});

it("should know what a file prints that a page only links to", () => {
  const markdown = "[a.ts](../examples/x/a.ts) prints:\n\n```text\n1\n```\n";
  expect(shownFiles(markdown)).toEqual([{ file: "../examples/x/a.ts", program: undefined, output: "1" }]);
});
