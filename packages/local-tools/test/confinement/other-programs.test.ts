import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openShell, type ShellSession } from "../../src/index.ts";
import { notConfinable, noteWithoutBubblewrap } from "../support/bubblewrap.ts";
import { type Scratch, scratchFolder } from "../support/scratch.ts";
import { until } from "../support/session.ts";

noteWithoutBubblewrap();

/** Where programs of all kinds keep keys, tokens, sessions and what was typed; below a home. */
const keyPlaces = `
.ssh/id_ed25519 .ssh/config .gnupg/private-keys-v1.d/a.key .netrc .authinfo .git-credentials .config/git/credentials .password-store/a.gpg
.aws/credentials .aws/sso/cache/a.json .azure/msal_token_cache.json .config/gcloud/credentials.db .kube/config .docker/config.json
.config/doctl/config.yaml .config/hcloud/cli.toml .oci/config .aliyun/config.json .bluemix/config.json .terraform.d/credentials.tfrc.json
.pulumi/credentials.json .fly/config.yml .config/fly/a .netlify/config.json .config/netlify/config.json .vercel/auth.json
.local/share/com.vercel.cli/auth.json .railway/config.json .wrangler/config/default.toml .config/.wrangler/config/default.toml
.config/heroku/a .config/stripe/config.toml .config/gh/hosts.yml .config/glab-cli/config.yml .config/hub .config/tea/config.yml
.npmrc .yarnrc .yarnrc.yml .config/pnpm/rc .pypirc .config/pip/pip.conf .pip/pip.conf .config/pypoetry/auth.toml
.local/share/uv/credentials/credentials.toml .cargo/credentials.toml .cargo/config.toml .gem/credentials .bundle/config .m2/settings.xml
.gradle/gradle.properties .nuget/NuGet/NuGet.Config .composer/auth.json .config/composer/auth.json .condarc .cache/huggingface/token
.huggingface/token .kaggle/kaggle.json .config/openai/a .pgpass .my.cnf .mongorc.js .dbshell .config/rclone/rclone.conf .s3cfg .boto
.vault-token .config/op/config .config/Bitwarden/data.json .local/share/keyrings/login.keyring .local/share/kwalletd/a.kwl
.mozilla/firefox/a/logins.json .config/google-chrome/Default/Cookies .config/chromium/Default/Cookies .config/BraveSoftware/a
.thunderbird/a/logins.json .config/Signal/config.json .config/Slack/Cookies .config/Code/User/globalStorage/state.vscdb
.claude/.credentials.json .claude.json .codex/auth.json .gemini/oauth_creds.json .config/github-copilot/apps.json .cursor/auth.json
.aider.conf.yml .continue/config.json .local/share/opencode/auth.json .config/goose/secrets.yaml
.bash_history .zsh_history .python_history .node_repl_history .psql_history .local/share/fish/fish_history .lesshst .viminfo
.bashrc .zshrc .profile .env .config/systemd/user/a.service .an-unknown-program/token Documents/passwords.txt`
  .trim()
  .split(/\s+/);

/** A home outside the temporary folder's own rules, which is that of the process until the test is over. */
async function ownHome(files: Readonly<Record<string, string>>): Promise<Scratch> {
  const home = await scratchFolder(files);
  vi.stubEnv("HOME", home.path);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return home;
}

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=b", ...args], { cwd, encoding: "utf8", stdio: "pipe" });

async function repository(): Promise<{ work: Scratch; open(): Promise<ShellSession> }> {
  const work = await scratchFolder({ "p/a.txt": "one\n", "p/nested/b.txt": "" });
  for (const folder of ["p/nested", "p"]) git(work.at(folder), "init", "-q");
  git(work.at("p"), "add", "a.txt");
  git(work.at("p"), "commit", "-qm", "zero");
  git(work.at("p"), "worktree", "add", "-q", "tree");
  const open = async (): Promise<ShellSession> => {
    const shell = await openShell({ cwd: work.at("p"), artifactDir: work.at("artifacts"), sandbox: "bwrap" });
    onTestFinished(() => shell.close());
    return shell;
  };
  return { work, open };
}

