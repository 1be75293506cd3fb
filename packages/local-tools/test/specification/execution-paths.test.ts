import { readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../support/scratch.ts";
import { openSession, type Session } from "../support/session.ts";

const read = (src: string): string => `<tools><read><file src="${src}"/></read></tools>`;
const edit = (src: string, find: string, replace: string): string =>
  `<tools><edit><file src="${src}"><find>${find}</find><replace>${replace}</replace></file></edit></tools>`;

/** A session beside a folder that must not be reached, with links that lead there. */
async function besideOutside(): Promise<Session & { outside: Awaited<ReturnType<typeof scratchFolder>> }> {
  const outside = await scratchFolder({ "secret.txt": "top secret\n", "sub/deep.txt": "deep secret\n" });
  const session = await openSession({ files: { "in.txt": "inside\n", "sub/in.txt": "inside\n" } });
  await symlink(outside.path, session.work.at("out"));
  await symlink(outside.at("secret.txt"), session.work.at("secret-link.txt"));
  await symlink("../..", session.work.at("sub/up"));
  return { ...session, outside };
}

describe("Execution: paths stay inside the declared roots after resolving links; anything else is refused", () => {
  const ways: [string, (outside: string, work: string) => string][] = [
    ["an absolute path", (outside) => `${outside}/secret.txt`],
    ["..", (outside) => `../${outside.split("/").at(-1)}/secret.txt`],
    [".. behind a folder", (outside) => `sub/../../${outside.split("/").at(-1)}/secret.txt`],
    ["a link to a file", () => "secret-link.txt"],
    ["a link to a folder", () => "out/secret.txt"],
    ["a link upwards", (outside) => `sub/up/${outside.split("/").at(-1)}/secret.txt`],
    ["a link and ..", () => "out/sub/../secret.txt"],
    ["/proc/self/root", (outside) => `/proc/self/root${outside}/secret.txt`],
    ["/proc/self/cwd", () => "/proc/self/cwd/package.json"],
    ["a sibling of the same beginning", (_, work) => `${work}-more/secret.txt`],
  ];

  it.each(ways)("read by %s", async (_, way) => {
    const { ask, outside, work } = await besideOutside();
    const result = await ask(read(way(outside.path, work.path)));
    expect(result).toMatchObject({ status: "error", type: "OutsideRoots" });
    expect(result.text).not.toContain("top secret");
  });

  it.each(ways)("edited by %s", async (_, way) => {
    const { ask, outside, work } = await besideOutside();
    const result = await ask(edit(way(outside.path, work.path), "top secret", "no secret"));
    expect(result).toMatchObject({ status: "error", type: "OutsideRoots" });
    expect(await outside.read("secret.txt")).toBe("top secret\n");
  });

  it("made by an edit: nothing new appears outside", async () => {
    const { ask, outside } = await besideOutside();
    for (const src of [
      "out/new.txt",
      "out/new/deep.txt",
      `${outside.path}/new.txt`,
      `../${outside.path.split("/").at(-1)}/new.txt`,
    ]) {
      expect(await ask(edit(src, "<![CDATA[]]>", "new"))).toMatchObject({ status: "error", type: "OutsideRoots" });
    }
    expect(await readdir(outside.path)).toEqual(["secret.txt", "sub"]);
  });

  it("listed, searched, or taken as a command's directory", async () => {
    const { ask, outside } = await besideOutside();
    for (const src of ["out", "out/", "..", "/", outside.path]) {
      const listed = await ask(read(src));
      expect(listed).toMatchObject({ status: "error", type: "OutsideRoots" });
      expect(listed.text).not.toContain("secret.txt");
      expect(await ask(`<tools><read><search pattern="secret" src="${src}"/></read></tools>`)).toMatchObject({
        status: "error",
        type: "OutsideRoots",
      });
      expect(await ask(`<tools><command cwd="${src}">pwd</command></tools>`)).toMatchObject({
        status: "error",
        type: "OutsideRoots",
      });
    }
  });

  it("found by a search of the root: it doesn't follow links that lead outside", async () => {
    const { ask } = await besideOutside();
    const { text } = await ask(
      '<tools><read><search pattern="top secret"/><search pattern="deep secret"/></read></tools>',
    );
    expect(text).not.toContain("top secret\n");
    expect(text).not.toMatch(/out\/|deep\.txt/);
  });

  it("the refusal doesn't tell whether something is there", async () => {
    const { ask, outside } = await besideOutside();
    const there = await ask(read(`${outside.path}/secret.txt`));
    const missing = await ask(read(`${outside.path}/absent.txt`));
    expect(missing.text.replaceAll("absent", "secret")).toBe(there.text);
  });

  it("several roots: relative paths begin at the first, absolute ones lead into each", async () => {
    const second = await scratchFolder({ "b.txt": "second\n" });
    const first = await scratchFolder({ "a.txt": "first\n" });
    const { ask } = await openSession({ roots: [first.path, second.path] });
    expect((await ask(read("a.txt"))).text).toContain("first");
    expect(await ask(read("b.txt"))).toMatchObject({ status: "error" });
    expect((await ask(read(second.at("b.txt")))).text).toContain("second");
    expect(await ask(edit(second.at("b.txt"), "second", "changed"))).toMatchObject({ status: "ok" });
    expect(await second.read("b.txt")).toBe("changed\n");
  });
});

describe("Execution: odd places inside the roots", () => {
  it("a root that is given by a link: paths through the link lead into it", async () => {
    const real = await scratchFolder({ "a.txt": "old\n" });
    const links = await scratchFolder();
    await symlink(real.path, links.at("root"));
    const { ask } = await openSession({ roots: [links.at("root")] });
    for (const src of ["a.txt", links.at("root/a.txt"), real.at("a.txt")]) {
      expect(await ask(read(src))).toMatchObject({ status: "ok" });
    }
    expect(await ask(edit(links.at("root/a.txt"), "old", "new"))).toMatchObject({ status: "ok" });
    expect(await real.read("a.txt")).toBe("new\n");
  });

  it("pipes and folders are no files: a call for them ends, in an error", async () => {
    const { ask, work } = await openSession({ files: { "sub/a.txt": "text\n" } });
    await ask("<tools><command>mkfifo pipe sub/pipe</command></tools>");
    for (const message of [
      read("pipe"),
      edit("pipe", "a", "b"),
      edit("sub", "a", "b"),
      edit("pipe", "<![CDATA[]]>", "b"),
    ]) {
      expect(await ask(message)).toMatchObject({ status: "error" });
    }
    expect(await ask('<tools><read><search pattern="text"/></read></tools>')).toMatchObject({
      status: "ok",
      text: expect.stringContaining("sub/a.txt"),
    });
    expect((await ask(read("sub"))).text).toContain("pipe");
    expect(await work.read("sub/a.txt")).toBe("text\n");
  });

  it("one file by several names in one block is one file", async () => {
    const { tell, work } = await openSession({ files: { "a.txt": "1\n" } });
    await symlink("a.txt", work.at("link.txt"));
    const pair = (src: string, find: string, replace: string): string =>
      `<file src="${src}"><find>${find}</find><replace>${replace}</replace></file>`;
    const { results, text } = await tell(
      `<tools><edit>${pair("a.txt", "1", "2")}${pair("link.txt", "2", "3")}</edit><edit>${pair("./a.txt", "3", "4")}</edit></tools>`,
    );
    expect(results, text).toMatchObject([{ status: "ok" }, { status: "ok" }]);
    expect(await work.read("a.txt")).toBe("4\n");
  });
});

describe("Execution: risky files need a policy decision, and get a time-stamped backup first", () => {
  const risky = [
    ".env",
    ".env.production",
    "sub/.ENV",
    "id_rsa",
    "server.key",
    "cert.pem",
    "data.sqlite",
    "app.db",
    ".npmrc",
  ];
  const pem = "-----BEGIN PRIVATE KEY-----\nold\n-----END PRIVATE KEY-----\n";

  it.each(risky)("%s: the host is asked; without its yes nothing is read or written", async (name) => {
    const { tell, work } = await openSession({ files: { [name]: pem } });
    for (const message of [edit(name, "old", "new"), read(name)]) {
      const { results, context, text } = await tell(message);
      expect(context.asked, text).toMatchObject([{ kind: "tool-call", reason: expect.stringContaining(name) }]);
      expect(results).toMatchObject([{ status: "error", type: "Denied" }]);
      expect(text).not.toContain("BEGIN PRIVATE");
    }
    expect(await work.read(name)).toBe(pem);
  });

  it(".env: with the host's yes the edit is made, and a time-stamped copy of the old content is kept outside the roots", async () => {
    const { tell, work, state } = await openSession({ files: { ".env": "KEY=old\n", "a.txt": "a\n" } });
    const { results, text } = await tell(edit(".env", "old", "new"), { answer: () => ({ approved: true }) });
    expect(results, text).toMatchObject([{ status: "ok" }]);
    expect(await work.read(".env")).toBe("KEY=new\n");
    const backups = (await readdir(state.at("backups"), { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    expect(backups).toHaveLength(1);
    const [backup] = backups;
    expect(backup?.name).toMatch(/20\d\d-?\d\d-?\d\d/);
    expect(await readFile(join(backup?.parentPath ?? "", backup?.name ?? ""), "utf8")).toBe("KEY=old\n");
  });

  it("a no for one file of a block is a no for all of its edits: all are asked about before anything is written", async () => {
    const { tell, work } = await openSession({ files: { ".env": "old\n", "a.txt": "old\n" } });
    const pairs = (src: string): string => `<file src="${src}"><find>old</find><replace>new</replace></file>`;
    const { results, text } = await tell(`<tools><edit>${pairs("a.txt")}${pairs(".env")}</edit></tools>`);
    expect(results, text).toMatchObject([{ status: "error" }]);
    expect([await work.read("a.txt"), await work.read(".env")]).toEqual(["old\n", "old\n"]);
  });

  it("a policy that denies is not argued with: nobody is asked", async () => {
    const { tell, work } = await openSession({ files: { ".env": "old\n" }, policy: () => "deny" });
    for (const message of [
      edit(".env", "old", "new"),
      read(".env"),
      "<tools><command>echo ran > ran.txt</command></tools>",
    ]) {
      const { results, context } = await tell(message, { answer: () => ({ approved: true }) });
      expect(results).toMatchObject([{ status: "error", type: "Denied" }]);
      expect(context.asked).toEqual([]);
    }
    expect(await work.has("ran.txt")).toBe(false);
  });

  it("by a link with a harmless name a risky file is risky still", async () => {
    const { tell, work } = await openSession({ files: { ".env": "KEY=old\n" } });
    await symlink(".env", work.at("notes.txt"));
    for (const message of [read("notes.txt"), edit("notes.txt", "old", "new")]) {
      const { results, text } = await tell(message);
      expect(results).toMatchObject([{ status: "error", type: "Denied" }]);
      expect(text).not.toContain("KEY=old");
    }
    expect(await work.read(".env")).toBe("KEY=old\n");
  });

  it("other files are read and edited without a question, examples of .env too", async () => {
    const { tell } = await openSession({ files: { "a.txt": "old\n", ".env.example": "old\n" } });
    for (const name of ["a.txt", ".env.example"]) {
      for (const message of [read(name), edit(name, "old", "new")]) {
        const { results, context } = await tell(message);
        expect(results).toMatchObject([{ status: "ok" }]);
        expect(context.asked).toEqual([]);
      }
    }
  });

  it("searches leave risky files out", async () => {
    const { tell } = await openSession({ files: { ".env": "KEY=hidden-value\n", "a.txt": "hidden-value in text\n" } });
    const { text } = await tell('<tools><read><search pattern="hidden-value"/></read></tools>');
    expect(text).toContain("a.txt");
    expect(text).not.toContain("KEY=hidden-value");
  });
});
