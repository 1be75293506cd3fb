import type { Locale, ProtocolMode } from "@toolglot/core";
import { Command, CommanderError, Option } from "commander";
import { slipNames, slipsOf } from "../planner/slips.ts";
import type { SandboxChoice } from "../project/open-local.ts";
import { checkSessionName } from "../sessions/session-folder.ts";
import { helpAfter, helpBefore } from "./help.ts";
import { type ProtocolName, protocolNames } from "./protocols.ts";
import { UsageError } from "./usage-error.ts";

/** What the command line asks for. */
export interface DemoOptions {
  /** A question; without one it is a chat, or the tour when there is no terminal. */
  question?: string;
  protocol: ProtocolName;
  /** The protocol was asked for, so the tour stays with it. */
  protocolGiven: boolean;
  /** Language of prompts; without it, that of each question. */
  lang?: Locale;
  mode: ProtocolMode;
  model?: string;
  baseUrl?: string;
  /** Seconds that a model may be silent. */
  timeout?: number;
  record?: string;
  replay?: string;
  /** Goes on with a program that waits: with this one, or with the only one. */
  resume?: true | string;
  /** The session whose variables the programs share, and whose conversation goes on. */
  session?: string;
  json: boolean;
  showPrompt: boolean;
  /** Slips are wanted: `true` for taking turns, else the name of one. */
  messy: true | string | undefined;
  yes: boolean;
  /** Whether commands in the project are confined; without it, where that works. */
  sandbox?: SandboxChoice;
  dataDir?: string;
  reset: boolean;
  /** With protocol `trp`: URL of a running router; without it there is one in the process. */
  router?: string;
  /** The bearer token for it. */
  token?: string;
}

/** What the command line asks for, or text to print instead. */
export type ParsedArguments = { options: DemoOptions } | { print: string };

