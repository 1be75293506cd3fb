import { skills } from "../planner/skills/index.ts";

/** First lines of the help: what runs here, and what it is not. */
export const helpBefore =
  "Runs the whole agent loop on real local data: prompt, streamed answer, Python or JavaScript programs, plans, XML blocks, native calls or a router, results, answer.\n" +
  "Default model: a rule-based planner, no language model. It needs no key and no network.";

/** Examples, exit codes and environment. */
export const helpAfter = `
Requests the planner knows (English or Chinese):
${skills.map(({ example, title }) => `  ${example.en}\n  ${example.zh}   (${title.en})`).join("\n")}

Examples:
  npm run demo                                          chat; without a terminal a tour of eight requests
  npm run demo -- "top 5 products by revenue"
  npm run demo -- --messy "总结一下退货政策"
  npm run demo -- --protocol attp-js "compare the return policy and the warranty terms"
  npm run demo -- --protocol tam --messy "show order 1042"
  npm run demo -- parse --protocol toolsxml < answer.txt
  npm run demo -- tools list                            also: tools call query_sql '{"sql": "SELECT 1"}'
  npm run demo -- --protocol native "compare the return policy and the warranty terms"
  npm run demo -- --protocol trp "open a ticket: the lantern F4 overheats"
  npm run demo -- --protocol toolsxml "fix the failing test in the project"
  npm run demo -- undo                                  takes back the last change in that project; undo --list
  npm run demo -- router --port 8787                    serves agents over HTTP; router --help has its environment
  npm run demo -- approvals list                        also: approvals approve ID, approvals deny ID
  npm run demo -- audit verify                          also: audit list
  npm run --silent demo -- --json "show order 1042" | jq .type
  npm run demo -- --model qwen3 --base-url http://localhost:11434/v1
  npm run demo -- --model anthropic:claude-sonnet-4-5 "which orders are affected by the delay policy?"

Exit codes:
  0  answered                         4    a call needed approval and was denied
  1  error                            5    a limit was reached
  2  the command line is wrong        130  cancelled with Ctrl-C (twice: leaves at once)
  3  the model declined

Creating tickets, deleting records, sending messages and running commands ask you first. Without a terminal the answer is no, unless --yes is given.

Environment: OPENAI_API_KEY (sent to --base-url when set), ANTHROPIC_API_KEY, NO_COLOR, XDG_DATA_HOME, TRP_DATA_DIR;
for routers also TRP_HOST, TRP_PORT, TRP_TOKENS, TRP_APPROVAL_HMAC_SECRET, TRP_EXECUTOR_BASE_SLEEP_MS.`;
