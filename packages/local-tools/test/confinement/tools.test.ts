import { existsSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { makeExecuteShellCommand } from "../../src/agentscope/raw/index.ts";
import { confinementNote, confinementSentence } from "../../src/confinement/notes.ts";
import { openLocalTools } from "../../src/index.ts";
import { textOf } from "../agentscope/raw/call.ts";
import { notConfinable, noteWithoutBubblewrap } from "../support/bubblewrap.ts";
import { scratchFolder } from "../support/scratch.ts";
import { openSession, until } from "../support/session.ts";

noteWithoutBubblewrap();

const state = { kind: "bwrap", network: false, writable: ["/work"], hidden: ["/home/me/.ssh"] } as const;

it.each([
  ["bash: /etc/x: Read-only file system", true],
  ["Error: EROFS: read-only file system, open '/etc/x'", true],
  ["curl: (6) Could not resolve host: example.com", true],
  ["connect: Network is unreachable", true],
  ["getaddrinfo EAI_AGAIN registry.npmjs.org", true],
  ["ls: cannot open directory '/home/me/.ssh': Permission denied", true],
  ["cat: /home/me/.ssh/id_rsa: No such file or directory", true],
  ["cat: /home/me/.sshx: No such file or directory", false],
  ["cat: /work/a: Permission denied", false],
  ["the file system is full", false],
  ["", false],
])("has a note for %j: %s", (output, expected) => {
  expect(confinementNote(output, state) !== undefined).toBe(expected);
});

it("blames no network where there is one", () => {
  expect(confinementNote("connect: Network is unreachable", { ...state, network: true })).toBeUndefined();
  expect(confinementSentence({ ...state, network: true })).toBe("It is confined: only /work, /tmp can be written.");
});

it("says to the model that commands are confined, and only then", async () => {
  const { path } = await scratchFolder();
  const described = async (sandbox: false | "bwrap"): Promise<string> => {
    const local = await openLocalTools({ roots: path, stateDir: `${path}-state`, shell: { sandbox } });
    onTestFinished(() => local.close());
    return local.tools().find(({ name }) => name === "command")?.description ?? "";
  };
  const sentence = ` It is confined: only ${path}, /tmp can be written; there is no network.`;
  expect(await described("bwrap")).toBe((await described(false)) + sentence);
  const raw = (sandbox: false | "bwrap"): string => makeExecuteShellCommand({ cwd: path, sandbox }).description ?? "";
  expect(raw("bwrap")).toBe(raw(false) + sentence);
});

describe.runIf(notConfinable === undefined)("confined tools", () => {
  it("write to the roots only, also when the shell starts elsewhere, and don't show the state directory", async () => {
    const elsewhere = await scratchFolder({ a: "" });
    const { local, state, work } = await openSession({ shell: { sandbox: "bwrap", cwd: elsewhere.path } });
    writeFileSync(state.at("secret"), "the-secret");
    const { output, exit, notes } = await local.command({
      script: `touch b; ls -A ${state.path}; cat a; touch ${work.path}/c && cat ${state.path}/secret`,
    });
    expect(output).not.toContain("the-secret");
    expect(exit).toBe(1);
    expect(notes.join()).toContain("confinement");
    expect([await elsewhere.has("b"), await work.has("c")]).toEqual([false, true]);
    expect((await local.shell()).state.confined).toMatchObject({
      writable: [work.path],
      hidden: expect.arrayContaining([state.path]),
    });
    // Whole outputs lie there: they can be read, by `read`.
    const { artifact = "" } = await local.command({ script: "seq 1 9999" });
    const [read] = await local.read({ files: [{ src: artifact, from: 1, to: 2 }] });
    expect(read).toMatchObject({ text: "1\n2\n" });
  });

  it("run a raw command confined, with nothing of the host's open, and end all that it started", async () => {
    const { path, at, has } = await scratchFolder();
    vi.stubEnv("TOOLGLOT_TEST_TOKEN", "tok-1234abcd");
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const tool = makeExecuteShellCommand({ cwd: path, sandbox: "bwrap" });
    // An open terminal of another session, which a child process would inherit.
    const { local } = await openSession();
    await local.command({ script: ":" });
    const told = await textOf(tool, {
      command:
        "echo out; echo x >here; ls -l /proc/self/fd /proc/1/fd | grep -c ptmx; cat /proc/*/environ; touch /etc/x",
    });
    expect(told).toMatch(/^<returncode>1<\/returncode><stdout>out\n0\n/);
    expect(told).toContain("[This comes from the shell's confinement");
    expect(told).not.toContain("tok-1234abcd");
    expect(await has("here")).toBe(true);
    await textOf(tool, { command: `setsid sh -c 'while :; do touch ${at("beat")}; sleep 0.05; done' & sleep 0.3` });
    await until(async () => {
      rmSync(at("beat"), { force: true });
      await new Promise((resolve) => setTimeout(resolve, 200));
      return !existsSync(at("beat"));
    }, "the end of what it started");
    const late = await textOf(tool, { command: "trap '' TERM; sleep 60", timeout: 0.3 });
    expect(late).toContain("<returncode>-1</returncode>");
    expect(await has(".git")).toBe(false);
  });
});