/** Reads the arguments after the program's name. Throws `UsageError` for anything that can't be meant. */
export function parseArguments(args: readonly string[]): ParsedArguments {
  let print = "";
  const command = buildCommand(languageOf(args));
  command.exitOverride().configureOutput({
    writeOut: (text) => {
      print += text;
    },
    writeErr: () => undefined,
  });
  try {
    command.parse([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { print };
    throw new UsageError(error.message.replace(/^error: /, ""));
  }
  const { slip, messy, ...rest } = command.opts<
    Omit<DemoOptions, "messy" | "protocolGiven"> & { slip?: string; messy?: true }
  >();
  const protocolGiven = command.getOptionValueSource("protocol") === "cli";
  const question = command.args.join(" ").trim();
  const options: DemoOptions = { ...rest, messy: slip ?? messy, protocolGiven, ...(question !== "" && { question }) };
  check(options);
  return { options };
}

/** `--lang zh` speaks for the help too, wherever it stands. */
function languageOf(args: readonly string[]): Locale {
  const at = args.findIndex((arg) => arg === "--lang" || arg.startsWith("--lang="));
  return (args[at] === "--lang" ? args[at + 1] : args[at]?.slice("--lang=".length)) === "zh" ? "zh" : "en";
}

function buildCommand(locale: Locale): Command {
  const say = (en: string, zh: string): string => (locale === "zh" ? zh : en);
  const titles: Readonly<Record<string, string>> = { "Usage:": "用法：", "Arguments:": "参数：", "Options:": "选项：" };
  return new Command("npm run demo --")
    .description(helpBefore[locale])
    .argument("[question...]", say("ask once and leave; without it, chat", "只问一次就退出；不写则进入对话"))
    .addOption(
      new Option("--protocol <id>", say("how the model asks for tools", "模型用什么格式调用工具"))
        .choices([...protocolNames])
        .default("attp"),
    )
    .addOption(
      new Option(
        "--lang <code>",
        say(
          "language of the prompts and of what the demo says (default: prompts as the question, else English)",
          "提示词和演示程序自身的语言（默认：提示词随问题，其余为英文）",
        ),
      ).choices(["zh", "en"]),
    )
    .addOption(
      new Option(
        "--mode <mode>",
        say(
          "loop: results go back until it answers; single: one program",
          "loop：结果交回模型直到它回答；single：只有一段程序",
        ),
      )
        .choices(["loop", "single"])
        .default("loop"),
    )
    .option(
      "--model <name>",
      say("a real model: NAME with --base-url, or anthropic:NAME", "真实模型：NAME 加 --base-url，或 anthropic:NAME"),
    )
    .option(
      "--base-url <url>",
      say(
        "OpenAI-compatible endpoint, as http://localhost:11434/v1",
        "兼容 OpenAI 的接口地址，如 http://localhost:11434/v1",
      ),
    )
    .addOption(
      new Option(
        "--timeout <seconds>",
        say(
          "how long the model may be silent, before its first byte and between two (default: 30)",
          "模型最长可以沉默多少秒：第一个字节之前，以及两个字节之间（默认：30）",
        ),
      ).argParser(secondsOf),
    )
    .option("--record <file>", say("write the run to a file", "把运行过程写入文件"))
    .option(
      "--replay <file>",
      say("play a recorded run; calls no model and no tool", "重放记录下来的运行；不调用模型和工具"),
    )
    .option(
      "--resume [id]",
      say(
        "go on with a program of code mode that waits; also: npm run demo -- resume [ID]",
        "继续代码模式下等待中的程序，也可写 npm run demo -- resume [ID]",
      ),
    )
    .option(
      "--session <name>",
      say(
        "programs share their variables, and the conversation goes on, also in the next process; see sessions --help",
        "程序共享变量，对话延续到下一个进程；见 sessions --help",
      ),
    )
    .option("--json", say("events as NDJSON, nothing else on standard output", "标准输出只有 NDJSON 格式的事件"), false)
    .option(
      "--show-prompt",
      say("show what the model is asked; alone: only the instructions", "显示发给模型的内容；单独使用时只显示提示词"),
      false,
    )
    .option(
      "--messy",
      say("the planner makes slips that models make, one after another", "规划器轮流犯模型常犯的格式错误"),
    )
    .addOption(
      new Option("--slip <name>", say("the planner makes this slip", "规划器犯这一种错误")).choices([...slipNames]),
    )
    .option("--yes", say("approve every call without asking", "不询问，批准所有调用"), false)
    .addOption(
      new Option(
        "--sandbox <kind>",
        say(
          "confine commands in the project: bwrap or off (default: bwrap where it works)",
          "隔离项目里的命令：bwrap 或 off（默认：可用时为 bwrap）",
        ),
      ).choices(["bwrap", "off"]),
    )
    .option("--data-dir <dir>", say("where documents and database live", "文档和数据库所在的目录"))
    .option("--reset", say("make the data anew", "重新生成数据"), false)
    .option(
      "--router <url>",
      say(
        "with trp, trp-code and trp-code-js: a running router at http:// or ws://, not one in the process",
        "配合 trp、trp-code、trp-code-js：使用 http:// 或 ws:// 上正在运行的路由器，而不是进程内的",
      ),
    )
    .option("--token <token>", say("identifies the agent to that router", "代理在该路由器上的身份令牌"))
    .helpOption("-h, --help", say("show this help", "显示本帮助"))
    .addHelpText("after", helpAfter[locale])
    .configureHelp({
      helpWidth: 100,
      styleTitle: (title) => (locale === "zh" ? (titles[title] ?? title) : title),
    });
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= MAX_TIMEOUT_SECONDS) return seconds;
  throw new UsageError(`--timeout takes seconds, more than 0 and at most ${MAX_TIMEOUT_SECONDS}, not "${text}".`);
}

/** A day. */
const MAX_TIMEOUT_SECONDS = 86_400;

function check(options: DemoOptions): void {
  const { model, baseUrl, protocol, replay, record, messy, question } = options;
  checkRouter(options);
  checkSession(options);
  if (options.resume !== undefined && (question !== undefined || replay !== undefined || record !== undefined))
    throw new UsageError("--resume goes on with what was asked; leave out the question, --record and --replay.");
  const ids = slipsOf[protocol].map(({ id }) => id);
  if (typeof messy === "string" && !ids.includes(messy))
    throw new UsageError(`With --protocol ${protocol} the slips are ${ids.join(", ")}; not ${messy}.`);
  if (baseUrl !== undefined && model === undefined) throw new UsageError("--base-url needs --model NAME.");
  if (messy !== undefined && model !== undefined)
    throw new UsageError("--messy and --slip are for the planner; leave out --model.");
  if (replay === undefined) return;
  if (record !== undefined) throw new UsageError("Either --record or --replay, not both.");
  if (question !== undefined) throw new UsageError("--replay plays what was recorded; leave out the question.");
  if (model !== undefined || messy !== undefined)
    throw new UsageError("--replay calls no model; leave out --model, --messy and --slip.");
}

function checkSession({ session, protocol, mode, resume, replay, record }: DemoOptions): void {
  if (session === undefined) return;
  checkSessionName(session);
  if (protocol !== "attp" || mode !== "loop")
    throw new UsageError("--session keeps the variables of Python programs: use --protocol attp and --mode loop.");
  if (resume !== undefined || replay !== undefined || record !== undefined)
    throw new UsageError("--session goes on by itself; leave out --resume, --replay and --record.");
}

function checkRouter({ protocol, router, token, replay, resume }: DemoOptions): void {
  if (router !== undefined && ((!protocol.startsWith("trp") && resume === undefined) || replay !== undefined))
    throw new UsageError("--router needs --protocol trp, and nothing is called in a replay.");
  if (router !== undefined && !/^(?:http|ws)s?:\/\//i.test(router))
    throw new UsageError(`--router must begin with http://, https://, ws:// or wss://, not "${router}".`);
  if (token !== undefined && router === undefined) throw new UsageError("--token needs --router URL.");
}
