import { describe, expect, it } from "vitest";
import { fill } from "../../../secrets/test/placeholders/delivered.ts";
import type { Session } from "../../src/shell/session.ts";
import { session, type Way, ways } from "./sessions.ts";

const value = `s3cr't "$(id)" \\ ä\n$HOME`;

/** A shell, and how a script with `$KARYI{V}` runs in it. */
async function opened(backend: Way) {
  const { shell } = await session(backend);
  const run = async (script: string, timeoutMs = 15_000) => {
    const filled = fill(script, { V: value });
    if ("message" in filled) throw new Error(filled.message);
    return (shell as Session).runFilled(script, filled, { timeoutMs });
  };
  return { shell, run };
}

/** Everything that a shell keeps and shows of itself. */
const all = "set; declare -p; compgen -v; export -p; trap; alias; declare -f; history; env; fc -l 2>&1; jobs; echo $_";

describe.each(ways)("a value in a script, over %s", (backend) => {
  it("arrives exactly, and is gone with the script", async () => {
    const { shell, run } = await opened(backend);
    expect((await run(`printf '<%s>' "$KARYI{V}" | od -An -c | tr -d ' \\n'`)).exit).toBe(0);
    expect((await run(`[ "$KARYI{V}" = ${JSON.stringify("x")} ]; printf '%s' "$KARYI{V}" | wc -c`)).output.trim()).toBe(
      String(Buffer.byteLength(value)),
    );
    for (const ending of ["", "return 3", "false", "break 2>/dev/null", "set -e; (exit 2) || true; set +e"]) {
      await run(`: $KARYI{V}; ${ending}`);
      const { output } = await shell.run(all);
      expect(output).not.toContain("s3cr");
      expect(output).not.toMatch(/__v[0-9a-f]{16}/);
    }
    expect(shell.state.running).toBeUndefined();
  });

  it("is gone after Ctrl-C, too", async () => {
    const { shell, run } = await opened(backend);
    const running = await run("sleep 30; : $KARYI{V}", 300);
    expect(running.status).toBe("running");
    expect(shell.state.running).toBe("sleep 30; : $KARYI{V}");
    await shell.ctrl("c");
    const { output } = await shell.run(all);
    expect(output).not.toContain("s3cr");
    expect(output).not.toMatch(/__v[0-9a-f]{16}/);
  });

  it.each(["set -x", "set -v", "set -xv", "set -a", "set -u", "set -T; trap 'echo \"$BASH_COMMAND\"' DEBUG", "set -e"])(
    "is shown by nothing under %s",
    async (option) => {
      const { shell, run } = await opened(backend);
      await shell.run(option);
      const { output, exit } = await run(`bash -c 'env' && printf '%s' "$KARYI{V}" > /dev/null && echo done`);
      // Tracing shows what the script does with it: that is the script's own doing, and masked by the host.
      const shown = option.includes("x") ? output.replace(/^\++ printf .*\n?(?:.*HOME'?)?$/gm, "") : output;
      expect(shown).toContain("done");
      expect(shown).not.toContain("s3cr");
      expect(exit).toBe(0);
      const after = await shell.run("echo $-");
      for (const letter of option.replace(/;.*/, "").replace("set -", "")) expect(after.output).toContain(letter);
    },
  );

  it("is not evaluated by a variable with the integer attribute", async () => {
    const { shell, run } = await opened(backend);
    await shell.run("declare -i n=1");
    const { output, exit } = await run("echo before; n=$KARYI{V}");
    expect(output).toBe("n has the integer attribute, so bash would evaluate a value. Nothing was run.\n");
    expect(exit).toBe(1);
    expect((await shell.run("echo $n $-")).output).not.toContain("s3cr");
    expect((await run('m=$KARYI{V}; printf %s "$m" | wc -c')).output.trim()).toBe(String(Buffer.byteLength(value)));
  });

  it("reaches background jobs, and no child that was not given it", async () => {
    const { run } = await opened(backend);
    const { output } = await run(
      `(sleep 0.05; printf '%s' "$KARYI{V}" | wc -c) & bash -c 'tr "\\0" "\\n" < /proc/self/environ; set'; wait`,
    );
    expect(output).toContain(String(Buffer.byteLength(value)));
    expect(output).not.toContain("s3cr");
  });
});
