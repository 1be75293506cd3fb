import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ScanFinding } from "../../src/scan/scan-file.ts";
import { runCli } from "../support/in-process.ts";

const logs = join(import.meta.dirname, "__fixtures__");
const folder = mkdtempSync(join(tmpdir(), "toolglot-scan-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Scanned {
  code: number | null;
  files: number;
  calls: number;
  findings: ScanFinding[];
  unknownLines: number;
}

async function scan(file: string, ...args: string[]): Promise<Scanned> {
  const { code, stdout } = await runCli(["scan", resolve(logs, file), "--json", ...args]);
  return { code, ...(JSON.parse(stdout) as Omit<Scanned, "code">) };
}

/** What is found, each in one line. */
const shown = ({ findings }: Scanned): string[] =>
  findings.map(({ line, tool, code, path }) => `${line} ${tool} ${code} ${path}`);

/** A folder of its own with these files. */
function homeWith(files: Record<string, string>): string {
  const home = mkdtempSync(join(folder, "home-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  return home;
}

const noPlaces = {
  CLAUDE_CONFIG_DIR: "",
  CODEX_HOME: "",
  GEMINI_CLI_HOME: "",
  XDG_DATA_HOME: "",
  PI_CODING_AGENT_DIR: "",
  TRP_DATA_DIR: "",
  AI_SDK_DEVTOOLS_DB_PATH: "",
};
const atHome = (home: string, ...args: string[]) =>
  runCli(["scan", ...args], { env: { ...noPlaces, HOME: home }, folder: home });

describe("each format of logs", () => {
  it.each<[file: string, calls: number, model: string | undefined, found: string[]]>([
    [
      "claude-code.jsonl",
      6,
      "claude-sonnet-4-5-20250929",
      [
        "10 Edit core/swallowed-argument /message/content/0/input/old_string",
        "12 Write core/leaked-closer /message/content/0/input/content",
        "14 Bash scan/leaked-call /message/content/0/text",
        "16 Bash scan/lost-result /message/content/0/input",
      ],
    ],
    [
      "codex.jsonl",
      6,
      "gpt-5-codex",
      [
        "10 exec_command core/doubled-input /payload/arguments",
        "12 exec_command core/cut-input /payload/arguments",
        "14 exec_command scan/lost-result /payload/arguments",
        "16 exec_command scan/leaked-call /payload/content/0/text",
      ],
    ],
    ["codex-flat.jsonl", 2, undefined, ["6 shell core/cut-input /arguments"]],
    [
      "pi.jsonl",
      2,
      "deepseek-v4",
      [
        "6 read scan/leaked-call /message/content/0/text",
        "8 write core/leaked-closer /message/content/0/arguments/content",
      ],
    ],
    [
      "gemini-cli.jsonl",
      3,
      "gemini-3-pro-preview",
      [
        "10 replace core/swallowed-argument /toolCalls/0/args/old_string",
        "10 read_file scan/lost-result /toolCalls/1/args",
        "15 run_shell_command scan/leaked-call /content",
      ],
    ],
    [
      "opencode.json",
      3,
      "glm-4.7",
      [
        "1 read core/swallowed-argument /messages/1/parts/2/state/input/filePath",
        "1 bash core/cut-input /messages/2/parts/0/state/raw",
        "1 bash scan/lost-result /messages/2/parts/0/state/raw",
        "1 read scan/leaked-call /messages/4/parts/0/text",
      ],
    ],
    [
      "ai-sdk-generations.json",
      2,
      "qwen3-coder",
      [
        "1 getWeather core/swallowed-argument /steps/0/output/toolCalls/0/input/city",
        "1 getWeather scan/lost-result /steps/0/output/toolCalls/1/input",
        "1 getWeather scan/leaked-call /steps/1/output/content/0/text",
      ],
    ],
    [
      "openai.json",
      2,
      "gpt-5",
      [
        "1 save_row core/swallowed-argument /messages/2/tool_calls/0/function/arguments/note",
        "1  core/nameless-call /messages/2/tool_calls/1/function/arguments",
        "1 save_row scan/leaked-call /messages/5/content",
      ],
    ],
    ["anthropic.jsonl", 1, undefined, ["2 get_weather core/marker-in-value /content/1/input/unit"]],
    [
      "gemini.json",
      2,
      undefined,
      [
        "1 edit core/swallowed-argument /contents/3/parts/0/functionCall/args/old_string",
        "1 edit scan/leaked-call /contents/5/parts/0/text",
      ],
    ],
    [
      "bedrock.json",
      2,
      "anthropic.claude-sonnet-4-5",
      [
        "1 edit scan/leaked-call /messages/1/content/0/text",
        "1 edit core/swallowed-argument /messages/3/content/0/toolUse/input/old_string",
        "1 edit scan/lost-result /messages/3/content/0/toolUse/input",
      ],
    ],
  ])("%s", async (file, calls, model, found) => {
    const report = await scan(file);
    expect(report).toMatchObject({ code: 1, files: 1, calls, unknownLines: 0 });
    expect(shown(report)).toEqual(found);
    for (const finding of report.findings) expect(finding.model).toBe(model);
  });

  it("counts messages with calls in a shape that it does not know", async () => {
    const call = { type: "tool_call", tool: "edit", args: { file: "a.ts" } };
    const lines = [
      { role: "user", content: "Change it." },
      { role: "assistant", content: [call] },
      { role: "assistant", content: [{ type: "thinking", thinking: "Done." }] },
    ];
    const home = homeWith({ "log.jsonl": lines.map((line) => JSON.stringify(line)).join("\n") });
    expect(await scan(join(home, "log.jsonl"))).toMatchObject({ files: 1, calls: 0, unknownLines: 1 });
  });

  it("reads Gemini CLI's older sessions, and its checkpoints, which are documents", async () => {
    const [head, ...lines] = readFileSync(join(logs, "gemini-cli.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    // The last writing of each message.
    const messages = [...new Map(lines.filter(({ id }) => id).map((line) => [line.id, line])).values()];
    const functionCall = { name: "replace", args: { old_string: "a</old_string>", new_string: "b" } };
    const history = [
      { role: "user", parts: [{ text: "Change it." }] },
      { role: "model", parts: [{ functionCall }] },
    ];
    const home = homeWith({
      ".gemini/tmp/shop/chats/session-2026-11-20T08-00-5f1c2a90.json": JSON.stringify({ ...head, messages }, null, 2),
      ".gemini/tmp/shop/checkpoint-before.json": JSON.stringify({ history, authType: "oauth-personal" }, null, 2),
      ".gemini/tmp/shop/logs.json": JSON.stringify([{ sessionId: "s", messageId: 0, type: "user", message: "Go." }]),
    });
    const { stdout } = await atHome(home, "--json");
    const report = JSON.parse(stdout) as Scanned;
    expect(report).toMatchObject({ files: 2, calls: 4, unknownLines: 0 });
    expect(shown(report)).toEqual([
      "1 replace core/swallowed-argument /messages/2/toolCalls/0/args/old_string",
      "1 read_file scan/lost-result /messages/2/toolCalls/1/args",
      "1 run_shell_command scan/leaked-call /messages/5/content",
      "1 replace core/leaked-closer /history/1/parts/0/functionCall/args/old_string",
    ]);
  });

  it("takes a line with a whole conversation for one of its own", async () => {
    const report = await scan("training.jsonl");
    expect(shown(report)).toEqual([
      "1 ping core/cut-input /messages/1/tool_calls/0/function/arguments",
      "2 ping scan/lost-result /messages/1/tool_calls/0/function/arguments",
      "3 ping scan/leaked-call /response/body/choices/0/message/content",
    ]);
    expect(report.findings.map(({ model }) => model)).toEqual([undefined, undefined, "gpt-5-mini"]);
  });

  it("tells formats by their content, not by the file's name", async () => {
    const path = join(folder, "opencode.txt");
    copyFileSync(join(logs, "pi.jsonl"), path);
    expect((await runCli(["scan", path, "--json"])).stdout.replaceAll(path, "")).toBe(
      (await runCli(["scan", join(logs, "pi.jsonl"), "--json"])).stdout.replaceAll(join(logs, "pi.jsonl"), ""),
    );
  });
});

describe("what is found", () => {
  it("has excerpts without secrets", async () => {
    const { findings } = await scan("claude-code.jsonl");
    expect(findings[1]?.excerpt).toBe("API_KEY=[masked]\n</content>\n</invoke>");
    expect(findings[3]?.excerpt).toBe('{"command":"npm test","description":"Runs the tests"}');
  });

  it("is that of one tool, or of a time, when asked for", async () => {
    expect(shown(await scan("claude-code.jsonl", "--tool", "Bash"))).toHaveLength(2);
    expect(await scan("claude-code.jsonl", "--tool", "Grep")).toMatchObject({ code: 0, calls: 0, findings: [] });
    const late = await scan("claude-code.jsonl", "--since", "2026-11-20T08:00:13Z");
    expect(shown(late).map((text) => text.split(" ")[0])).toEqual(["16"]);
    expect(late.calls).toBe(2);
    const old = join(folder, "old.jsonl");
    copyFileSync(join(logs, "claude-code.jsonl"), old);
    utimesSync(old, 1, 1);
    expect((await runCli(["scan", old, "--since", "2026-11-01"])).stdout).toContain("0 files, 0 calls; 0 findings");
  });

  it("is said for people, with sums by model and tool, in English and Chinese", async () => {
    const file = join(logs, "claude-code.jsonl");
    const english = await runCli(["scan", "claude-code.jsonl"], { folder: logs });
    expect([english.code, english.stderr]).toEqual([1, ""]);
    expect(english.stdout).toContain(
      `claude-code.jsonl:12  Write · claude-sonnet-4-5-20250929\n  core/leaked-closer: a closing mark`,
    );
    expect(english.stdout).toContain("By model\n  claude-sonnet-4-5-20250929  6 calls  4 findings\n");
    expect(english.stdout).toMatch(/By tool\n {2}Bash {3}2 calls {2}2 findings\n[\s\S]*1 file, 6 calls; 4 findings\n$/);
    const chinese = await runCli(["scan", file, "--lang", "zh"]);
    expect(chinese.stdout).toContain("core/leaked-closer: 参数末尾留下了结束标记");
    expect(chinese.stdout).toContain("1 个文件，6 个调用；4 个发现");
    expect((await runCli(["scan", "--help", "--lang", "zh"])).stdout).toContain("读取会话日志");
    expect((await runCli(["scan", "--help"])).stdout).toContain("1 something was found");
  });

  it("never acts on the terminal", async () => {
    const call = { type: "tool_use", id: "t", name: "\u001b[2Jx", input: { a: "\u001b]0;t\u0007</invoke>" } };
    const path = join(folder, "terminal.jsonl");
    writeFileSync(path, `${JSON.stringify({ role: "assistant", content: [call], model: "m\u009b" })}\n`);
    const { code, stdout } = await runCli(["scan", path]);
    expect(code).toBe(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come out.
    expect(stdout).not.toMatch(/[\u001b\u0007\u009b]/);
  });
});

describe("without a path", () => {
  it("says what it looked for in an empty home, and ends well", async () => {
    const home = homeWith({});
    const { code, stdout } = await atHome(home);
    expect(code).toBe(0);
    for (const name of ["Claude Code", "Codex", "Gemini CLI", "opencode", "pi", "AI SDK devtools", "toolglot"])
      expect(stdout).toContain(name);
    expect(stdout).toContain(join(home, ".claude/projects"));
    expect(stdout).toContain("No logs were found.");
    expect(readdirSync(home)).toEqual([]);
    expect(JSON.parse((await atHome(home, "--json")).stdout)).toEqual({
      files: 0,
      calls: 0,
      findings: [],
      unknownLines: 0,
    });
    expect((await atHome(home, "--lang", "zh")).stdout).toContain("没有找到日志");
  });

  it("reads what the programs keep, and says which it found", async () => {
    const text = (file: string): string => readFileSync(join(logs, file), "utf8");
    const home = homeWith({
      ".claude/projects/-work-shop/5f1c.jsonl": text("claude-code.jsonl"),
      ".claude/projects/sessions-index.json": "{}",
      ".codex/sessions/2026/11/20/rollout-1.jsonl": text("codex.jsonl"),
      ".pi/agent/sessions/--work--/1.jsonl": text("pi.jsonl"),
      ".devtools/generations.json": text("ai-sdk-generations.json"),
      ".codex/archived_sessions/rollout-2.jsonl": text("codex-flat.jsonl"),
    });
    const { code, stdout } = await atHome(home);
    expect(code).toBe(1);
    expect(stdout).toMatch(/Claude Code {7}\S+ {2}1 file\n/);
    expect(stdout).toMatch(/opencode {10}\S+ {2}nothing there\n/);
    expect(stdout).toMatch(/Codex {13}\S+archived_sessions {2}1 file\n/);
    expect(stdout).toContain("5 files, 18 calls; 14 findings");
  });

  it("looks where the environment says", async () => {
    const home = homeWith({});
    const other = homeWith({ "projects/a.jsonl": readFileSync(join(logs, "claude-code.jsonl"), "utf8") });
    const env = {
      ...noPlaces,
      HOME: home,
      CLAUDE_CONFIG_DIR: other,
      CODEX_HOME: join(home, "no"),
      XDG_DATA_HOME: "/data",
    };
    const { stdout } = await runCli(["scan"], { env, folder: home });
    expect(stdout).toContain("1 file, 6 calls; 4 findings");
    expect(stdout).toContain("/data/opencode");
    expect(stdout).toContain(join(home, "no/sessions"));
  });
});

describe("safety", () => {
  it("writes nothing: bytes and times stay", async () => {
    const home = homeWith({ ".claude/projects/a/1.jsonl": readFileSync(join(logs, "claude-code.jsonl"), "utf8") });
    const state = (): unknown[] =>
      readdirSync(home, { recursive: true, encoding: "utf8" }).map((name) => {
        const { mtimeMs, size, mode } = statSync(join(home, name));
        return [name, mtimeMs, size, mode];
      });
    const before = state();
    await atHome(home);
    expect(state()).toEqual(before);
  });

  it("has nothing to send with: it loads no module of the network", () => {
    const source = join(import.meta.dirname, "../../src");
    const seen = new Set<string>();
    const loaded = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const code = readFileSync(file, "utf8").replaceAll(/^import type [^;]+;/gm, "");
      for (const [, from = ""] of code.matchAll(/^(?:import|export|\}).* from "([^"]+)";$/gm)) {
        if (from.startsWith(".")) visit(join(dirname(file), from));
        else loaded.add(from);
      }
    };
    visit(join(source, "scan/scan-command.ts"));
    const builtIns = [...loaded].filter((name) => name.startsWith("node:")).sort();
    expect(builtIns).toEqual(["node:crypto", "node:fs", "node:os", "node:path", "node:url", "node:zlib"]);
    expect([...loaded].filter((name) => !name.startsWith("node:")).sort()).toEqual([
      "@toolglot/core/check-call",
      "@toolglot/core/text",
      "@toolglot/dialects",
      "@toolglot/internal",
      "commander",
      "picocolors",
    ]);
  });

  it("reads files, and nothing that has no end", async () => {
    const { code, stdout, stderr } = await runCli(["scan", "/dev/zero", "--json"]);
    expect([code, stderr]).toEqual([0, "/dev/zero can't be read: it is no file\n"]);
    expect(JSON.parse(stdout)).toMatchObject({ files: 0, calls: 0 });
  });

  it.each([
    [["/no/such/log"], /There is no \/no\/such\/log/],
    [["--since", "yesterday"], /2026-11-01.*"yesterday"/],
    [["--since", "2026-99-99"], /--since/],
    [["--lang", "fr"], /zh, en/],
    [["--frobnicate"], /frobnicate/],
  ])("refuses %j with the cure", async (args, message) => {
    const { code, stderr } = await runCli(["scan", ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});
