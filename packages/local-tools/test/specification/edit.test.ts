import { describe, expect, it } from "vitest";
import { openSession } from "../support/session.ts";

const example = `
    <tools>
      <edit>
        <!-- 对单个文件进行一次替换 -->
        <file src="src/config.ts">
          <find>const API_URL = "http://localhost:3000";</find>
          <replace>const API_URL = "https://api.production.com";</replace>
        </file>
        
        <!-- 对另一个文件进行多次替换 -->
        <file src="README.md">
          <find>Project Alpha</find>
          <replace>Project Karyi</replace>
          <find>This is a private project.</find>
          <replace>This is an open-source project.</replace>
        </file>
      </edit>
    </tools>`;

const edit = (src: string, ...pairs: [find: string, replace: string][]): string => {
  const inner = pairs.map(([find, replace]) => `<find>${find}</find><replace>${replace}</replace>`).join("");
  return `<tools><edit><file src="${src}">${inner}</file></edit></tools>`;
};

it("2 <edit>: example: one replacement in a file, and several in another", async () => {
  const { ask, work } = await openSession({
    files: {
      "src/config.ts": 'export const NAME = "x";\nconst API_URL = "http://localhost:3000";\n',
      "README.md": "# Project Alpha\n\nThis is a private project.\n",
    },
  });
  const result = await ask(example);
  expect(result, result.text).toMatchObject({ tool: "edit", index: 0, status: "ok" });
  expect(await work.read("src/config.ts")).toBe(
    'export const NAME = "x";\nconst API_URL = "https://api.production.com";\n',
  );
  expect(await work.read("README.md")).toBe("# Project Karyi\n\nThis is an open-source project.\n");
  // What the model reads next tells it what was done, in which file.
  for (const told of ["src/config.ts", "README.md", "+# Project Karyi", "-This is a private project."]) {
    expect(result.text).toContain(told);
  }
});

it("2 <edit>: example: when a file is missing nothing is changed in the other", async () => {
  const { ask, work } = await openSession({
    files: { "src/config.ts": 'const API_URL = "http://localhost:3000";\n' },
  });
  const result = await ask(example);
  expect(result).toMatchObject({ status: "error", text: expect.stringContaining("README.md") });
  expect(await work.read("src/config.ts")).toBe('const API_URL = "http://localhost:3000";\n');
  expect(await work.has("README.md")).toBe(false);
});

it("2 <edit>: is safer than sed or awk: no character of find or replace means anything else than itself", async () => {
  const { ask, work } = await openSession({ files: { "a.txt": "x = f(a.*b) [1] ^$ \\d+ /etc; y = faxxb1\n" } });
  const { status } = await ask(
    edit("a.txt", ["f(a.*b) [1] ^$ \\d+ /etc", "$& $1 $$ $` $' \\1 \\n & /bin"], ["y = faxxb1", "y = `$z`"]),
  );
  expect(status).toBe("ok");
  expect(await work.read("a.txt")).toBe("x = $& $1 $$ $` $' \\1 \\n & /bin; y = `$z`\n");
});

it("2 <edit>: is more structured than sed or awk: a find may span lines, quotes and tags", async () => {
  const before = '<App a={1}>\n\t<b>it\'s "so" && < 3</b>\n</App>\n';
  const { ask, work } = await openSession({ files: { "a.tsx": before } });
  const { status } = await ask(
    edit("a.tsx", ['<App a={1}>\n\t<b>it\'s "so" && < 3</b>', "<App a={2}>\n\t<c>“so”</c>"]),
  );
  expect(status).toBe("ok");
  expect(await work.read("a.tsx")).toBe("<App a={2}>\n\t<c>“so”</c>\n</App>\n");
});

