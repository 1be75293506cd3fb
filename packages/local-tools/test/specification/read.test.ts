import { describe, expect, it } from "vitest";
import { openSession } from "../support/session.ts";

const read = (inner: string): string => `<tools><read>${inner}</read></tools>`;
const packageJson = '{\n  "name": "tiny",\n  "version": "1.2.3"\n}\n';

it("3 <read>: example: reads package.json, and lists files and subdirectories of src/", async () => {
  const { ask } = await openSession({
    files: { "package.json": packageJson, "src/main.ts": "x\n", "src/lib/deep.ts": "y\n", "other.ts": "z\n" },
  });
  const result = await ask(`
    <tools>
      <read>
        <!-- 读取 package.json 的内容 -->
        <file src="package.json"/>
        
        <!-- 列出 src 目录下的文件和子目录 -->
        <file src="src/"/>
      </read>
    </tools>`);
  expect(result, result.text).toMatchObject({ tool: "read", index: 0, status: "ok" });
  const { text } = result;
  for (const line of packageJson.trim().split("\n")) expect(text).toContain(line);
  expect(text).toMatch(/\blib\//);
  expect(text).toContain("main.ts");
  expect(text).not.toContain("other.ts");
  // In the order asked for.
  expect(text.indexOf('"version"')).toBeLessThan(text.indexOf("main.ts"));
});

it("3 <read>: reads the content of a file, so that the model learns it", async () => {
  const content = "first\n  second: <b> && 'x'\n\n\tlast ü 你好 ]]> end\n";
  const { ask } = await openSession({ files: { "a.txt": content } });
  const { text, status } = await ask(read('<file src="a.txt"/>'));
  expect(status).toBe("ok");
  for (const line of content.split("\n")) expect(text).toContain(line);
});

it("3 <read>: what was read can be copied into a find", async () => {
  const content = "function f() {\n\tif (a && b) {\n    return `a$ <b>`;\n\t}\n}\n";
  const { ask, work } = await openSession({ files: { "a.ts": content } });
  const { text } = await ask(read('<file src="a.ts"/>'));
  const line = text.split("\n").find((one) => one.includes("return")) ?? "";
  const found = line.slice(line.indexOf("return"));
  const result = await ask(
    `<tools><edit><file src="a.ts"><find>${found}</find><replace>return b;</replace></file></edit></tools>`,
  );
  expect(result, result.text).toMatchObject({ status: "ok" });
  expect(await work.read("a.ts")).toContain("    return b;\n");
});

it("3 <read>: lists the files in a directory, the root too", async () => {
  const { ask } = await openSession({ files: { "b.txt": "", "a.txt": "", "sub/c.txt": "", ".hidden": "" } });
  const { text, status } = await ask(read('<file src="."/>'));
  expect(status).toBe("ok");
  for (const name of ["a.txt", "b.txt", "sub/", ".hidden"]) expect(text).toContain(name);
  expect(text.indexOf("a.txt")).toBeLessThan(text.indexOf("b.txt"));
});

describe("3 <read> <file src>", () => {
  it("is a file or a directory, by a relative or an absolute path", async () => {
    const { ask, work } = await openSession({ files: { "sub/a.txt": "content\n" } });
    for (const src of ["sub/a.txt", "./sub/../sub/a.txt", work.at("sub/a.txt")]) {
      expect(await ask(read(`<file src="${src}"/>`))).toMatchObject({
        status: "ok",
        text: expect.stringContaining("content"),
      });
    }
    for (const src of ["sub", "sub/", work.at("sub")]) {
      expect(await ask(read(`<file src="${src}"/>`))).toMatchObject({
        status: "ok",
        text: expect.stringContaining("a.txt"),
      });
    }
  });

  it("is required", async () => {
    const { tell } = await openSession();
    const { raw, text } = await tell(read("<file/>"));
    expect(raw).toEqual([]);
    expect(text).toContain("src");
  });

  it("names what is not there: the model is told which, and still gets the others", async () => {
    const { ask } = await openSession({ files: { "a.txt": "content of a\n" } });
    const { text } = await ask(read('<file src="gone.txt"/><file src="a.txt"/>'));
    expect(text).toContain("gone.txt");
    expect(text).toContain("content of a");
    expect(await ask(read('<file src="gone.txt"/>'))).toMatchObject({ status: "error" });
  });

  it("may name a range of lines, both ends included", async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line-${index + 1}.`);
    const { ask } = await openSession({ files: { "a.txt": `${lines.join("\n")}\n` } });
    const { text } = await ask(read('<file src="a.txt" from="9" to="11"/>'));
    expect([8, 9, 10, 11, 12].map((line) => text.includes(`line-${line}.`))).toEqual([false, true, true, true, false]);
    // The model is told that there is more.
    expect(text).toContain("30");
    expect((await ask(read('<file src="a.txt" from="29"/>'))).text).toContain("line-30.");
    expect((await ask(read('<file src="a.txt" to="2"/>'))).text).not.toContain("line-3.");
    expect(await ask(read('<file src="a.txt" from="31"/>'))).toMatchObject({ text: expect.stringContaining("30") });
  });
});

describe("3 <read> <search>", () => {
  const files = {
    "src/a.ts": "const one = 1;\nconst two = findMe(one);\n",
    "src/deep/b.ts": "findMe(3);\n",
    "src/c.md": "findMe in words\n",
    "node_modules/x/index.js": "findMe();\n",
    ".gitignore": "node_modules/\n",
  };

  it("finds a pattern, with file and line", async () => {
    const { ask } = await openSession({ files });
    const { text, status } = await ask(read('<search pattern="findMe\\("/>'));
    expect(status).toBe("ok");
    expect(text).toMatch(/src\/a\.ts[\s\S]*\b2\b[\s\S]*findMe\(one\)/);
    expect(text).toContain("src/deep/b.ts");
    expect(text).not.toContain("c.md");
    expect(text).not.toContain("index.js");
  });

  it("takes a folder and a glob", async () => {
    const { ask } = await openSession({ files });
    const within = await ask(read('<search pattern="findMe" src="src/deep"/>'));
    expect(within.text).toContain("b.ts");
    expect(within.text).not.toContain("a.ts");
    const globbed = await ask(read('<search pattern="findMe" glob="*.md"/>'));
    expect(globbed.text).toContain("c.md");
    expect(globbed.text).not.toContain("b.ts");
  });

  it("that finds nothing says so, and is no error", async () => {
    const { ask } = await openSession({ files });
    const { status, text } = await ask(read('<search pattern="nowhere-to-be-seen"/>'));
    expect(status).toBe("ok");
    expect(text).not.toBe("");
  });
});
