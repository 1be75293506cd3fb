import { expect, it } from "vitest";
import { openSession } from "../support/session.ts";

const run = (script: string): string => `<tools><command>\n${script}\n</command></tools>`;

it("1 <command>: runs a shell command", async () => {
  const { ask } = await openSession();
  expect(await ask(run("echo hello"))).toMatchObject({
    tool: "command",
    index: 0,
    status: "ok",
    exit: 0,
    text: expect.stringMatching(/^hello\n?$/),
  });
});

it("1 <command>: runs several shell commands, in order", async () => {
  const { ask } = await openSession();
  const { text, exit } = await ask(run("echo one\necho two; echo three\nfalse\necho four && (exit 5)"));
  expect(text).toMatch(/one\ntwo\nthree\nfour/);
  expect(exit).toBe(5);
});

it("1 <command>: the content is a shell script: pipes, loops, functions, heredocs, comparisons and quotes mean what they mean", async () => {
  const { ask, work } = await openSession();
  const { text, exit } = await ask(
    run(`
    # counts
    count() { printf '%s\\n' "$1: $(wc -l < "$2" | tr -d ' ')"; }
    cat > list.txt <<'END'
      <li class="a">a & b</li>
    $HOME stays
END
    for i in 1 2 3; do if [ $i -lt 3 ] && [ $i -gt 0 ]; then echo "n$i"; fi; done | sort -r
    count lines list.txt
    echo 'it''s' "quoted \\"twice\\"" $((2<3)) !bang`),
  );
  expect(text.split("\n").slice(0, 4)).toEqual(["n2", "n1", "lines: 2", 'its quoted "twice" 1 !bang']);
  expect(exit).toBe(0);
  expect(await work.read("list.txt")).toMatch(/<li class="a">a & b<\/li>\n\s*\$HOME stays\n$/);
});

it("1 <command>: a script that is no shell gives its error and status, and the session goes on", async () => {
  const { ask } = await openSession();
  const wrong = await ask(run("echo 'unclosed"));
  expect(wrong.status).not.toBe("running");
  expect(wrong.exit).not.toBe(0);
  expect(await ask(run("echo next"))).toMatchObject({ exit: 0, text: expect.stringMatching(/^next\n?$/) });
});

it("1 <command>: runs in the session's interactive pseudo-terminal", async () => {
  const { ask, local } = await openSession();
  const { text, exit } = await ask(run("test -t 0 && test -t 1 && tty\ncase $- in *i*) echo interactive;; esac"));
  expect((await local.shell()).state.backend).toBe("pty");
  expect(text).toMatch(/\/dev\/(pts\/|tty)\S+\ninteractive/);
  expect(exit).toBe(0);
});

it("1 <command>: the terminal lasts for the session: a command finds the environment variables that earlier ones set", async () => {
  const { tell, ask } = await openSession();
  await ask(run("export FIRST='a  b'; SECOND=2"));
  await tell("<tools><command>export THIRD=3</command><command>export FOURTH=$THIRD$SECOND</command></tools>");
  const { text } = await ask(run(`bash -c 'echo "$FIRST|$SECOND|$FOURTH"'; echo "$SECOND"`));
  expect(text).toMatch(/^a {2}b\|\|32\n2\n?$/);
});

it("1 <command>: the terminal lasts for the session: a command finds the working directory where earlier ones went", async () => {
  const { ask, work } = await openSession({ files: { "deep/er/a.txt": "here\n" } });
  await ask(run("cd deep"));
  await ask(run("cd er"));
  const { text } = await ask(run("pwd; cat a.txt"));
  expect(text).toContain(`${work.at("deep/er")}\nhere`);
});

it("1 <command>: the terminal lasts for the session: functions, options and aliases last, too", async () => {
  const { ask } = await openSession();
  await ask(run("greet() { echo \"hi $1\"; }; shopt -s nullglob; alias ll='echo listed'"));
  const { text } = await ask(run('greet Ada; for f in *.none; do echo "$f"; done\nll'));
  expect(text).toMatch(/^hi Ada\nlisted\n?$/);
});

it("1 <command>: example: npm install and npm run build", { timeout: 90_000 }, async () => {
  const { ask, work } = await openSession({
    files: {
      "package.json": JSON.stringify({
        name: "tiny",
        version: "1.0.0",
        type: "module",
        scripts: { build: "node build.js" },
        dependencies: { greeter: "file:./greeter" },
      }),
      "greeter/package.json": JSON.stringify({
        name: "greeter",
        version: "1.0.0",
        type: "module",
        exports: "./index.js",
      }),
      "greeter/index.js": 'export const greet = (who) => "Hello, " + who;\n',
      "build.js":
        'import { mkdirSync, writeFileSync } from "node:fs";\nimport { greet } from "greeter";\n' +
        'mkdirSync("dist", { recursive: true });\nwriteFileSync("dist/out.txt", greet("build") + "\\n");\nconsole.log("built dist/out.txt");\n',
    },
    // The registry is not asked for anything.
    shell: {
      timeoutMs: 80_000,
      env: {
        npm_config_offline: "true",
        npm_config_audit: "false",
        npm_config_fund: "false",
        npm_config_update_notifier: "false",
        npm_config_logs_max: "0",
      },
    },
  });
  const result = await ask(`
    <tools>
      <command>
        npm install
        npm run build
      </command>
    </tools>`);
  expect(result, result.text).toMatchObject({ tool: "command", status: "ok", exit: 0 });
  expect(result.text).toMatch(/added 1 package[\s\S]*> node build\.js[\s\S]*built dist\/out\.txt/);
  expect(await work.read("dist/out.txt")).toBe("Hello, build\n");
  expect(await work.has("node_modules/greeter/index.js")).toBe(true);
});
