import type { Locale } from "@toolglot/core";

/** What `scan`, `check` and `parse` say in English. `cli` is how the person calls it. */
const en = (cli: string) => ({
  lang: "language of what is said here",
  json: "as one JSON object",
  count: (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`,
  calls: "call",
  findings: "finding",
  files: "file",
  scan: {
    about:
      "reads the logs of sessions and lists calls that leaked into text, whose arguments came cut, doubled or swallowed, or whose result was lost; writes and sends nothing",
    paths:
      "files and folders (default: where Claude Code, Codex, Gemini CLI, opencode, pi, AI SDK devtools and toolglot keep theirs)",
    since: "only what is not older, as 2026-11-01",
    tool: "only calls of this tool",
    after: "Exit codes: 0 nothing was found, 1 something was found, 2 the command line is wrong.",
    badDate: (text: string) => `--since takes a date, as 2026-11-01 or 2026-11-01T08:00:00Z, not "${text}".`,
    noPath: (path: string) => `There is no ${path}.`,
    looked: "Looked for logs of:",
    nothing: "nothing there",
    noLogs: `No logs were found. ${cli} scan PATH reads files and folders that you name.`,
    noDriver: (file: string) =>
      `${file}: no driver for SQLite is installed (Node 22.13 has one, or npm install libsql). \`opencode export\` prints a session as a file that can be read.`,
    inLog: (file: string) =>
      `${file}: what stands in its write-ahead log is not read; opencode puts it into the database when it ends.`,
    notRead: (file: string, reason: string) => `${file} can't be read: ${reason}`,
    noFile: "it is no file",
    unread: (count: number, file: string, line: number) =>
      `${file}: ${count} ${count === 1 ? "line" : "lines"} not understood, the first of them ${line}`,
    unreadMore: (files: number) => `… and in ${files} more files`,
    byModel: "By model",
    byTool: "By tool",
    unknown: "(unknown)",
    codes: {
      "core/swallowed-argument": "an argument swallowed others",
      "core/leaked-closer": "a closing mark stayed in an argument",
      "core/doubled-input": "the arguments came twice",
      "core/cut-input": "the arguments end early",
      "core/nameless-call": "the call has no name",
      "core/marker-in-value": "a mark of a call format stands as a value",
      "scan/leaked-call": "a call stands in the text, where nobody reads it",
      "scan/lost-result": "the call has no result, and the conversation went on",
    } as Readonly<Record<string, string>>,
    summary: (files: string, calls: string, findings: string) => `${files}, ${calls}; ${findings}`,
  },
  check: {
    about:
      "looks whether a call came damaged: swallowed arguments, leftover marks, arguments that came twice or end early",
    file: "the call, or a list of calls, as JSON; - is standard input",
    tools: "the tools, as JSON: in our shape, OpenAI's, Anthropic's, or MCP's tools/list",
    after: "Exit codes: 0 nothing was found, 1 something was found, 2 the command line is wrong.",
    noJson: (file: string, reason: string) => `${file} is no JSON: ${reason}`,
    noCall: (file: string) =>
      `${file}: a call { name, input } is wanted, or OpenAI's { function: { name, arguments } }, or a list of them.`,
    noTool: (name: string) =>
      `There is no tool ${JSON.stringify(name)} in the file: only what needs no parameters is looked at.`,
    forModel: "What a model would read of it:",
    well: (calls: string) => `${calls}: nothing was found`,
  },
  parse: {
    about: "reads a model's text from standard input and shows what is understood of it; runs nothing",
    protocol: "what the text is written in",
    json: "events as NDJSON while the text comes in, then the result",
    strict: "no repairs",
    tools: "tool definitions as JSON, for binding and for near-miss names",
    reasoning: "whether calls in reasoning are shown",
    startsInReasoning: "the prompt already opened a reasoning block",
    finish: "how the message ended",
    explain: "also the explanation of its mistakes for the model",
    lang: "language of --explain and of what is said here",
    after: "Exit codes: 0 a block may run, 3 none may, 2 the command line is wrong.",
    summary: (blocks: number, runnable: number, findings: number) =>
      `${blocks} block${blocks === 1 ? "" : "s"}, ${runnable} may run; ${findings} finding${findings === 1 ? "" : "s"}`,
    affects: (what: string) => ` (affects ${what})`,
  },
});

/** What they say, in one language. */
export type CallWords = ReturnType<typeof en>;

