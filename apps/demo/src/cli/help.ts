import type { Locale } from "@toolglot/core";
import { skills } from "../planner/skills/index.ts";

/** First lines of the help: what runs here, and what it is not. */
export const helpBefore: Readonly<Record<Locale, string>> = {
  en:
    "Runs the whole agent loop on real local data: prompt, streamed answer, Python or JavaScript programs, plans, XML blocks, native calls or a router, results, answer.\n" +
    "Default model: a rule-based planner, no language model. It needs no key and no network.",
  zh:
    "在真实的本地数据上运行完整的代理循环：提示词、流式回答、Python 或 JavaScript 程序、计划、XML 块、原生调用或路由器、结果、回答。\n" +
    "默认模型是基于规则的规划器，不是语言模型，不需要密钥和网络。",
};

const requests = (locale: Locale): string =>
  skills.map(({ example, title }) => `  ${example.en}\n  ${example.zh}   (${title[locale]})`).join("\n");

const examples = `  npm run demo                                          chat, which offers a tour; without a terminal the tour itself
  npm run demo -- "top 5 products by revenue"
  npm run demo -- --messy "总结一下退货政策"
  npm run demo -- --protocol attp-js "compare the return policy and the warranty terms"
  npm run demo -- --protocol tam --messy "show order 1042"
  npm run demo -- parse --protocol toolsxml < answer.txt
  npm run demo -- tools list                            also: tools call query_sql '{"sql": "SELECT 1"}'
  npm run demo -- --protocol native "compare the return policy and the warranty terms"
  npm run demo -- --protocol trp "open a ticket: the lantern F4 overheats"
  npm run demo -- --protocol trp-code "compare the return policy and the warranty terms"
  npm run demo -- --protocol trp-code-js "open a ticket: the lantern F4 overheats"   without a terminal its program waits
  npm run demo -- resume                                goes on with it, once approvals approve ID has let it
  npm run demo -- --protocol toolsxml "fix the failing test in the project"
  npm run demo -- undo                                  takes back the last change in that project; undo --list
  npm run demo -- --session ada "what is 17 * 23?"      goes on in later processes, with the variables of its programs
  npm run demo -- sessions list                         also: sessions show NAME, sessions undo NAME, sessions rm NAME
  npm run demo -- var set NPM_TOKEN                     keeps a value that a model may use and never sees; var list, var rm NAME
  npm run demo -- router --port 8787                    serves agents over HTTP and WebSockets; router --help has its environment
  npm run demo -- approvals list                        also: approvals approve ID, approvals deny ID
  npm run demo -- audit verify                          also: audit list
  npm run --silent demo -- --json "show order 1042" | jq .type
  npm run demo -- --model ollama:qwen3                  a known provider; any endpoint: --model qwen3 --base-url URL
  npm run demo -- --model fast --max-cost 0.10          an entry of your configuration, in ~/.config/toolglot-demo/config.toml
  npm run demo -- --model fast --attach plan.png "what is wrong in this plan, and in @notes.md?"
  npm run demo -- --model fast --tools ./my-tools.mjs --mcp ./mcp.json --no-shop
  npm run demo -- models                                what is configured, and what the providers' servers offer
  npm run demo -- config                                what holds, and where each of it comes from
  npm run demo -- --model anthropic:claude-sonnet-4-5 "which orders are affected by the delay policy?"`;

/** Examples, exit codes and environment. */
export const helpAfter: Readonly<Record<Locale, string>> = {
  en: `
Requests the planner knows (English or Chinese):
${requests("en")}

Examples:
${examples}

Exit codes, the same in every protocol:
  0  answered                         4    a call needed approval and was denied
  1  error                            5    a limit was reached
  2  the command line is wrong        6    a program waits for an approval; resume goes on with it
                                      130  cancelled with Ctrl-C (twice: leaves at once)
  3  declined (by a real model: only if its protocol has a document for it)

Creating tickets, deleting records, sending messages and running commands ask you first. Without a terminal the answer is no, unless --yes is given;
programs at a router (trp-code, trp-code-js) wait instead.

In the chat, /help shows its commands. Configuration: config.json or config.toml in ~/.config/toolglot-demo, then toolglot-demo.json or
toolglot-demo.toml of the folder (or --config FILE); flags come before both. Keys also stand in .env of the folder.

Environment: the keys of providers (also from .env; models shows their names), OPENAI_API_KEY (also sent to --base-url), NO_COLOR,
XDG_CONFIG_HOME, XDG_DATA_HOME, TRP_DATA_DIR;
for routers also TRP_HOST, TRP_PORT, TRP_TOKENS, TRP_APPROVAL_HMAC_SECRET, TRP_EXECUTOR_BASE_SLEEP_MS.`,
  zh: `
规划器能处理的请求（中文或英文）：
${requests("zh")}

示例：
${examples}

退出码（各种协议相同）：
  0  已回答                           4    有调用需要批准而被拒绝
  1  出错                             5    达到上限
  2  命令行写错了                     6    程序在等待批准，用 resume 继续
                                      130  用 Ctrl-C 取消（两次：立即退出）
  3  拒绝回答（真实模型只有在协议有相应文档时才能得知）

建工单、删除记录、发送消息和执行命令之前会先询问你。没有终端时一律视为拒绝，除非加上 --yes；
经路由器的程序（trp-code、trp-code-js）则会等待。

对话中 /help 显示可用的命令。配置：~/.config/toolglot-demo 里的 config.json 或 config.toml，其次是当前目录的 toolglot-demo.json 或
toolglot-demo.toml（或 --config 文件）；命令行参数优先。密钥也可写在当前目录的 .env。

环境变量：各提供方的密钥（也可写在 .env；models 会列出名称）、OPENAI_API_KEY（也会发给 --base-url）、NO_COLOR、
XDG_CONFIG_HOME、XDG_DATA_HOME、TRP_DATA_DIR；
路由器另有 TRP_HOST、TRP_PORT、TRP_TOKENS、TRP_APPROVAL_HMAC_SECRET、TRP_EXECUTOR_BASE_SLEEP_MS。`,
};
