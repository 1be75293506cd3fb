import { existsSync, readFileSync } from "node:fs";
import { leftToCi } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import { noteWithoutBubblewrap } from "../support/bubblewrap.ts";
import { session, ways } from "./sessions.ts";

noteWithoutBubblewrap();
for (const way of ways) {
  it(`keeps variables, functions, options and the directory over ${way}`, async () => {
    const { shell, dir } = await session(way);
    await shell.run(
      "mkdir -p a/b; cd a/b; x=5; export y=6; f() { echo f:$1; }; shopt -s extglob; alias hello='echo hi'",
    );
    const result = await shell.run(
      'f "$x"; bash -c "echo \\$y"; hello; shopt extglob; pwd; [[ aab == +(a)b ]] && echo match',
    );
    expect(result.output).toBe(`f:5\n6\nhi\nextglob        \ton\n${dir}/a/b\nmatch\n`);
    expect(result.cwd).toBe(`${dir}/a/b`);
    expect(shell.state.cwd).toBe(`${dir}/a/b`);
  });

  it(`runs heredocs, unclosed quotes, exclamation marks and very long lines as a file would over ${way}`, async () => {
    const { shell } = await session(way);
    expect((await shell.run("cat <<'EOF'\na  $b\n\tc `d` !x\nEOF\necho after")).output).toBe(
      "a  $b\n\tc `d` !x\nafter\n",
    );
    const unclosed = await shell.run("echo before\necho 'never closed\necho more");
    expect(unclosed).toMatchObject({ status: "ended", exit: 2 });
    expect(unclosed.output).toMatch(/^before\n.*line 2: unexpected EOF/);
    expect(await shell.run("cat <<EOF\nnever ended")).toMatchObject({ status: "ended", exit: 0 });
    expect((await shell.run('echo bang! !! !x; echo "wow!"')).output).toBe("bang! !! !x\nwow!\n");
    const long = "x".repeat(100_000);
    const result = await shell.run(`v='${long}'; echo \${#v}`);
    expect(result).toMatchObject({ output: "100000\n", exit: 0 });
    const many = Array.from({ length: 5000 }, (_, n) => `: ${n}`).join("\n");
    expect(await shell.run(`${many}\necho end`)).toMatchObject({ output: "end\n", exit: 0 });
    expect((await shell.run("return 7; echo no")).exit).toBe(7);
    expect(await shell.run("")).toMatchObject({ status: "ended", output: "" });
    expect(await shell.run("# only a comment")).toMatchObject({ status: "ended", output: "" });
    expect(await shell.run("a\0b")).toMatchObject({ status: "not-run", notes: ["The script holds a NUL character."] });
  });

  it(`gives $? of the command before over ${way}, without set -e or a trap on errors minding`, async () => {
    const { shell } = await session(way);
    await shell.run("trap 'echo ERR' ERR; (exit 42) || (exit 41)").catch(() => undefined);
    expect((await shell.run("echo $?")).output).toBe("41\n");
    await shell.run("trap - ERR; ! true");
    expect((await shell.run("echo $?; set -e")).output).toBe("1\n");
    expect((await shell.run("echo still")).output).toBe("still\n");
  });

  it(`runs one command elsewhere and comes back over ${way}, keeping what it set`, async () => {
    const { shell, dir } = await session(way);
    await shell.run("mkdir -p 'sub dir/x'; keep=1");
    const there = await shell.run("pwd; v=set; cd x", { cwd: `${dir}/sub dir` });
    expect(there).toMatchObject({ output: `${dir}/sub dir\n`, exit: 0, cwd: dir });
    expect((await shell.run('pwd; echo "$v $keep"')).output).toBe(`${dir}\nset 1\n`);
    const nowhere = await shell.run("echo no", { cwd: `${dir}/none` });
    expect(nowhere).toMatchObject({ status: "not-run", output: "", cwd: dir });
    await shell.run("false", { cwd: `${dir}/sub dir` });
    expect((await shell.run("echo $?; pwd")).output).toBe(`1\n${dir}\n`);
    expect(() => shell.run("pwd", { cwd: "relative" })).toThrow(TypeError);
  });

  it(`tells directories with strange names over ${way}`, async () => {
    const { shell, dir } = await session(way);
    for (const name of ["a;b", "quote'\"", "tab\tnew\nline", "bell\u0007esc\u001b", "ünï ☃ 💾", "$(x)`y`\\z"]) {
      const quoted = `'${name.replaceAll("'", "'\\''")}'`;
      const result = await shell.run(`mkdir ${quoted}; cd ${quoted}`);
      expect(result.cwd).toBe(`${dir}/${name}`);
      await shell.run("cd ..");
    }
    const deep = await shell.run(
      "for i in {1..40}; do mkdir ddddddddddddddddddddddddddddddddd; cd ddddddddddddddddddddddddddddddddd; done",
    );
    expect(deep).toMatchObject({ status: "ended", exit: 0 });
    if (process.platform === "linux") expect(deep.cwd.length).toBe(dir.length + 40 * 34);
  });

  it(`cuts 50 MB of output to its head and tail and keeps the whole in a file over ${way}`, async (context) => {
    leftToCi(context, way === "pty");
    const { shell } = await session(way, { timeoutMs: 300_000 });
    const result = await shell.run(
      "yes 0123456789abcdef | head -c 50000000; echo; echo end; exit_status() { return 3; }; exit_status",
    );
    expect(result).toMatchObject({ status: "ended", exit: 3 });
    expect(result.output.length).toBeLessThanOrEqual(20_000);
    expect(result.output.startsWith("0123456789abcdef\n0123456789abcdef\n")).toBe(true);
    expect(result.output.endsWith("\nend\n")).toBe(true);
    expect(result.outputLength).toBeGreaterThan(50_000_000);
    expect(existsSync(result.artifact ?? "")).toBe(true);
    expect(readFileSync(result.artifact ?? "").length).toBe(result.outputLength);
    expect((await shell.run("echo next")).output).toBe("next\n");
  }, 300_000);

  it(`reads bytes that are no UTF-8, long lines and progress over ${way}`, async (context) => {
    leftToCi(context, way === "pty");
    const { shell } = await session(way);
    expect((await shell.run("printf 'a\\377\\376b\\303\\n'")).output).toBe("a\ufffd\ufffdb\ufffd\n");
    expect((await shell.run("printf '10%%\\r50%%\\r100%%\\n'; printf '\\033[31mred\\033[0m\\n'")).output).toBe(
      "100%\nred\n",
    );
    const line = await shell.run("head -c 15000 /dev/zero | tr '\\0' y");
    expect(line.output).toBe("y".repeat(15_000));
    expect((await shell.run("printf 'é%.0s' {1..3000}")).output).toBe("é".repeat(3000));
    expect((await shell.run("head -c 200000 /dev/urandom")).status).toBe("ended");
    expect((await shell.run("echo fine")).output).toBe("fine\n");
  });
}
