import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { someOf } from "@toolglot/internal/testing";
import { expect, it, vi } from "vitest";
import { noteWithoutBubblewrap } from "../support/bubblewrap.ts";
import { fewWays, hasTerminal, isConfined, session } from "./sessions.ts";

/** Each is run, and then the shell must answer as if nothing had been: a script's own result may be anything. */
const hostile: Readonly<Record<string, string>> = {
  "set -u and an unset variable": "set -u; echo $nope_nope",
  "set -u and no PWD": "set -u; unset PWD",
  noclobber: "set -o noclobber",
  "no globbing": "set -f",
  "an empty IFS": "IFS=",
  "IFS of digits": "IFS=0123456789",
  "a cleared prompt hook": "PROMPT_COMMAND=; unset PROMPT_COMMAND",
  "a prompt hook that fails": "PROMPT_COMMAND='false; exit_code=9'",
  "another prompt": "PS1='(venv) $ '; PS2='more> '; PS4='! '",
  "a prompt that can't be changed": "readonly PS1=x PS2=y PROMPT_COMMAND=z",
  "printf as a function": "printf() { :; }",
  "cd as a function": "cd() { echo not today; }",
  "builtin as a function": "builtin() { :; }",
  "everything as functions":
    "builtin() { :; }; printf() { :; }; source() { :; }; function . { :; }; set() { :; }; eval() { :; }",
  "unset as a function too": "unset() { :; }; builtin() { :; }; enable() { :; }; printf() { :; }",
  "printf switched off": "enable -n printf",
  "builtins switched off": "enable -n printf builtin .",
  aliases: "alias printf=true builtin=true .=true '{=echo' cd=false",
  "a trap on DEBUG": "trap ': debug' DEBUG",
  "a trap on DEBUG that skips all": "shopt -s extdebug; trap 'false' DEBUG",
  "a trap on ERR": "trap 'false' ERR; false",
  "a trap on RETURN": "trap ': ret' RETURN",
  "INT and TERM ignored": "trap '' INT TERM HUP QUIT TSTP",
  xtrace: "set -x",
  verbose: "set -v",
  "POSIX mode": "set -o posix",
  "a restricted shell": "set -r",
  "output nowhere": "exec >/dev/null",
  "errors nowhere": "exec 2>/dev/null",
  "all of it closed": "exec >&- 2>&-",
  "input from nowhere": "exec </dev/null",
  "errors into output": "exec 2>&1",
  "descriptors closed": 'for fd in {3..255}; do eval "exec $fd>&-"; done',
  "a failed expansion": "echo $" + "{nope:?}",
  "a division by zero": "echo $((1/0)); echo no",
  "a loop left by error": "for i in 1 2 3; do echo $((i/0)); done",
  "the temporary folder cleaned": 'rm -rf "$(dirname "$BASH_SOURCE")"',
  "its FIFO replaced by a file": 'rm "$BASH_SOURCE"; echo "echo stale" >"$BASH_SOURCE"',
  "a directory that is gone": "mkdir gone; cd gone; rmdir ../gone",
  "a false PWD": "PWD=/nowhere",
  "no PATH": "PATH=",
  "a control sequence without an end": "printf '\\033]0;title without end'",
  "half a mark": "printf '\\033]633;E;'",
  "half a character": "printf '\\342\\230'",
  "the other character set": "printf '\\033(0\\016'",
  "the alternate screen": "printf '\\033[?1049h'",
  "many jobs": "for i in 1 2 3 4 5; do sleep 0.02 & done; wait",
  "an exit trap": "trap 'echo bye' EXIT",
  "locale changed": "export LC_ALL=C LANG=C",
  "a subshell that exits": "(exit 9)",
  "a return from nowhere": "return 300",
  "arguments changed": "set -- a b c; shift",
  "a coprocess": "coproc cat; exec {COPROC[1]}>&-",
  "a time limit of its own": "TMOUT=1000; ulimit -c 0",
  history: "set -o history; history; fc -l 2>&1 | head -3",
};
const terminal: Readonly<Record<string, string>> = {
  "a raw terminal": "stty raw",
  "a raw terminal without echo": "stty raw -echo",
  "a terminal made sane": "stty sane",
  "no echo": "stty -echo",
  "line ends turned round": "stty inlcr -icrnl igncr",
  capitals: "stty olcuc iuclc",
  "no signals": "stty -isig",
  "other keys": "stty intr % eof '}' susp z",
  "an alternate line end": "stty eol q",
  "the terminal read and left": "read -t 0.05 x; read -t 0.05 -n 3 y",
};

/** What is tried over pipes, and confined, too: the shell is the same one in all ways. */
const inAllWays = someOf(Object.keys({ ...hostile, ...terminal }), 20);