describe.runIf(notConfinable === undefined)("a confined shell beside other programs", () => {
  it("shows of a home no key, whoever keeps it where", async () => {
    const home = await ownHome(Object.fromEntries(keyPlaces.map((place) => [place, "THE-KEY\n"])));
    expect(keyPlaces.length).toBeGreaterThanOrEqual(83);
    vi.stubEnv(
      "PATH",
      [".fly", ".pulumi", ".cargo", ".local"].map((name) => `${home.at(name)}/bin:`).join("") + process.env.PATH,
    );
    const { open } = await repository();
    const seen = await (await open()).run(
      `cat ${keyPlaces.map((place) => `~/${place}`).join(" ")}; grep -rs THE-KEY ~ /tmp`,
    );
    expect(seen.output).not.toContain("THE-KEY\n");
    expect(seen.notes.join()).toContain("some places are hidden");
  });

  it("runs the tools that are installed in a home", async () => {
    const script = "#!/bin/sh\necho $(basename $0) $(cat $(dirname $(readlink -f $0))/../lib/part)\n";
    const tools = [
      ".nvm/versions/node/v20",
      ".pyenv",
      ".cargo",
      ".local",
      ".volta",
      ".bun",
      ".deno",
      ".foo",
      "tools/x",
    ];
    const folders = tools.map((tool) => `${tool}/${tool === ".pyenv" ? "shims" : "bin"}`);
    const files: Record<string, string> = { ".gitconfig": "[user]\n\tname = Somebody\n", ".foo/token": "THE-KEY" };
    for (const [at, tool] of tools.entries()) {
      files[`${folders[at]}/tool${at}`] = script;
      files[`${tool}/lib/part`] = `part${at}`;
    }
    // A tool in an environment of its own, to which a link leads.
    files["elsewhere/venv/bin/linked"] = script;
    files["elsewhere/venv/lib/part"] = "its-own";
    files["elsewhere/token"] = "THE-KEY";
    files[".config/yarn/global/node_modules/pkg/cli.sh"] = "#!/bin/sh\necho packaged\n";
    const home = await ownHome(files);
    for (const name of Object.keys(files)) if (/bin\/|shims\/|cli/.test(name)) chmodSync(home.at(name), 0o755);
    symlinkSync(home.at("elsewhere/venv/bin/linked"), home.at(".local/bin/linked"));
    symlinkSync(home.at(".config/yarn/global/node_modules/pkg/cli.sh"), home.at(".local/bin/packaged"));
    vi.stubEnv("PATH", `${folders.map((name) => home.at(name)).join(":")}:${process.env.PATH}`);
    const { open } = await repository();
    const { output } = await (await open()).run(
      `${tools.map((_, at) => `tool${at}`).join("; ")}; linked; packaged; git config user.name; cat ~/.foo/token ~/elsewhere/token; touch ~/x`,
    );
    expect(output.split("\n").slice(0, tools.length + 3)).toEqual([
      ...tools.map((_, at) => `tool${at} part${at}`),
      ...["linked its-own", "packaged", "Somebody"],
    ]);
    expect(output).not.toContain("THE-KEY");
    expect(await home.has("x")).toBe(false);
  });

  it("keeps what other programs write into a home out of sight", async () => {
    const home = await ownHome({ ".npmrc": "old\n", ".gitconfig": "[user]\n\tname = Old\n" });
    const { open } = await repository();
    const shell = await open();
    await shell.run("state=kept");
    writeFileSync(home.at(".npmrc.1"), "//registry.example/:_authToken=THE-KEY\n");
    renameSync(home.at(".npmrc.1"), home.at(".npmrc"));
    mkdirSync(home.at(".ssh"));
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "THE-KEY", "-f", home.at(".ssh/id")]);
    git(home.path, "config", "--global", "credential.helper", "store");
    git(home.path, "config", "--global", "http.extraHeader", "THE-KEY");
    const seen = await shell.run("cat ~/.npmrc ~/.ssh/* ~/.npmrc.1 ~/.gitconfig; ls -A ~; echo $state");
    expect(seen.output).not.toMatch(/THE-KEY|OPENSSH|\.ssh$/m);
    // Nothing was lost: nothing had to be ended.
    expect(seen).toMatchObject({ status: "ended", output: expect.stringMatching(/kept\n$/) });
  });

  it("is ended when git or an editor takes a protection away, says so, and goes on with a new one", async () => {
    const { work, open } = await repository();
    const shell = await open();
    const attack =
      "echo evil >>.git/config; echo evil >.git/hooks/post-commit; git config core.pager evil; git -C tree config core.editor evil";
    const changes: (() => unknown)[] = [
      () => git(work.at("p"), "remote", "add", "origin", "https://example.invalid"),
      // Writes a new file and renames it, as editors do.
      () => execFileSync("sed", ["-i", "$a# edited", ".git/config"], { cwd: work.at("p") }),
      () => git(work.at("p/nested"), "config", "a.b", "c"),
    ];
    for (const change of changes) {
      await shell.run("variable=x");
      change();
      const { notes, output } = await shell.run(`echo "[$variable]"; ${attack}; echo evil >>nested/.git/config`);
      expect(output).toMatch(/^\[\]\n/);
      expect(notes.join()).toMatch(
        /another program changed .*config, which took its protection away; this is a new one/,
      );
    }
    expect(readFileSync(work.at("p/.git/config"), "utf8")).toMatch(/origin.*# edited/s);
    for (const name of ["p/.git/config", "p/nested/.git/config"]) expect(await work.read(name)).not.toContain("evil");
    // What git needs is writable as ever.
    const used = await shell.run(
      `export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=b; set -e
      echo two >>a.txt; git commit -qam one; git branch side; echo three >>a.txt; git stash -q; git checkout -q side
      echo x >c; git add c; git commit -qm side; git checkout -q -; echo y >d; git add d; git commit -qm main; git rebase -q side
      git stash pop -q; git tag t; git gc -q; (cd tree; echo z >e; git add e; git commit -qm tree); git log --oneline | wc -l; tail -n 1 a.txt`,
      { timeoutMs: 60_000 },
    );
    expect(used, used.output).toMatchObject({ exit: 0, output: "4\nthree\n" });
    expect(git(work.at("p"), "fsck", "--no-dangling")).toBe("");
  });

  it("ends what runs when its protection goes, also in the background", async () => {
    const { work, open } = await repository();
    const shell = await open();
    const job = "while :; do echo beat >beat; sleep 0.05; done";
    const running = shell.run(job);
    await until(() => existsSync(work.at("p/beat")), "the job");
    git(work.at("p"), "config", "a.b", "c");
    expect(await running).toMatchObject({
      status: "shell-ended",
      notes: [expect.stringContaining("took its protection away"), expect.anything()],
    });
    await shell.run(`(${job}) & sleep 0.2`);
    git(work.at("p"), "config", "a.b", "d");
    await new Promise((resolve) => setTimeout(resolve, 300));
    rmSync(work.at("p/beat"), { force: true });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(existsSync(work.at("p/beat"))).toBe(false);
  });

  it("lets nothing hidden be read and nothing protected be written, in any order of changes", async () => {
    const home = await ownHome({ ".npmrc": "THE-KEY", ".nvm/a": "" });
    const { work } = await repository();
    const secret = work.at("p/secret.env");
    const outside = await scratchFolder({ "state/journal": "THE-KEY" });
    const shell = await openShell({
      cwd: work.at("p"),
      artifactDir: work.at("artifacts"),
      sandbox: { kind: "bwrap", hidden: [secret, outside.at("state")] },
    });
    onTestFinished(() => shell.close());
    const hidden = [
      home.at(".npmrc"),
      home.at(".ssh/id"),
      home.at(".new"),
      secret,
      outside.at("state/journal"),
      outside.at("state"),
    ];
    const kept = ["config", "config.worktree", "hooks/pre-commit", "info/attributes", "commondir", "hooks"];
    const guarded = [".git", "nested/.git"].flatMap((folder) => kept.map((name) => work.at("p", folder, name)));
    guarded.push(work.at("p/tree/.git"));
    const place = fc.constantFrom(...hidden, ...guarded, work.at("p/.git"), work.at("p/nested"));
    const event = fc.record({ kind: fc.constantFrom("create", "replace", "remove", "away", "back"), place });
    const make = (path: string): void => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, hidden.includes(path) ? "THE-KEY" : "");
    };
    const isFolder = (path: string): boolean => /(?:hooks|\.git|nested|state)$/.test(path) && !path.includes("tree");
    const happens = ({ kind, place: path }: { kind: string; place: string }): void => {
      try {
        if (kind === "remove") rmSync(path, { recursive: true, force: true });
        else if (kind === "away") renameSync(path, `${path}.old`);
        else if (kind === "back") renameSync(`${path}.old`, path);
        else if (isFolder(path)) mkdirSync(path, { recursive: true });
        else if (kind === "create") make(path);
        else {
          make(`${path}.new`);
          renameSync(`${path}.new`, path);
        }
      } catch {
        // What isn't there can't be renamed.
      }
    };
    const names = guarded.filter((path) => !isFolder(path));
    const attacks = names.map(
      (path) => `[ -d ${path.replace(/\/\.git\/.*/, "/.git")} ] && mkdir -p ${dirname(path)} && echo evil >>${path}`,
    );
    const script = `{ cat ${hidden.join(" ")}; grep -rs THE-KEY ~ ${outside.path} ${secret}; ${attacks.join("; ")}; } 2>/dev/null; true`;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(event, { maxLength: 4 }), { minLength: 1, maxLength: 3 }), async (steps) => {
        for (const events of steps) {
          for (const one of events) happens(one);
          const { output, status } = await shell.run(script);
          expect(status).toBe("ended");
          expect(output).not.toContain("THE-KEY");
          for (const path of names)
            if (existsSync(path)) expect(readFileSync(path, "utf8"), path).not.toContain("evil");
        }
      }),
      { numRuns: rounds(10, 120) },
    );
    expect(join(home.path, ".npmrc")).toBe(hidden[0]);
  });
});