describe("2 <edit> <file src>", () => {
  it("is a relative path: from the first root, wherever the shell is", async () => {
    const { ask, work } = await openSession({ files: { "src/a.txt": "old\n", "src/src/a.txt": "old\n" } });
    await ask("<tools><command>cd src</command></tools>");
    expect(await ask(edit("src/a.txt", ["old", "new"]))).toMatchObject({ status: "ok" });
    expect([await work.read("src/a.txt"), await work.read("src/src/a.txt")]).toEqual(["new\n", "old\n"]);
  });

  it("is an absolute path", async () => {
    const { ask, work } = await openSession({ files: { "src/a.txt": "old\n" } });
    expect(await ask(edit(work.at("src/a.txt"), ["old", "new"]))).toMatchObject({ status: "ok" });
    expect(await work.read("src/a.txt")).toBe("new\n");
  });

  it("is required", async () => {
    const { tell, work } = await openSession({ files: { "a.txt": "old\n" } });
    const block = "<tools><edit><file><find>old</find><replace>new</replace></file></edit></tools>";
    const { raw, text } = await tell(block);
    expect([raw, await work.read("a.txt")]).toEqual([[], "old\n"]);
    expect(text).toContain("src");
  });
});

describe("2 <edit> <find> and <replace>", () => {
  it.each([
    ["find", '<tools><edit><file src="a.txt"><replace>new</replace></file></edit></tools>'],
    ["replace", '<tools><edit><file src="a.txt"><find>old</find></file></edit></tools>'],
  ])("%s is required", async (name, block) => {
    const { tell, work } = await openSession({ files: { "a.txt": "old\n" } });
    const { raw, text } = await tell(block);
    expect([raw, await work.read("a.txt")]).toEqual([[], "old\n"]);
    expect(text).toContain(`<${name}>`);
  });

  it("find is the text to be found: what is not there is an error, and nothing is written", async () => {
    const { ask, work } = await openSession({ files: { "a.txt": "old\n" } });
    const result = await ask(edit("a.txt", ["Old", "new"]));
    expect(result).toMatchObject({ status: "error", text: expect.stringContaining("a.txt") });
    expect(await work.read("a.txt")).toBe("old\n");
  });

  it("replace is the text that stands there afterwards: an empty one deletes", async () => {
    const { ask, work } = await openSession({ files: { "a.txt": "keep drop keep2\n" } });
    expect(await ask(edit("a.txt", [" drop", ""]))).toMatchObject({ status: "ok" });
    expect(await work.read("a.txt")).toBe("keep keep2\n");
  });

  it("several pairs in one file are made in order: each finds what those before it left", async () => {
    const { ask, work } = await openSession({ files: { "a.txt": "a b\n" } });
    expect(await ask(edit("a.txt", ["a", "b2"], ["b2 b", "c"], ["c", "d"]))).toMatchObject({ status: "ok" });
    expect(await work.read("a.txt")).toBe("d\n");
  });

  it("several pairs in one file are made in order: one that finds only what is no longer there undoes them all", async () => {
    const { ask, work } = await openSession({ files: { "a.txt": "a b\n" } });
    const result = await ask(edit("a.txt", ["b", "c"], ["b", "d"]));
    expect(result).toMatchObject({ status: "error", text: expect.stringContaining("a.txt") });
    expect(await work.read("a.txt")).toBe("a b\n");
  });

  it("a find that is empty on purpose makes a new file, with its folders", async () => {
    const { ask, work } = await openSession();
    expect(await ask(edit("new/dir/a.txt", ["<![CDATA[]]>", "one\ntwo\n"]))).toMatchObject({ status: "ok" });
    // One line break before the closing tag is not part of the text.
    expect((await work.read("new/dir/a.txt")).trimEnd()).toBe("one\ntwo");
  });

  it("a find that is empty by mistake, or where the file has text, changes nothing", async () => {
    const { tell, work } = await openSession({ files: { "a.txt": "old\n" } });
    const slip = await tell(edit("a.txt", ["", "new"]));
    expect(slip.raw).toEqual([]);
    expect(slip.text).toContain("<find>");
    const { results } = await tell(edit("a.txt", ["<![CDATA[]]>", "new"]));
    expect(results).toMatchObject([{ status: "error", type: "EmptyFind", text: expect.stringContaining("a.txt") }]);
    expect(await work.read("a.txt")).toBe("old\n");
  });
});
