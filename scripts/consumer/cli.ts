import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { main, processHost } from "toolglot";

/** Runs what was installed, as a person does at a shell, and returns its exit code and standard output. */
function toolglot(args: string[], folder: string, input: string): Promise<[code: number | null, output: string]> {
  const env = {
    ...process.env,
    CLAUDE_CONFIG_DIR: "",
    CODEX_HOME: "",
    PI_CODING_AGENT_DIR: "",
    HOME: folder,
    XDG_CONFIG_HOME: "",
    XDG_DATA_HOME: "",
    NO_COLOR: "1",
  };
  const child = spawn("npx", ["--no", "--", "toolglot", ...args], { env, stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stdin.end(input);
  return new Promise((done) => child.on("close", (code) => done([code, output])));
}

export async function consume(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-consumer-cli-"));
  const work = join(folder, "work");
  mkdirSync(work);
  writeFileSync(join(work, "port.txt"), "port = 3000\n");
  const answers = [
    '<tools>\n<read>\n<file src="port.txt"/>\n</read>\n</tools>',
    "It is 3000, and you wrote: which port is it?",
  ];
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const delta = { role: "assistant", content: answers[asked.length] };
    asked.push(body);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const choices = [{ index: 0, delta, finish_reason: "stop" }];
    response.end(`data: ${JSON.stringify({ id: "1", choices })}\n\ndata: [DONE]\n\n`);
  });
  try {
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const [helped, help] = await toolglot(["--help"], folder, "");
    const flags = ["--model", "tiny", "--base-url", url, "--project", work];
    const [answered, answer] = await toolglot(flags, folder, "which port is it?\n");
    const wasRead = asked[1]?.includes("port = 3000") === true;
    const [scannedNothing, nothing] = await toolglot(["scan"], join(folder, "empty"), "");
    const logs = join(folder, ".claude", "projects", "work");
    mkdirSync(logs, { recursive: true });
    const call = { type: "tool_use", id: "t", name: "Write", input: { file_path: "a", content: "x\n</content>" } };
    const message = { role: "assistant", model: "tiny", content: [call] };
    writeFileSync(join(logs, "1.jsonl"), `${JSON.stringify({ type: "assistant", sessionId: "s", message })}\n`);
    const [scanned, found] = await toolglot(["scan"], folder, "");
    const scans = [
      scannedNothing,
      nothing.includes("No logs were found."),
      scanned,
      found.includes("core/leaked-closer"),
    ];
    let version = "";
    const stdout = new Writable({
      write(chunk, _, done) {
        version += chunk;
        done();
      },
    });
    const code = await main(["--version"], { ...processHost(), stdout });
    const isRight = answer.includes("It is 3000, and you wrote: which port is it?");
    const talked = [helped, help.includes("--base-url"), answered, isRight, wasRead];
    return [...talked, ...scans, code, /^\d/.test(version)].join(" | ");
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export const expected = "0 | true | 0 | true | true | 0 | true | 1 | true | 0 | true";
