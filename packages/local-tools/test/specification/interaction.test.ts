import { describe, expect, it } from "vitest";
import { openSession, until } from "../support/session.ts";

const asking =
  'read -r -p "Are you sure? (y/n) " answer\nif [ "$answer" = y ]; then echo deployed; else echo stopped; exit 3; fi\n';
const input = (data: string): string => `<tools><input>${data}</input></tools>`;
const ctrl = (key: string): string => `<tools><ctrl>${key}</ctrl></tools>`;

/** As it stands in the specification. */
const inputExample = `
        <tools>
          <input>y\\n</input> <!-- 手动添加换行符 -->
        </tools>`;
const ctrlExample = `
        <tools>
          <ctrl>c</ctrl> <!-- 发送 SIGINT (Ctrl+C) -->
        </tools>`;

describe("5 <input>", () => {
  it('example: answers the prompt "Are you sure? (y/n)" of a command that runs', async () => {
    const { ask } = await openSession({ files: { "deploy.sh": asking } });
    const asked = await ask("<tools><command>bash deploy.sh</command></tools>");
    expect(asked).toMatchObject({ tool: "command", status: "running", exit: undefined });
    expect(asked.text).toContain("Are you sure? (y/n)");
    const answered = await ask(inputExample);
    expect(answered, answered.text).toMatchObject({ tool: "input", status: "ok", exit: 0 });
    expect(answered.text).toContain("deployed");
  });

  it("works with the interactive shell that <command> made: a read of the shell itself, and a program's own prompt", async () => {
    const prompt =
      'import { createInterface } from "node:readline/promises";\nconst lines = createInterface({ input: process.stdin, output: process.stdout });\n' +
      'const answer = await lines.question("Name? ");\nlines.close();\nconsole.log("Hello, " + answer + "!");\n';
    const { ask } = await openSession({ files: { "ask.mjs": prompt } });
    expect(await ask("<tools><command>read -r -p 'Colour? ' colour</command></tools>")).toMatchObject({
      status: "running",
      text: expect.stringContaining("Colour?"),
    });
    expect(await ask(input("red\\n"))).toMatchObject({ status: "ok", exit: 0 });
    expect(await ask("<tools><command>echo $colour</command></tools>")).toMatchObject({
      text: expect.stringContaining("red"),
    });
    const asked = await ask('<tools><command timeout="4">node ask.mjs</command></tools>');
    expect(asked).toMatchObject({ status: "running", text: expect.stringContaining("Name?") });
    expect(await ask(input("Ada\\n"))).toMatchObject({ exit: 0, text: expect.stringContaining("Hello, Ada!") });
  });

  it("writes exactly its content: a line end is not appended", async () => {
    const { ask } = await openSession({ files: { "deploy.sh": asking } });
    await ask('<tools><command timeout="2">bash deploy.sh</command></tools>');
    expect(await ask(input("y"))).toMatchObject({ tool: "input", status: "running" });
    expect(await ask(input("es\\n"))).toMatchObject({ status: expect.any(String), exit: 3 });
  });

  it("writes exactly its content: escapes of control characters are decoded, and white space counts", async () => {
    const { ask } = await openSession();
    await ask("<tools><command>IFS= read -r line; printf '%s' \"$line\" | od -An -c</command></tools>");
    const { text, exit } = await ask(input("  a\\x41\\\\ \\n"));
    expect(exit).toBe(0);
    expect(text).toMatch(/ {11}a {3}A {3}\\\s*$/);
  });

  it("goes on from where the command stands: a program that asks several times is led through", async () => {
    const { ask } = await openSession({
      files: { "init.sh": 'read -r -p "name: " n\nread -r -p "licence: " l\necho "$n/$l"\n' },
    });
    expect((await ask("<tools><command>bash init.sh</command></tools>")).text).toContain("name:");
    const second = await ask(input("tiny\\n"));
    expect(second).toMatchObject({ status: "running", text: expect.stringContaining("licence:") });
    expect(second.text).not.toContain("name:");
    expect(await ask(input("MIT\\n"))).toMatchObject({ exit: 0, text: expect.stringContaining("tiny/MIT") });
  });

  it("without a command that runs is refused, and never becomes a command", async () => {
    const { ask, work } = await openSession();
    const refused = await ask(input("echo ran > ran.txt\\n"));
    expect(refused.status).not.toBe("running");
    expect(refused.text).not.toBe("");
    await ask("<tools><command>echo next</command></tools>");
    expect(await work.has("ran.txt")).toBe(false);
  });
});

