import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentText } from "@toolglot/core";
import { describe, expect, it, vi } from "vitest";
import { executeShellCommand, makeExecuteShellCommand } from "../../../src/agentscope/raw/index.ts";
import { BoundedOutput } from "../../../src/agentscope/raw/run-shell.ts";
import { call, temporaryFolder, textOf } from "./call.ts";

async function until(isSo: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 20_000, interval: 25 });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    // What has ended and was not fetched yet does nothing any more.
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return process.platform !== "linux";
  }
}

async function pidIn(file: string): Promise<number> {
  await until(() => existsSync(file) && /^\d+\n/.test(readFileSync(file, "utf8")));
  return Number.parseInt(readFileSync(file, "utf8"), 10);
}

describe.skipIf(process.platform === "win32")("execute_shell_command", () => {
  it("should give return code and both streams", async () => {
    expect(await textOf(executeShellCommand, { command: "echo out; echo err >&2; exit 3" })).toBe(
      "<returncode>3</returncode><stdout>out\n</stdout><stderr>err\n</stderr>",
    );
    expect(await textOf(executeShellCommand, { command: "true" })).toBe(
      "<returncode>0</returncode><stdout></stdout><stderr></stderr>",
    );
    expect((await textOf(executeShellCommand, { command: "non_existent_command" })).toLowerCase()).toContain(
      "not found",
    );
    expect(await textOf(executeShellCommand, { command: "kill -9 $$" })).toContain("<returncode>137</returncode>");
  });

  it("should count a command that failed as one that ran", async () => {
    expect((await call(executeShellCommand, { command: "exit 1" })).status).toBe("ok");
  });

  it("should stop at the timeout, with what came before", async () => {
    const { content, status, error } = await call(executeShellCommand, {
      command: 'echo "123"; sleep 60; echo "456"',
      timeout: 1,
    });
    expect(contentText(content)).toBe(
      "<returncode>-1</returncode><stdout>123\n</stdout><stderr>TimeoutError: The command execution exceeded the timeout of 1 seconds.</stderr>",
    );
    expect([status, error?.type]).toEqual(["error", "Timeout"]);
  });

  it("should stop what a command started, too, even if it ignores being asked", async () => {
    const file = join(temporaryFolder(), "pid");
    const command = `trap '' TERM INT; (trap '' TERM; echo $$ > /dev/null; sh -c 'echo $$ > ${file}; trap "" TERM; sleep 60; sleep 60')`;
    const text = await textOf(executeShellCommand, { command, timeout: 0.5 });
    expect(text).toContain("<returncode>-1</returncode>");
    const pid = await pidIn(file);
    await until(() => !isAlive(pid));
  });

  it("should leave nothing running behind a command that ended", async () => {
    const file = join(temporaryFolder(), "pid");
    const loud = `sleep 60 & echo $! > ${file}; echo done`;
    expect(await textOf(executeShellCommand, { command: loud })).toContain("<stdout>done\n</stdout>");
    const pid = await pidIn(file);
    await until(() => !isAlive(pid));
    const silent = `sleep 60 >/dev/null 2>&1 & echo $! > ${file}.2; echo done`;
    expect(await textOf(executeShellCommand, { command: silent })).toContain("<stdout>done\n</stdout>");
    const second = await pidIn(`${file}.2`);
    await until(() => !isAlive(second));
  });

  it("should stop when the call is aborted", async () => {
    const file = join(temporaryFolder(), "pid");
    const controller = new AbortController();
    const running = call(executeShellCommand, { command: `echo $$ > ${file}; sleep 60` }, controller.signal);
    const pid = await pidIn(file);
    controller.abort();
    expect((await running).isInterrupted).toBe(true);
    await until(() => !isAlive(pid));
  });

  it("should not begin when it was aborted before", async () => {
    const file = join(temporaryFolder(), "f");
    const context = { signal: AbortSignal.abort(), callId: "1" };
    const response = await executeShellCommand.execute({ command: `touch ${file}`, timeout: 5 }, context);
    expect(response).toMatchObject({ status: "interrupted", isInterrupted: true });
    expect(existsSync(file)).toBe(false);
  });

  it("should not wait for input", async () => {
    expect(await textOf(executeShellCommand, { command: "read -r line; echo got:$line" })).toContain(
      "<stdout>got:\n</stdout>",
    );
    expect(await textOf(executeShellCommand, { command: "cat" })).toBe(
      "<returncode>0</returncode><stdout></stdout><stderr></stderr>",
    );
  });

  it("should keep beginning and end of much output, of both streams", async () => {
    const tool = makeExecuteShellCommand({ maxChars: 1000 });
    const text = await textOf(tool, { command: "seq 1 200000; seq 1 200000 >&2" });
    expect(text.length).toBeLessThan(2400);
    expect(text).toMatch(
      /<stdout>1\n2\n3\n[\s\S]*\n\[… \d+ characters left out …\]\n[\s\S]*\n200000\n<\/stdout><stderr>1\n2\n/,
    );
  });

  it("should show the command few of the host's variables", async () => {
    vi.stubEnv("TOGLOT_TEST_SECRET", "sesame");
    try {
      expect(await textOf(executeShellCommand, { command: "env" })).not.toContain("sesame");
      expect(await textOf(executeShellCommand, { command: "env" })).toContain("PATH=");
      const tool = makeExecuteShellCommand({ env: { GIVEN: "yes" }, inherit: ["PATH", "TOGLOT_*"] });
      const text = await textOf(tool, { command: "env" });
      expect(text).toContain("GIVEN=yes");
      expect(text).toContain("sesame");
      expect(text).not.toContain("HOME=");
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("should run where it is told to, each time anew", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "d"));
    writeFileSync(join(folder, "f"), "here");
    const tool = makeExecuteShellCommand({ cwd: folder });
    expect(await textOf(tool, { command: "cat f; cd d; X=1" })).toContain("<stdout>here</stdout>");
    expect(await textOf(tool, { command: 'pwd; echo "[$X]"' })).toContain(`<stdout>${folder}\n[]\n</stdout>`);
    const gone = await call(makeExecuteShellCommand({ cwd: join(folder, "none") }), { command: "true" });
    expect([gone.status, gone.error?.type]).toEqual(["error", "ShellUnavailable"]);
    expect(contentText(gone.content)).not.toContain(folder);
  });

  it("should bound the timeout, and refuse none", async () => {
    const tool = makeExecuteShellCommand({ maxTimeout: 0.2 });
    expect(await textOf(tool, { command: "sleep 60", timeout: 1e9 })).toContain("timeout of 0.2 seconds");
    expect((await call(executeShellCommand, { command: "true", timeout: 0 })).error?.type).toBe("InvalidInput");
    expect(() => makeExecuteShellCommand({ maxChars: 0 })).toThrow(TypeError);
  });

  it("should turn what is no UTF-8 into a sign of that", async () => {
    expect(await textOf(executeShellCommand, { command: "printf 'caf\\351 \\303\\251'" })).toContain(
      "<stdout>caf\ufffd é</stdout>",
    );
  });

  it("should say what it is", () => {
    expect(executeShellCommand.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
      riskTier: "CRITICAL",
    });
  });
});

describe("bounded output", () => {
  it("should keep all of what fits, in whatever pieces", () => {
    const output = new BoundedOutput(10);
    for (const byte of Buffer.from("héllo €")) output.write(Buffer.of(byte));
    expect(output.end()).toBe("héllo €");
  });

  it("should cut no character in two, and count what is missing", () => {
    const output = new BoundedOutput(7);
    for (let n = 0; n < 5000; n += 1) output.write(Buffer.from("😀"));
    expect(output.end()).toBe("😀\n[… 9996 characters left out …]\n😀");
  });
});
