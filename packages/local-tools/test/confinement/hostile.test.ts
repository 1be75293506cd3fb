import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openShell } from "../../src/index.ts";
import { notConfinable, noteWithoutBubblewrap } from "../support/bubblewrap.ts";
import { scratchFolder } from "../support/scratch.ts";
import { lives, until } from "../support/session.ts";
import { confinedShell } from "./confined-shell.ts";

noteWithoutBubblewrap();

/** A home of this test's own, with secrets in it. */
async function ownHome(): Promise<string> {
  const { path } = await scratchFolder({
    ".ssh/id_rsa": "the-key\n",
    ".netrc": "the-key\n",
    ".config/gh/hosts.yml": "the-key\n",
    "elsewhere/credentials": "the-key\n",
    ".gitconfig": "# shown\n",
  });
  symlinkSync(`${path}/elsewhere`, `${path}/.aws`);
  vi.stubEnv("HOME", path);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return path;
}

describe.runIf(notConfinable === undefined)("a confined shell", () => {
  it("doesn't show what is hidden, by any way to it", async () => {
    const home = await ownHome();
    // The home is in the temporary folder, of which a confined shell has its own.
    const { scratch, says } = await confinedShell({ readable: [home, "/proc", "/dev"], hidden: [`${home}/.config`] });
    const folder = scratch.at("work");
    symlinkSync(`${home}/.ssh`, `${folder}/link`);
    symlinkSync(`/proc/self/root${home}/.ssh/id_rsa`, `${folder}/key`);
    const seen = await says(`
      cat ~/.gitconfig
      cat ~/.ssh/* ~/.netrc ~/.aws/* ~/elsewhere/* ~/.config/*/* link/* key
      for root in /proc/*/root /proc/*/cwd /proc/self/fd/* /proc/1/fd/*; do cat $root${home}/.ssh/* $root/../.ssh/*; done
      ls -A ~/.ssh ~/elsewhere
      exec 9<~/.netrc && cat /proc/self/fd/9
      find / -xdev -name 'id_rsa*' -path '*ssh*'; grep -rs the-key ~ /tmp /run`);
    expect(seen).toContain("shown");
    expect(seen).not.toContain("the-key");
    expect(seen).not.toMatch(/^\/.*id_rsa$/m);
  });

  it("shows a root that lies in a hidden place, and hides a place in a root", async () => {
    const { says, shell, scratch } = await confinedShell({}, { "work/keys/a": "the-key", "work/b": "b" });
    expect(await says("cat keys/a")).toBe("the-key");
    const other = await openShell({
      cwd: scratch.at("work/keys"),
      artifactDir: scratch.at("artifacts"),
      sandbox: { kind: "bwrap", hidden: [scratch.at("work")], writable: [] },
    });
    onTestFinished(() => other.close());
    expect((await other.run("cat a; ls ..")).output).toBe("the-keykeys\n");
    expect(other.state.confined).toMatchObject({ hidden: expect.arrayContaining([scratch.at("work")]) });
    expect(shell.state.confined).toMatchObject({ writable: [scratch.at("work")], network: false });
  });

  it("writes nowhere but to its roots and its own temporary folder", async () => {
    const { scratch, says } = await confinedShell({}, { "beside/a": "as it was" });
    const other = await scratchFolder({ "more/a": "" });
    const written = await says(`
      for place in / /etc /usr /var /var/lib /opt /sys /proc/sys/kernel ~ ${scratch.path} ${other.path}; do
        (echo x >$place/toolglot-was-here) 2>/dev/null && echo "$place"
      done
      find /proc /sys -not -path '/proc/[0-9]*' -type f -writable 2>/dev/null | grep -v /proc/pressure/
      echo x >/tmp/x-own && echo x >/var/tmp/y && echo x >here && echo "$TMPDIR" && cat /tmp/x-own /var/tmp/y`);
    // Folders between / and a root exist in memory only, and so does a home below /tmp.
    const ofMemory = [scratch.path, other.path, ...(homedir().startsWith("/tmp/") ? [homedir()] : [])];
    for (const place of ofMemory) expect(existsSync(join(place, "toolglot-was-here"))).toBe(false);
    const lines = written.split("\n").filter((line) => !ofMemory.includes(line));
    expect(lines).toEqual(["/tmp", "x", "x"]);
    expect(existsSync("/tmp/x-own") || existsSync("/var/tmp/y") || existsSync(scratch.at("toolglot-was-here"))).toBe(
      false,
    );
    expect(await scratch.read("work/here")).toBe("x\n");
    expect(await scratch.read("beside/a")).toBe("as it was");
  });

  it("changes nothing that git runs, in nested repositories and modules too, and can commit", async () => {
    const { path, at } = await scratchFolder({ "work/nested/deep/a": "" });
    const git = (cwd: string, ...args: string[]): void => void execFileSync("git", args, { cwd, stdio: "ignore" });
    const as = ["-c", "user.name=a", "-c", "user.email=b"];
    for (const folder of ["work", "work/nested/deep"]) git(at(folder), "init", "-q");
    git(at("work/nested/deep"), ...as, "commit", "-q", "--allow-empty", "-m", "zero");
    const module = at("work/.git/modules/sub");
    for (const folder of ["hooks", "info"]) mkdirSync(`${module}/${folder}`, { recursive: true });
    for (const name of ["HEAD", "config"]) writeFileSync(`${module}/${name}`, "");
    const before = readFileSync(at("work/.git/config"), "utf8");
    const shell = await openShell({ cwd: at("work"), artifactDir: at("artifacts"), sandbox: "bwrap" });
    onTestFinished(() => shell.close());
    const attacks = [".git", "nested/deep/.git", ".git/modules/sub"].flatMap((git) => [
      `echo evil >${git}/hooks/pre-commit`,
      `ln -s /bin/true ${git}/hooks/post-checkout`,
      `mv ${git}/hooks ${git}/hooks2`,
      `rm -rf ${git}/hooks`,
      `echo evil >>${git}/config`,
      `mv -T ${git}/config ${git}/config2`,
      `echo evil >${git}/config.worktree`,
      `echo evil >${git}/info/attributes`,
      `echo evil >${git}/commondir`,
      `mv -T ${git}/commondir ${git}/common2`,
      `perl -e 'rename("${git}/info", "${git}/info2") || exit 1'`,
      `perl -e 'rename("${git}", "${git}2") || exit 1'`,
    ]);
    attacks.push(
      'perl -e \'rename("nested", "nested2") || exit 1\'',
      'perl -e \'rename(".git/modules", ".git/m2") || exit 1\'',
    );
    const { output } = await shell.run(
      attacks.map((attack, at) => `(${attack}) 2>/dev/null && echo "${at} worked"`).join("\n"),
    );
    expect(output).toBe("");
    const committed = await shell.run(
      "git add -A . && git -c user.name=a -c user.email=b commit -qm one && git log --oneline",
    );
    expect(committed, committed.output).toMatchObject({ exit: 0, output: expect.stringContaining("one") });
    await shell.close();
    expect(readFileSync(at("work/.git/config"), "utf8")).toBe(before);
    for (const name of ["config.worktree", "commondir"]) expect(existsSync(at(`work/.git/${name}`))).toBe(false);
    expect(path).not.toBe("");
  });

  it("covers a repository that a command has made from the next shell on", async () => {
    const { shell, says, scratch } = await confinedShell();
    expect(await says("git init -q . && echo old >.git/hooks/pre-commit && echo made")).toBe("made");
    await shell.run("exit");
    const changed = await shell.run("echo evil >.git/hooks/pre-commit");
    expect(changed.exit).not.toBe(0);
    expect(changed.notes.join()).toContain("confinement");
    expect(await scratch.read("work/.git/hooks/pre-commit")).toBe("old\n");
  });

  it("sees and signals no process of the host, nor its environment", async () => {
    vi.stubEnv("TOOLGLOT_TEST_TOKEN", "tok-1234abcd");
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const victim = spawn("sleep", ["60"], { env: { TOKEN: "tok-1234abcd" }, stdio: "ignore" });
    onTestFinished(() => void victim.kill());
    const { says } = await confinedShell();
    const seen = await says(`
      ls -d /proc/[0-9]* | wc -l
      cat /proc/*/environ | tr '\\0' '\\n'
      kill -9 ${victim.pid} ${process.pid} ${process.ppid}
      kill -9 -1 2>/dev/null &
      ls -l /proc/*/fd | grep ptmx`);
    expect(seen).not.toContain("tok-1234abcd");
    expect(seen).not.toContain("ptmx");
    expect(Number(seen.split("\n")[0])).toBeLessThan(10);
    expect(lives(victim.pid as number)).toBe(true);
  });

  it("has no capability, gains none, and makes no further user namespace", async () => {
    const { says } = await confinedShell();
    const status = await says(
      "grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs)' /proc/self/status; unshare -Ur true 2>/dev/null && echo nested",
    );
    expect(status.replace(/\t/g, " ").split("\n")).toEqual([
      ...["CapPrm: 0000000000000000", "CapEff: 0000000000000000", "CapBnd: 0000000000000000", "NoNewPrivs: 1"],
    ]);
  });

  it("reaches no server of the host, by address or by abstract name, unless it may", async () => {
    const server = createServer((socket) => socket.end("reached")).listen(0, "127.0.0.1");
    const abstract = createServer((socket) => socket.end("reached"));
    const name = `toolglot-${process.pid}`;
    await new Promise<void>((done) => abstract.listen(`\0${name}`, done));
    onTestFinished(() => void [server.close(), abstract.close()]);
    const { port } = server.address() as { port: number };
    const connect = (to: string): string =>
      `${process.execPath} -e 'require("net").connect(${to}).on("data", (data) => console.log(String(data))).on("error", (e) => console.log(e.code))'`;
    const script = `${connect(`${port},"127.0.0.1"`)}; ${connect(`"\\0${name}"`)}; exec 3<>/dev/tcp/192.0.2.1/9`;
    const { shell } = await confinedShell();
    const { output, notes } = await shell.run(`${script}; false`, { timeoutMs: 60_000 });
    expect(output).not.toContain("reached");
    expect(output).toMatch(/ECONNREFUSED\nECONNREFUSED\n.*unreachable/);
    expect(notes.join()).toContain("there is no network");
    const open = await confinedShell({ network: true });
    expect((await open.says(script.split(";")[0] ?? "")).trim()).toBe("reached");
    expect(open.shell.state.confined).toMatchObject({ network: true });
  });

  it.each(["pty", "pipe"] as const)("leaves no process behind over %s, whatever it forks", async (backend) => {
    const { at } = await scratchFolder({ "work/a": "" });
    const shell = await openShell({ cwd: at("work"), artifactDir: at("x"), backend, sandbox: "bwrap" });
    const mark = `survivor-${process.pid}-${backend}`;
    const loop = `trap "" HUP INT TERM; while :; do sleep 0.2; done # ${mark}`;
    await shell.run(`
      setsid bash -c '${loop}' & disown
      (setsid bash -c "(bash -c '${loop}' &)" &)
      nohup bash -c '${loop}' >/dev/null 2>&1 &
      perl -MPOSIX -e 'exit if fork; POSIX::setsid(); exit if fork; close($_) for 0..9; exec "bash", "-c", $ARGV[0]' '${loop}'
      sleep 0.3`);
    const alive = (): string[] =>
      execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" })
        .split("\n")
        .filter((line) => line.includes(mark));
    await until(() => alive().length >= 4, "four survivors");
    await shell.close();
    expect(alive()).toEqual([]);
  });

  it("is told what a failure comes from, once and only when it looks so", async () => {
    const { shell, says } = await confinedShell({ hidden: ["/etc/ssl"] });
    const failed = await shell.run("touch /etc/a; cat /etc/ssl/certs/x; false");
    expect(failed.notes).toEqual([expect.stringMatching(/confinement.*can be written.*hidden/)]);
    expect((await shell.run("cat nothing; false")).notes).toEqual([]);
    expect((await shell.run("touch /etc/a; true")).notes).toEqual([]);
    expect(await says("tty; stty size; echo to the terminal >/dev/tty")).toMatch(
      /^\/dev\/.+\n50 200\nto the terminal$/,
    );
  });
});
