import { readdirSync, readlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { attempt } from "@toolglot/internal";
import { isThorough } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { numberInside } from "../../src/shell/linux-processes.ts";
import { notConfinable, noteWithoutBubblewrap } from "../support/bubblewrap.ts";
import { lives, openSession, type Session, type SessionOptions, until } from "../support/session.ts";

const run = (script: string, attributes = ""): string => `<tools><command${attributes}>\n${script}\n</command></tools>`;

/** Goes on when the test wants it. */
const waitFor = (file: string): string => `until [ -e ${file} ]; do sleep 0.02; done`;
/** Has what was printed since the last answer. */
const whatElse = run("echo never", ' timeout="0.05"');

/** Keeps this process from doing anything else. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** The number that the host has for the process whose own number for itself a script wrote into a file. */
async function pidIn({ work }: Session, name: string): Promise<number> {
  await until(async () => (await work.has(name)) && /^\d+\n/.test(await work.read(name)), `a process id in ${name}`);
  const inside = Number(await work.read(name));
  const isIt = (pid: number): boolean =>
    numberInside(pid) === inside && attempt(() => readlinkSync(`/proc/${pid}/cwd`)) === work.path;
  return readdirSync("/proc").map(Number).find(isIt) ?? inside;
}

noteWithoutBubblewrap();
const confined = notConfinable === undefined && isThorough ? ([false, "bwrap"] as const) : ([false] as const);

describe.each(confined)("With sandbox: %j,", (sandbox) => {
  const open = (options: SessionOptions = {}): Promise<Session> =>
    openSession({ ...options, shell: { ...options.shell, sandbox } });

  describe("Execution: command, input and ctrl of one session share one persistent shell", () => {
    it("and run in document order: a prompt, its answer and what came of it in one block", async () => {
      const { tell } = await open();
      const { results, text } = await tell(`<tools>
      <command>read -r -p "name? " name; echo "hi $name"</command>
      <input>Ada\\n</input>
      <command timeout="2">echo "again, $name"; sleep 600</command>
      <ctrl>c</ctrl>
      <command>echo "over, $name"</command>
    </tools>`);
      expect(
        results.map(({ tool, index, status, exit }) => [tool, index, status === "running", exit]),
        text,
      ).toEqual([
        ["command", 0, true, undefined],
        ["input", 1, false, 0],
        ["command", 2, true, undefined],
        ["ctrl", 3, false, 130],
        ["command", 4, false, 0],
      ]);
      for (const [index, part] of ["name?", "hi Ada", "again, Ada", "", "over, Ada"].entries()) {
        expect(results[index]?.text).toContain(part);
      }
    });

    it("whose environment, directory and shell state last: an attribute cwd holds for its command only", async () => {
      const { ask, work } = await open({ files: { "sub/a.txt": "" } });
      expect((await ask(run("pwd; X=1", ' cwd="sub"'))).text).toContain(work.at("sub"));
      const { text } = await ask(run('pwd; echo "X=$X"'));
      expect(text).toContain(`${work.path}\nX=1`);
    });
  });

  describe("Execution: a command's end and exit status are known", () => {
    it.each([0, 1, 2, 42, 126, 255])("exit status %i", async (status) => {
      const { ask } = await open();
      expect(await ask(run(`echo out; (exit ${status})`))).toMatchObject({
        exit: status,
        text: expect.stringContaining("out"),
      });
    });

    it("from marks that the output cannot forge: neither made-up ones nor what can be printed of the shell's own state", async () => {
      const { ask } = await open();
      const forged = await ask(
        run(`for kind in A B C D E; do printf '\\033]633;%s;0\\a\\033]633;%s;0;0\\a\\033]133;%s;0\\033\\\\' $kind $kind $kind; done
      set; declare -p; declare -f; trap -p; echo "$PROMPT_COMMAND" "$PS1"
      echo after; sleep 0.3; echo really after; (exit 7)`),
      );
      expect(forged.exit).toBe(7);
      expect(forged.text).toContain("after\nreally after");
      expect(await ask(run("echo next"))).toMatchObject({ exit: 0, text: expect.stringMatching(/^next\n?$/) });
    });

    it("not from a guess at a prompt: output that looks like one ends nothing", async () => {
      const { ask } = await open();
      const { exit, text } = await ask(
        run(`printf 'root@host:~# \\n$ \\n> '; sleep 0.5; printf '$ '; sleep 0.5; echo end; (exit 3)`),
      );
      expect(exit).toBe(3);
      expect(text).toContain("end");
    });

    it("not from silence: a command that says nothing for a while is waited for", async () => {
      const { ask } = await open();
      expect(await ask(run("sleep 1.2; echo late; (exit 4)"))).toMatchObject({
        exit: 4,
        text: expect.stringContaining("late"),
      });
    });

    it("also when nothing is printed, when the last line has no end, and when a background job goes on printing", async () => {
      const { ask } = await open();
      expect(await ask(run("true"))).toMatchObject({ status: "ok", exit: 0, text: "" });
      expect(await ask(run("printf 'no end'"))).toMatchObject({ exit: 0, text: expect.stringMatching(/^no end\n?$/) });
      expect(await ask(run("(sleep 0.3; echo noise) & echo begun"))).toMatchObject({
        exit: 0,
        text: expect.stringContaining("begun"),
      });
      expect(await ask(run("(exit 9)"))).toMatchObject({ exit: 9 });
    });

    it("also when the host is busy while it ends: what it printed is its own, and nobody else's", async () => {
      const { ask, work } = await open();
      for (let round = 0; round < 5; round += 1) {
        const told = ask(run(`> begun${round}.txt; sleep 0.2; echo one; echo two; (exit 3)`));
        await until(() => work.has(`begun${round}.txt`), "the command's start");
        await new Promise((resolve) => setTimeout(resolve, 20 * round));
        block(500);
        expect(await told).toMatchObject({ exit: 3, text: expect.stringMatching(/^Exit status 3\.\none\ntwo\n?$/) });
      }
    });

    it("also when the host is busy while it asks for input", async () => {
      const { ask, work } = await open();
      const asked = ask(run("> one.txt; sleep 0.2; echo begun; read -r -p 'sure? ' answer"));
      await until(() => work.has("one.txt"), "the command's start");
      block(500);
      expect(await asked).toMatchObject({ status: "running", text: expect.stringMatching(/begun\nsure\?/) });
      expect(await ask("<tools><input>y\\n</input></tools>")).toMatchObject({ exit: 0 });
    });

    it("also when the host is busy while it ends and its timeout passes: it did not outlive it", async () => {
      const { ask, work } = await open();
      const ended = ask(run("> two.txt; sleep 0.2; echo over; (exit 3)", ' timeout="2"'));
      await until(() => work.has("two.txt"), "the command's start");
      block(2200);
      expect(await ended).toMatchObject({ exit: 3, text: expect.stringContaining("over") });
    });

    it("also when the shell itself ends: the model is told, and the next command gets a new shell", async () => {
      const { ask } = await open();
      const ended = await ask(run("X=1; echo bye; exit 6"));
      expect(ended).toMatchObject({ exit: 6, text: expect.stringContaining("bye") });
      const { text, exit } = await ask(run('echo "X=[$X]"'));
      expect(exit).toBe(0);
      expect(text).toContain("X=[]");
    });
  });

  describe("Execution: a command that waits for input, or outlives its timeout, returns what it printed with status running", () => {
    it("when it waits for input: at once, long before its timeout", async () => {
      const { ask } = await open({ shell: { timeoutMs: 600_000 } });
      expect(await ask(run("echo first; read -r -p 'really? ' answer"))).toMatchObject({
        status: "running",
        exit: undefined,
        text: expect.stringMatching(/first\nreally\?/),
      });
      expect(await ask("<tools><input>yes\\n</input></tools>")).toMatchObject({ exit: 0 });
    });

    it("when it waits for a password: the terminal doesn't echo it", async () => {
      const { ask } = await open({ shell: { timeoutMs: 600_000 } });
      const asked = await ask(run(`read -r -s -p 'Password: ' word; echo; echo "length \${#word}"`));
      expect(asked).toMatchObject({ status: "running", text: expect.stringContaining("Password:") });
      const { text, exit } = await ask("<tools><input>hunter2\\n</input></tools>");
      expect(exit).toBe(0);
      expect(text).toContain("length 7");
      expect(text).not.toContain("hunter2");
    });

    it("not when it is only silent: neither a sleep, nor a writer that fills the terminal, waits for input", async () => {
      const { ask } = await open();
      expect(await ask(run("sleep 1.5; echo done"))).toMatchObject({ exit: 0, text: expect.stringContaining("done") });
      expect(await ask(run("head -c 3000000 /dev/zero | tr '\\0' x | fold -w 100; echo done"))).toMatchObject({
        status: "ok",
        exit: 0,
        text: expect.stringMatching(/done\n?/),
      });
    });

    it("when it outlives its timeout: it is not stopped, and goes on to its end", async () => {
      const { ask, work } = await open();
      const started = await ask(run(`echo one; > begun.txt; ${waitFor("go")}; > over.txt`, ' timeout="0.4"'));
      expect(started).toMatchObject({ status: "running", exit: undefined });
      // A busy machine may print it later: it is told once, here or there.
      await until(() => work.has("begun.txt"), "the command's start");
      const { text } = await ask(whatElse);
      expect(`${started.text}\n${text}`.match(/^one$/gm)).toEqual(["one"]);
      await work.write("go", "");
      await until(() => work.has("over.txt"), "the command's end");
    });

    it("when it outlives the session's timeout, which holds for commands without one", async () => {
      const { ask, work } = await open({ shell: { timeoutMs: 500 } });
      expect(await ask(run("> begun.txt; sleep 600"))).toMatchObject({ status: "running", exit: undefined });
      await until(() => work.has("begun.txt"), "the command's start");
      // The end that is asked for may come after this answer's own 500 ms, too.
      await ask("<tools><ctrl>c</ctrl></tools>");
      await until(async () => (await ask(run("echo next"))).exit === 0, "the command's end");
    });

    it("the next input goes on from there: it gives what was printed since, and the end", async () => {
      const { ask, work } = await open();
      const script = `echo one; > begun.txt; ${waitFor("go")}; read -r answer; echo "two $answer"; (exit 5)`;
      expect(await ask(run(script, ' timeout="0.3"'))).toMatchObject({ status: "running" });
      await until(() => work.has("begun.txt"), "the first line");
      await ask(whatElse);
      await work.write("go", "");
      const { text, exit } = await ask("<tools><input>typed\\n</input></tools>");
      expect(exit).toBe(5);
      expect(text).toContain("two typed");
      expect(text).not.toContain("one");
    });

    it("the next ctrl goes on from there", async () => {
      const { ask, work } = await open();
      await ask(run(`echo one; > one.txt; ${waitFor("go")}; echo two; > two.txt; sleep 600`, ' timeout="0.3"'));
      await until(() => work.has("one.txt"), "the first line");
      await ask(whatElse);
      await work.write("go", "");
      await until(() => work.has("two.txt"), "the second line");
      const { text, exit } = await ask("<tools><ctrl>c</ctrl></tools>");
      expect(exit).toBe(130);
      expect(text).toContain("two");
      expect(text).not.toContain("one");
    });

    it("the next command is queued, and goes on from there: what is left of the first comes with its exit status, then the second's own", async () => {
      const { ask, work } = await open();
      await ask(run(`echo one; > one.txt; ${waitFor("go")}; echo two; (exit 5)`, ' timeout="0.3"'));
      await until(() => work.has("one.txt"), "the first line");
      await ask(whatElse);
      const next = ask(run("echo three; (exit 6)"));
      await work.write("go", "");
      const { text, exit } = await next;
      expect(exit).toBe(6);
      expect(text).toMatch(/two[\s\S]*three/);
      // What was printed before was told before.
      expect(text).not.toMatch(/^one$/m);
      expect(text).toMatch(/\b5\b/);
    });

    it("the next command is queued: when the first goes on for longer than it may wait, it is not run, and the model is told", async () => {
      const { ask, work } = await open();
      await ask(run("echo one; sleep 600", ' timeout="0.3"'));
      const second = await ask(run("echo ran > ran.txt", ' timeout="0.5"'));
      expect(second.exit).toBeUndefined();
      expect(second.status).not.toBe("ok");
      expect(second.text).toMatch(/not run/i);
      expect(await ask("<tools><ctrl>c</ctrl></tools>")).toMatchObject({ exit: 130 });
      await ask(run("echo next"));
      expect(await work.has("ran.txt")).toBe(false);
    });
  });

  describe("Execution: the ladder Ctrl-C, TERM, KILL on the foreground group", () => {
    it.each([
      ["Ctrl-C", "sleep 600", 130],
      ["TERM", "bash -c 'trap \"\" INT; while :; do sleep 0.2; done'", 143],
      ["KILL", "bash -c 'trap \"\" INT TERM; while :; do sleep 0.2; done'", 137],
    ])("is for a hard limit: it ends with %s what heeds that, and the shell lives on", async (_, script, status) => {
      const { ask } = await open({ shell: { maxRuntimeMs: 500 } });
      const begin = (): ReturnType<typeof ask> => ask(run(`X=kept; echo begun; ${script}`));
      let ended = await begin();
      // On a busy machine the limit may be over before the first line.
      while (!ended.text.includes("begun")) ended = await begin();
      expect(ended).toMatchObject({ exit: status });
      expect(ended.status).not.toBe("running");
      await until(async () => (await ask(run("echo $X"))).text.includes("kept"), "an answer of the same shell");
    });

    it("is not for the timeout: what outlives it lives on", async () => {
      const session = await open();
      await session.ask(run("sh -c 'echo $$ > pid.txt; exec sleep 600'", ' timeout="0.5"'));
      const pid = await pidIn(session, "pid.txt");
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(lives(pid)).toBe(true);
    });

    it("is for close(): nothing that ran in the foreground is left", async () => {
      const session = await open();
      await session.ask(run("sh -c 'trap \"\" INT; echo $$ > pid.txt; sleep 600; sleep 600'", ' timeout="0.5"'));
      const pid = await pidIn(session, "pid.txt");
      const shell = Number((await readFile(`/proc/${pid}/stat`, "utf8")).split(" ")[3]);
      await session.local.close();
      await until(() => !lives(pid) && !lives(shell), "the end of the command and its shell");
    });

    it("is for abort: the call ends as interrupted, what stands behind it is not run, and the shell lives on", async () => {
      const session = await open();
      await session.ask(run("X=kept"));
      const stop = new AbortController();
      const told = session.tell(
        "<tools><command>sh -c 'echo $$ > pid.txt; exec sleep 600'</command><command>echo ran > ran.txt</command></tools>",
        { signal: stop.signal },
      );
      const pid = await pidIn(session, "pid.txt");
      stop.abort();
      const { raw } = await told;
      expect(raw.map(({ status }) => status)).toEqual(["interrupted", "interrupted"]);
      await until(() => !lives(pid), "the end of the command");
      expect(await session.ask(run("echo $X"))).toMatchObject({ exit: 0, text: expect.stringContaining("kept") });
      expect(await session.work.has("ran.txt")).toBe(false);
    });
  });

  describe("Execution: output", () => {
    it("has its terminal control sequences removed", async () => {
      const { ask } = await open();
      const { text } = await ask(
        run(
          `printf '\\033[1;31mred\\033[0m \\033]0;title\\apl\\033(Bain\\033[K\\n\\033]8;;http://x\\033\\\\link\\033]8;;\\033\\\\\\a\\n'`,
        ),
      );
      expect(text).toMatch(/^red plain\nlink\n?$/);
    });

    it("has carriage-return progress folded to its last state", async () => {
      const { ask } = await open();
      const { text } = await ask(run("for i in 10 50 100; do printf '\\rgot %s%%' $i; done; printf '\\nend\\n'"));
      expect(text).toMatch(/^got 100%\nend\n?$/);
    });

    it("has a cap with head and tail kept and the cut size named, and the full output goes to an artifact, which can be read", async () => {
      const { ask, state } = await open();
      const { text, exit } = await ask(run("seq 1 100000"));
      expect(exit).toBe(0);
      expect(text.length).toBeLessThan(20_000);
      expect(text).toMatch(/^1\n2\n3\n/);
      expect(text).toMatch(/\n99999\n100000\b/);
      const between = text.split("\n").filter((line) => !/^\d*$/.test(line));
      const whole = 588_895;
      const numbers = between
        .flatMap((line) => line.match(/\d[\d,]*/g) ?? [])
        .map((part) => Number(part.replaceAll(",", "")));
      expect(
        numbers.some((cut) => cut > whole - 20_000 && cut <= whole),
        between.join("\n"),
      ).toBe(true);
      const artifact = between.join("\n").match(new RegExp(`${state.path}[\\w./-]*\\w`))?.[0] ?? "";
      const kept = await readFile(artifact, "utf8");
      expect(kept.trimEnd()).toBe(Array.from({ length: 100_000 }, (_, index) => index + 1).join("\n"));
      const read = await ask(`<tools><read><file src="${artifact}" from="50000" to="50001"/></read></tools>`);
      expect(read, read.text).toMatchObject({ status: "ok", text: expect.stringMatching(/\b50000\n.*\b50001\b/) });
    });

    it("keeps the tails of several long outputs of one block, which is where the errors stand", async () => {
      const { tell } = await open();
      const { results } = await tell(
        "<tools><command>seq 1 20000; echo END-1</command><command>seq 1 20000; echo END-2</command><command>seq 1 20000; echo END-3</command></tools>",
      );
      expect(results.map(({ text }, index) => text.includes(`END-${index + 1}`))).toEqual([true, true, true]);
    });
  });
});