describe("5 <input> that the command did not read", () => {
  it("never mixes with the next command: text without a line end", async () => {
    const { ask } = await openSession();
    await ask('<tools><command timeout="0.3">sleep 1</command></tools>');
    await ask(input("left over "));
    const { text, exit } = await ask("<tools><command>echo next; (exit 4)</command></tools>");
    expect([exit, text.includes("next"), text.includes("left over")]).toEqual([4, true, false]);
    // Nor does the shell stumble over it, and show the model an error that is not its own.
    expect(text).not.toMatch(/error|unexpected/i);
  });

  it("never becomes a command at the shell's prompt: whole lines", async () => {
    const { ask, work } = await openSession();
    await ask('<tools><command timeout="0.3">sleep 1</command></tools>');
    await ask(input("echo ran > ran.txt\\n"));
    const { text, exit } = await ask("<tools><command>echo next; (exit 4)</command></tools>");
    expect([exit, text.includes("next")]).toEqual([4, true]);
    expect(await work.has("ran.txt")).toBe(false);
  });

  it("never mixes with the next command: an open quote, and control characters", async () => {
    const { ask } = await openSession();
    for (const left of ["echo 'open\\n", "\\x04", "\\x16\\x03\\x1b[A", "cat <<END\\n"]) {
      await ask('<tools><command timeout="0.3">sleep 0.6</command></tools>');
      await ask(input(left));
      expect(await ask("<tools><command>echo next; (exit 4)</command></tools>")).toMatchObject({
        exit: 4,
        text: expect.stringContaining("next"),
      });
    }
  });
});

describe("5 <ctrl>", () => {
  it("example: c ends a foreground process that runs, by SIGINT", async () => {
    const { ask, work } = await openSession();
    const running = await ask('<tools><command timeout="0.3">> begun.txt; sleep 600</command></tools>');
    expect(running).toMatchObject({ status: "running" });
    await until(() => work.has("begun.txt"), "the command's start");
    const ended = await ask(ctrlExample);
    expect(ended, ended.text).toMatchObject({ tool: "ctrl", exit: 130 });
    expect(ended.status).not.toBe("running");
    expect(await ask("<tools><command>echo next</command></tools>")).toMatchObject({ exit: 0 });
  });

  it("sends the control character to the terminal: a process that handles SIGINT gets it", async () => {
    const { ask, work } = await openSession();
    const script = "bash -c 'trap \"echo caught; exit 7\" INT; > ready.txt; while :; do sleep 0.1; done'";
    await ask(`<tools><command timeout="0.3">${script}</command></tools>`);
    await until(() => work.has("ready.txt"), "the trap");
    expect(await ask(ctrl("c"))).toMatchObject({ exit: 7, text: expect.stringContaining("caught") });
  });

  it.each(["c", "C"])("the name of the character doesn't care for case: %s", async (key) => {
    const { ask } = await openSession();
    await ask('<tools><command timeout="0.5">sleep 600</command></tools>');
    expect(await ask(ctrl(key))).toMatchObject({ exit: 130 });
  });

  it("other characters are sent, too: d ends the input", async () => {
    const { ask } = await openSession();
    await ask('<tools><command timeout="0.5">cat > typed.txt; cat typed.txt</command></tools>');
    expect(await ask(input("a line\\n"))).toMatchObject({ status: "running" });
    expect(await ask(ctrl("d"))).toMatchObject({ exit: 0, text: expect.stringContaining("a line") });
  });

  it("other characters are sent, too: \\ ends the process by SIGQUIT, and a process stopped by z is not lost", async () => {
    const { ask } = await openSession();
    await ask('<tools><command timeout="0.5">sleep 600</command></tools>');
    expect(await ask(ctrl("\\"))).toMatchObject({ exit: 131 });
    await ask('<tools><command timeout="0.5">sleep 601</command></tools>');
    expect((await ask(ctrl("Z"))).status).not.toBe("running");
    const jobs = await ask("<tools><command>jobs; kill %1; wait</command></tools>");
    expect(jobs.text).toContain("sleep 601");
    expect(await ask("<tools><command>echo next</command></tools>")).toMatchObject({ exit: 0 });
  });

  it("is for a running process: with none it does nothing, and says so", async () => {
    const { ask } = await openSession();
    const idle = await ask(ctrl("c"));
    expect(idle.status).not.toBe("running");
    expect(idle.text).not.toBe("");
    expect(await ask("<tools><command>echo next</command></tools>")).toMatchObject({
      exit: 0,
      text: expect.stringMatching(/^next\n?$/),
    });
  });

  it("takes the name of a control character, nothing else", async () => {
    const { tell } = await openSession();
    const { raw, text } = await tell(ctrl("enter"));
    expect(raw).toEqual([]);
    expect(text).toContain("ctrl");
  });
});