noteWithoutBubblewrap();
for (const way of fewWays) {
  for (const [name, script] of Object.entries({ ...hostile, ...(hasTerminal(way) ? terminal : {}) })) {
    // It can't be removed there, so that the script waits for somebody to read it.
    if (isConfined(way) && name === "its FIFO replaced by a file") continue;
    if (way !== "pty" && !inAllWays.includes(name)) continue;
    it.concurrent(`stays exact after ${name} over ${way}`, async ({ onTestFinished }) => {
      const { shell } = await session(way, {}, onTestFinished);
      const first = await shell.run("echo first; (exit 5)");
      expect(first).toMatchObject({ status: "ended", output: "first\n", exit: 5 });
      const result = await shell.run(script, { timeoutMs: 60_000 });
      expect(["ended", "shell-ended"]).toContain(result.status);
      // Its own way back is the script's affair where it sent its output elsewhere: status and exit must still hold.
      const silent = /exec >|exec <|all of it closed/.test(script);
      const generation = shell.state.generation;
      for (const exit of [0, 3, 77]) {
        const next = await shell.run(`command echo "out-${exit}"; (exit ${exit})`, { timeoutMs: 60_000 });
        if (next.status === "shell-ended") continue;
        expect(next).toMatchObject({ status: "ended", exit });
        if (!silent || shell.state.generation > generation) expect(next.output).toContain(`out-${exit}`);
        for (const other of [0, 3, 77]) if (other !== exit) expect(next.output).not.toContain(`out-${other}\n`);
      }
    });
  }

  it.concurrent(`brings a script another way over ${way} when a command has removed its place, and says nothing of it`, async ({
    onTestFinished,
  }) => {
    const { shell } = await session(way, {}, onTestFinished);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell that expands it.
    for (const remove of ['rm -rf "${BASH_SOURCE%/*}"', 'rm "$BASH_SOURCE"', 'mv "${BASH_SOURCE%/*}" moved-$RANDOM']) {
      await shell.run(`${remove}; (exit 3)`);
      expect(await shell.run("echo $?")).toMatchObject({ status: "ended", output: "3\n", exit: 0, notes: [] });
      expect(shell.state.generation).toBe(1);
    }
  });

  it.concurrent(`can't be told a false end by a script that prints all it can read over ${way}`, async ({
    onTestFinished,
  }) => {
    const { shell } = await session(way, {}, onTestFinished);
    const spill = [
      "trap 'echo \"D:$BASH_COMMAND\"' DEBUG",
      "declare -p; set; env; export -p; history; fc -l; trap -p; alias; jobs -l; shopt -p",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell that expands it.
      'echo -e "$PS1"; printf "${PS1@P}"; echo "${PS1@P}${PS1@P}"; printf \'%b\' "$PS1" "$PROMPT_COMMAND"',
      "tr '\\0' '\\n' </proc/$$/environ; tr '\\0' ' ' </proc/$$/cmdline; ls -l /proc/$$/fd /proc/self/fd",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell that expands it.
      'ls -la "${BASH_SOURCE%/*}"; cat "${BASH_SOURCE%/*}"/[a-qt-z]* "${BASH_SOURCE%/*}"/st*; caller 0; caller',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell that expands it.
      'declare -f; ps -o args= -p $$; echo "$BASH_COMMAND $_ ${BASH_ARGV[*]} ${FUNCNAME[*]} ${BASH_EXECUTION_STRING-}"',
      // Everything that looks like a mark, made into one, with every kind and status 0.
      "nonce=$(printf '%s' \"$PS1\" | grep -oE '[0-9a-f]{16}')",
      'for kind in A E P R D B C; do printf \'\\033]633;%s;%s;0;himBHs;/\\a\' $kind "$nonce"; printf \'\\033]633;%s;%s;%s;0;himBHs;/fake\\a\' $kind "$nonce" "$nonce"; done',
      "sleep 0.3; trap - DEBUG",
      "echo the-real-end; (exit 44)",
    ].join("\n");
    for (let round = 0; round < 3; round++) {
      const result = await shell.run(spill);
      expect(result).toMatchObject({ status: "ended", exit: 44 });
      expect(result.output.slice(-13)).toBe("the-real-end\n");
      expect(result.cwd).not.toBe("/fake");
      expect(await shell.run("echo next; (exit 2)")).toMatchObject({ status: "ended", output: "next\n", exit: 2 });
    }
  });

  it.concurrent(`takes no mark from a background job for a later command's over ${way}`, async ({ onTestFinished }) => {
    const { shell } = await session(way, {}, onTestFinished);
    await shell.run(
      "p=$PS1; (for i in {1..60}; do printf '%b' \"$p\"; printf '\\033]633;E;%s;x;0;;/\\a' \"$(printf %s \"$p\" | grep -oE '[0-9a-f]{16}')\"; sleep 0.01; done) & disown",
    );
    for (let n = 0; n < 20; n++) {
      const result = await shell.run(`sleep 0.02; echo n${n}; (exit ${n})`);
      expect(result).toMatchObject({ status: "ended", exit: n });
      expect(result.output).toContain(`n${n}\n`);
    }
  });

  it.concurrent(`keeps what a background job prints between commands out of them over ${way}`, async ({
    onTestFinished,
  }) => {
    const { shell, dir } = await session(way, {}, onTestFinished);
    await shell.run("(until [ -e go ]; do sleep 0.02; done; echo noise-1; echo noise-2; touch done) & disown");
    writeFileSync(join(dir, "go"), "");
    await vi.waitUntil(() => existsSync(join(dir, "done")), { timeout: 60_000, interval: 5 });
    const result = await shell.run("echo mine; (exit 6)");
    expect(result).toMatchObject({ status: "ended", output: "mine\n", exit: 6 });
    expect(result.notes.join("\n")).toContain("Printed between commands");
    expect(result.notes.join("\n")).toContain("noise-1\nnoise-2");
    expect((await shell.run("echo clean")).notes).toEqual([]);
  });
}
