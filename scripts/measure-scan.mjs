// How fast `toolglot scan` reads, and how much memory it takes: writes sessions of each format into a temporary folder, scans each file in a
// process of its own, and prints the time and the greatest resident memory.
//   node scripts/measure-scan.mjs [megabytes of each, default 1000] [words of format names]
// It needs `npm run build`.
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const [size = "1000", ...words] = process.argv.slice(2);
const bytes = Number(size) * 1e6;

const prose =
  "It reads the configuration, then the tests. `npm test` runs them; see the table below.\n\n| a | b |\n|---|---|\n";
const source =
  'export const port = (text: string): number => Number(/port = (\\d+)/.exec(text)?.[1]); // "quoted" <div>\n';
/**
 * A format: what stands before all turns, what is between two, what ends the file, and a turn as text.
 * @typedef {{ start?: string, between?: string, end?: string, turn: (number: number) => string }} Format
 */

/**
 * A session's turn: what the model says, the file that it writes, and what a tool answers. Every hundredth call is damaged.
 * @param {number} number
 */
const turnAt = (number) => ({
  id: `call_${number}`,
  time: new Date(1_795_161_600_000 + number * 1000).toISOString(),
  text: prose.repeat(1 + (number % 5)),
  path: `/work/shop/src/file-${number % 100}.ts`,
  content: source.repeat(1 + (number % 40)) + (number % 100 === 99 ? "</content>\n</invoke>" : ""),
  output: source.repeat(1 + (number % 160)),
});

/** By name. @type {Record<string, Format>} */
const formats = {
  "claude-code": {
    turn(number) {
      const { id, time, text, path, content, output } = turnAt(number);
      const base = {
        parentUuid: `u-${number}`,
        isSidechain: false,
        cwd: "/work/shop",
        sessionId: "s",
        version: "2.1.20",
      };
      const answer = (/** @type {object} */ block) => ({
        ...base,
        type: "assistant",
        message: {
          id: `msg_${number}`,
          type: "message",
          role: "assistant",
          model: "claude-sonnet-4-5",
          content: [block],
        },
        uuid: `a-${number}`,
        timestamp: time,
      });
      const content_ = [{ type: "tool_result", tool_use_id: id, content: output }];
      return [
        answer({ type: "text", text }),
        answer({ type: "tool_use", id, name: "Write", input: { file_path: path, content } }),
        { ...base, type: "user", message: { role: "user", content: content_ }, uuid: `r-${number}`, timestamp: time },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join("");
    },
  },
  codex: {
    turn(number) {
      const { id, time, text, path, content, output } = turnAt(number);
      return [
        { type: "message", role: "assistant", content: [{ type: "output_text", text }] },
        { type: "function_call", name: "write", arguments: JSON.stringify({ file_path: path, content }), call_id: id },
        { type: "function_call_output", call_id: id, output },
      ]
        .map((payload) => `${JSON.stringify({ timestamp: time, type: "response_item", payload })}\n`)
        .join("");
    },
  },
  pi: {
    turn(number) {
      const { id, time, text, path, content, output } = turnAt(number);
      const call = { type: "toolCall", id, name: "write", arguments: { path, content } };
      return [
        { role: "assistant", content: [{ type: "text", text }, call], provider: "deepseek", model: "deepseek-v4" },
        { role: "toolResult", toolCallId: id, toolName: "write", content: [{ type: "text", text: output }] },
      ]
        .map((message) => `${JSON.stringify({ type: "message", id: `m-${number}`, timestamp: time, message })}\n`)
        .join("");
    },
  },
  "gemini-cli": {
    turn(number) {
      const { id, time, text, path, content, output } = turnAt(number);
      const result = [{ functionResponse: { id, name: "write_file", response: { output } } }];
      const call = { id, name: "write_file", args: { file_path: path, content }, status: "success", result };
      const message = { id: `m-${number}`, timestamp: time, type: "gemini", content: text, model: "gemini-3-pro" };
      return [message, { ...message, toolCalls: [call] }].map((line) => `${JSON.stringify(line)}\n`).join("");
    },
  },
  opencode: {
    start: '{\n  "info": {\n    "id": "ses_1",\n    "title": "Port"\n  },\n  "messages": [\n',
    between: ",\n",
    end: "\n  ]\n}\n",
    turn(number) {
      const { id, text, path, content, output } = turnAt(number);
      const state = { status: "completed", input: { filePath: path, content }, output, title: path, metadata: {} };
      const parts = [
        { type: "text", text },
        { type: "tool", callID: id, tool: "write", state },
      ];
      const info = { id: `msg_${number}`, role: "assistant", modelID: "glm-4.7", time: { created: number } };
      return JSON.stringify({ info, parts }, null, 2);
    },
  },
  "ai-sdk": {
    start: '{\n  "runs": [],\n  "steps": [\n',
    between: ",\n",
    end: "\n  ]\n}",
    turn(number) {
      const { id, time, text, path, content, output } = turnAt(number);
      const result = { type: "tool-result", toolCallId: `call_${number - 1}`, output: { type: "text", value: output } };
      const call = { type: "tool-call", toolCallId: id, toolName: "write", input: JSON.stringify({ path, content }) };
      return JSON.stringify({
        id: `s-${number}`,
        run_id: "run",
        step_number: number,
        model_id: "qwen3-coder",
        started_at: time,
        input: JSON.stringify({ prompt: [{ role: "tool", content: [result] }] }),
        output: JSON.stringify({ content: [{ type: "text", text }, call] }),
      });
    },
  },
  openai: {
    start: '{"model":"gpt-5","messages":[',
    between: ",",
    end: "]}",
    turn(number) {
      const { id, text, path, content, output } = turnAt(number);
      const call = { name: "write", arguments: JSON.stringify({ path, content }) };
      return [
        { role: "assistant", content: text, tool_calls: [{ id, type: "function", function: call }] },
        { role: "tool", tool_call_id: id, content: output },
      ]
        .map((message) => JSON.stringify(message))
        .join(",");
    },
  },
  anthropic: {
    turn(number) {
      const { id, text, path, content, output } = turnAt(number);
      const call = { type: "tool_use", id, name: "write", input: { path, content } };
      return [
        { role: "assistant", content: [{ type: "text", text }, call] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output }] },
      ]
        .map((message) => `${JSON.stringify(message)}\n`)
        .join("");
    },
  },
  toolglot: {
    turn(number) {
      const { id, time, text, path, content, output } = turnAt(number);
      const call = { id, name: "write", input: { path, content }, protocol: "native" };
      const result = { callId: id, status: "ok", content: [{ type: "text", text: output }] };
      const events = [
        { type: "request", messages: [{ role: "assistant", trust: "untrusted", parts: [{ type: "text", text }] }] },
        { type: "action-start", action: { kind: "calls", calls: [call] } },
        { type: "action-end", results: [result] },
      ];
      return events
        .map((event) => `${JSON.stringify({ type: "event", event: { ...event, at: Date.parse(time) } })}\n`)
        .join("");
    },
  },
};