const zh = (cli: string): CallWords => ({
  lang: "这里所说的话用哪种语言",
  json: "输出为一个 JSON 对象",
  count: (count, one) => `${count} ${one}`,
  calls: "个调用",
  findings: "个发现",
  files: "个文件",
  scan: {
    about:
      "读取会话日志，列出混入正文的调用、参数被截断、重复或被吞掉的调用，以及丢失结果的调用；不写入也不发送任何内容",
    paths:
      "文件和目录（默认：Claude Code、Codex、Gemini CLI、opencode、pi、AI SDK devtools 和 toolglot 保存日志的位置）",
    since: "只看不早于这个日期的内容，如 2026-11-01",
    tool: "只看这个工具的调用",
    after: "退出码：0 没有发现，1 有发现，2 命令行写错了。",
    badDate: (text) => `--since 需要一个日期，如 2026-11-01 或 2026-11-01T08:00:00Z，而不是“${text}”。`,
    noPath: (path) => `没有 ${path}。`,
    looked: "查找了这些程序的日志：",
    nothing: "没有内容",
    noLogs: `没有找到日志。${cli} scan 路径 可以读取你指定的文件和目录。`,
    noDriver: (file) =>
      `${file}：没有安装 SQLite 驱动（Node 22.13 自带，或 npm install libsql）。\`opencode export\` 可以把会话导出为能读取的文件。`,
    inLog: (file) => `${file}：预写日志里的内容没有读取；opencode 退出时会把它们写入数据库。`,
    notRead: (file, reason) => `${file} 无法读取：${reason}`,
    noFile: "它不是文件",
    unread: (count, file, line) => `${file}：有 ${count} 行无法理解，第一处是第 ${line} 行`,
    unreadMore: (files) => `……另有 ${files} 个文件`,
    byModel: "按模型",
    byTool: "按工具",
    unknown: "（未知）",
    codes: {
      "core/swallowed-argument": "一个参数吞掉了其他参数",
      "core/leaked-closer": "参数末尾留下了结束标记",
      "core/doubled-input": "参数出现了两次",
      "core/cut-input": "参数提前结束",
      "core/nameless-call": "调用没有名称",
      "core/marker-in-value": "调用格式的标记成了参数值",
      "scan/leaked-call": "调用写进了正文，没有人读取",
      "scan/lost-result": "调用没有结果，对话却继续了",
    },
    summary: (files, calls, findings) => `${files}，${calls}；${findings}`,
  },
  check: {
    about: "检查调用是否在传来时损坏：参数被吞掉、残留标记、参数重复或提前结束",
    file: "一个调用或一组调用的 JSON；- 表示标准输入",
    tools: "工具的 JSON：本项目、OpenAI、Anthropic 的格式，或 MCP 的 tools/list",
    after: "退出码：0 没有发现，1 有发现，2 命令行写错了。",
    noJson: (file, reason) => `${file} 不是 JSON：${reason}`,
    noCall: (file) =>
      `${file}：需要一个调用 { name, input }，或 OpenAI 的 { function: { name, arguments } }，或一组调用。`,
    noTool: (name) => `文件里没有工具 ${JSON.stringify(name)}：只检查不需要参数信息的内容。`,
    forModel: "模型会读到：",
    well: (calls) => `${calls}：没有发现`,
  },
  parse: {
    about: "从标准输入读取模型的文本，显示解析器的理解；不执行任何内容",
    protocol: "文本用哪种协议写成",
    json: "读入文本时以 NDJSON 输出事件，最后输出结果",
    strict: "不做修复",
    tools: "工具定义的 JSON，用于绑定和查找相近的名称",
    reasoning: "是否显示推理里的调用",
    startsInReasoning: "提示已经打开了推理块",
    finish: "消息是怎样结束的",
    explain: "同时显示给模型的错误说明",
    lang: "--explain 和这里所说的话用哪种语言",
    after: "退出码：0 有块可以执行，3 没有块可以执行，2 命令行写错了。",
    summary: (blocks, runnable, findings) => `${blocks} 个块，${runnable} 个可以执行；${findings} 个发现`,
    affects: (what) => `（影响 ${what}）`,
  },
});

/** Returns what `scan`, `check` and `parse` say in a language; English by default. `cli`: how the person calls the command line. */
export const callWords = (locale?: Locale, cli = "toolglot"): CallWords => (locale === "zh" ? zh : en)(cli);
