import type { Locale } from "@toolglot/core";
import { Command, Option } from "commander";
import { slipNames } from "../planner/slips.ts";
import { helpAfter, helpBefore } from "./help.ts";
import { protocolNames } from "./protocols.ts";
import { UsageError } from "./usage-error.ts";

/** `--lang zh` speaks for the help too, wherever it stands. */
export function languageOf(args: readonly string[]): Locale {
  const at = args.findIndex((arg) => arg === "--lang" || arg.startsWith("--lang="));
  return (args[at] === "--lang" ? args[at + 1] : args[at]?.slice("--lang=".length)) === "zh" ? "zh" : "en";
}

/** The command line of a conversation. */
export function buildCommand(locale: Locale): Command {
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
      say(
        "a real model: a configured NAME, PROVIDER:NAME, or any name with --base-url; planner: none. See models --help",
        "真实模型：配置里的名称、提供方:名称，或任意名称加 --base-url；planner 表示不用模型。见 models --help",
      ),
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
    .option(
      "--system <text>",
      say("your own instructions for the model; @FILE: those of a file", "给模型的附加指令；@文件 表示取自文件"),
    )
    .addOption(
      new Option(
        "--attach <file>",
        say(
          "a file or an image for the question, more than once; also @FILE in it",
          "随问题发送的文件或图片，可写多次；也可在问题里写 @文件",
        ),
      ).argParser(collected),
    )
    .addOption(
      new Option(
        "--max-turns <n>",
        say("model answers for a question (default: 16)", "每个问题最多几次模型回答（默认：16）"),
      ).argParser(numberOf("--max-turns", true)),
    )
    .addOption(
      new Option(
        "--max-tokens <n>",
        say("tokens for a question, read and written together", "每个问题最多用多少词元，输入输出合计"),
      ).argParser(numberOf("--max-tokens", true)),
    )
    .addOption(
      new Option(
        "--max-seconds <n>",
        say("seconds for a question, waiting for you not counted", "每个问题最多多少秒，等你回答的时间不算"),
      ).argParser(numberOf("--max-seconds")),
    )
    .addOption(
      new Option(
        "--max-cost <n>",
        say("money for a question, by the model's configured price", "每个问题最多花多少钱，按配置里该模型的价格"),
      ).argParser(numberOf("--max-cost")),
    )
    .addOption(
      new Option(
        "--tools <file>",
        say("a module that exports tools of your own, more than once", "导出自有工具的模块，可写多次"),
      ).argParser(collected),
    )
    .addOption(
      new Option(
        "--mcp <file>",
        say(
          'a file of MCP servers, { "mcpServers": … }, more than once',
          'MCP 服务器文件 { "mcpServers": … }，可写多次',
        ),
      ).argParser(collected),
    )
    .option("--no-shop", say("leave out the shop's tools", "不提供商店的工具"))
    .option(
      "--config <file>",
      say(
        "a configuration file instead of the folder's; see config --help",
        "用这个配置文件代替当前目录的；见 config --help",
      ),
    )
    .option("--no-config", say("read no configuration files and no .env", "不读取配置文件和 .env"))
    .option("--record <file>", say("write the run to a file", "把运行过程写入文件"))
    .option(
      "--replay <file>",
      say("play a recorded run; calls no model and no tool", "重放记录下来的运行；不调用模型和工具"),
    )
    .addOption(
      new Option(
        "--tour",
        say(
          "two minutes through all protocols, by the planner; also: npm run demo -- tour",
          "用规划器两分钟走遍所有协议，也可写 npm run demo -- tour",
        ),
      ).default(false),
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
        "keep the conversation, and the variables of its programs, for the next process; see sessions --help",
        "保存对话和程序的变量，供下一个进程继续；见 sessions --help",
      ),
    )
    .option("--json", say("events as NDJSON, nothing else on standard output", "标准输出只有 NDJSON 格式的事件"), false)
    .option("--plain", say("show Markdown as it is", "按原样显示 Markdown"), false)
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

/** Reads an option that may be given more than once. */
export const collected = (file: string, before: string[] = []): string[] => [...before, file];

/** Reads a limit: more than 0, and perhaps whole. */
function numberOf(flag: string, isWhole = false): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (number > 0 && Number.isFinite(number) && (!isWhole || Number.isInteger(number))) return number;
    throw new UsageError(`${flag} takes a ${isWhole ? "whole number" : "number"} above 0, not "${text}".`);
  };
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= MAX_TIMEOUT_SECONDS) return seconds;
  throw new UsageError(`--timeout takes seconds, more than 0 and at most ${MAX_TIMEOUT_SECONDS}, not "${text}".`);
}

/** A day. */
const MAX_TIMEOUT_SECONDS = 86_400;
