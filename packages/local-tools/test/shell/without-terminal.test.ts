import { describe, expect, it, onTestFinished } from "vitest";
import { openLocalTools } from "../../src/index.ts";
import { scratchFolder } from "../support/scratch.ts";
import { session, ways } from "./sessions.ts";

describe.each(ways)("a command that reads its input, over %s", (backend) => {
  it("is said to wait, is answered, and its input is ended", async () => {
    const { shell } = await session(backend);
    const timeoutMs = 20_000;
    for (const [script, data, expected] of [
      ["python3 -c 'import sys; print(sys.stdin.read().upper())'", "abc\n", "ABC\n"],
      [`node -e 'process.stdin.on("data", (text) => console.log(String(text).length))'`, "abc\n", "4\n"],
      ['read -r line; echo "[$line]"; cat', "abc\n", "[abc]\n"],
      ["sort | tail -n 1", "b\na\n", "b\n"],
    ] as const) {
      const began = performance.now();
      expect(await shell.run(script, { timeoutMs }), script).toMatchObject({ status: "running", waiting: "input" });
      expect(performance.now() - began).toBeLessThan(10_000);
      const answered = await shell.input(data, { timeoutMs });
      const ended = answered.status === "ended" ? answered : await shell.ctrl("d", { timeoutMs });
      expect(ended, script).toMatchObject({ status: "ended", exit: 0 });
      expect((answered === ended ? "" : answered.output) + ended.output).toContain(expected);
    }
    const { status, output } = await shell.run("echo x; sleep 0.2 | cat; wc -c </dev/null");
    expect([status, output]).toEqual(["ended", "x\n0\n"]);
  });

  it("is not lost in a shell that was stopped", async () => {
    const { shell } = await session(backend);
    for (const [script, ms] of [
      ["suspend; echo on", 0],
      ["f() { kill -STOP $$; suspend -f; }; f; echo on", 0],
      ["(sleep 0.2; kill -STOP $$) & echo on", 400],
    ] as const) {
      const stopped = await shell.run(script, { timeoutMs: 20_000 });
      expect(stopped).toMatchObject({ status: "ended", output: expect.stringContaining("on\n") });
      await new Promise((resolve) => setTimeout(resolve, ms));
      const next = await shell.run("echo next", { timeoutMs: 20_000 });
      expect(next).toMatchObject({ status: "ended", output: "next\n" });
      expect([...stopped.notes, ...next.notes].filter((note) => note.includes("was stopped"))).toHaveLength(1);
    }
  });

  it("tells where the shell's own output went", async () => {
    const { shell } = await session(backend);
    for (const [script, what] of [
      ["exec 2>errors", /\(errors\) goes to .*\/errors/],
      ["exec >log; echo x", /\(output and errors\) goes to .*\/log/],
      ["echo y", /goes to .*\/log/],
    ] as const) {
      const { notes, output } = await shell.run(script);
      expect([notes.join(), output]).toEqual([expect.stringMatching(what), ""]);
    }
    const { notes } = await shell.run("true");
    const cure = /`([^`]+)` (?:brings|ends)/.exec(notes.join())?.[1] ?? "";
    await shell.run(cure);
    const back = await shell.run("echo back; exec 5>&1; echo more >/dev/null");
    expect(back.output).toBe("back\n");
    expect(back.notes.join()).not.toContain("goes to");
  });
});

it("is told to the model where there is no terminal, and only there", async () => {
  const { path } = await scratchFolder();
  for (const backend of ["pipe", "pty"] as const) {
    const local = await openLocalTools({ roots: path, stateDir: `${path}-state`, shell: { backend } });
    onTestFinished(() => local.close());
    const described = local.tools().find(({ name }) => name === "command")?.description ?? "";
    expect(described.includes("There is no terminal")).toBe(backend === "pipe");
  }
});