const folder = mkdtempSync(join(tmpdir(), "toolglot-measure-scan-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
console.log(`Node ${process.version}, ${size} MB of each\n`);
for (const [name, format] of Object.entries(formats)) {
  if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
  const file = join(folder, `${name}.json`);
  const turns = write(file, format);
  const { seconds, megabytes, report } = await scan(file);
  const rate = `${(bytes / 1e6 / seconds).toFixed(0)} MB/s`;
  const found = `${report.calls} of ${turns} calls, ${report.findings.length} findings, ${report.unknownLines} unknown`;
  console.log(
    `${name.padEnd(12)} ${seconds.toFixed(1).padStart(6)} s ${rate.padStart(9)} ${megabytes} MB resident; ${found}`,
  );
  rmSync(file);
}

/**
 * Writes a file of this size, and returns how many turns it has.
 * @param {string} file
 * @param {Format} format
 */
function write(file, { start = "", between = "", end = "", turn }) {
  const descriptor = openSync(file, "w");
  let written = writeSync(descriptor, start);
  let number = 0;
  for (; written < bytes; number++) written += writeSync(descriptor, (number > 0 ? between : "") + turn(number));
  writeSync(descriptor, end);
  closeSync(descriptor);
  return number;
}

/**
 * @param {string} file
 * @returns {Promise<{ seconds: number, megabytes: number, report: { calls: number, findings: unknown[], unknownLines: number } }>}
 */
function scan(file) {
  const started = performance.now();
  const child = spawn(process.execPath, [join(root, "apps/cli/dist/main.js"), "scan", file, "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  let kilobytes = 0;
  const watch = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      kilobytes = Math.max(kilobytes, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    } catch {
      // It has just ended.
    }
  }, 20);
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  return new Promise((done) =>
    child.on("close", () => {
      clearInterval(watch);
      const seconds = (performance.now() - started) / 1000;
      done({ seconds, megabytes: Math.round(kilobytes / 1024), report: JSON.parse(output) });
    }),
  );
}
