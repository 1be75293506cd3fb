import type { Conversation } from "./conversation.ts";
import type { Outcome, Unread } from "./task.ts";
import type { Say } from "./text.ts";
import skills from "./words/skills.json" with { type: "json" };

/** The planner says what it is, wherever it lists what it can do. */
const selfDescription = (say: Say): string =>
  say`I am a rule-based planner, no language model ‖ 我是基于规则的规划器，不是语言模型`;

/** Tools as the request lists them, and a request of each kind. */
export function helpText(say: Say, tools: Conversation["tools"]): string {
  const list = tools.map(({ name, description }) => `- ${name}: ${description}`).join("\n");
  const examples = skills.map(({ example }) => `- ${example[say.zh ? "zh" : "en"]}`).join("\n");
  const head = selfDescription(say) + say`. My tools: ‖ 。可用工具：`;
  return [head, list, say`Requests I understand: ‖ 可以这样问我：`, examples].join("\n\n");
}

/** More words than this are not listed, nor longer ones shown in full. */
const maxNamed = 6;
const maxLength = 80;

/** For requests that could not be taken in whole: it names what was not understood. */
export function unreadText({ unread, message }: Unread, say: Say): string {
  const named = unread.slice(0, maxNamed);
  const shown = named.map((word) => `“${word.slice(0, maxLength)}${word.length > maxLength ? "…" : ""}”`);
  const words = say.list(shown) + (unread.length > maxNamed ? say` and more ‖ 等` : "");
  const reason =
    unread.length > 0
      ? say`I don't know what to do with ${words}, so I did nothing. ‖ 我不知道${words}在这里是什么意思，所以什么也没有做。`
      : say`I know each of these words, but not what they ask for together. ‖ 每个词我都认识，但不明白合起来要做什么。`;
  const me = selfDescription(say);
  return (message ?? reason) + say` ${me}: say “help” for examples. ‖ ${me}，输入“帮助”可以看到例子。`;
}

/** For what a person refused, with the reason alone; and for what failed, in words: an exception of a program is no answer. */
export function failedText({ status, errorType = "", message = "", waitsFor }: Outcome, say: Say): string {
  if (status === "denied" && message.startsWith("The user gave no value."))
    return say`You gave no value, so I did not go on. ‖ 你没有提供值，所以没有继续。`;
  if (waitsFor)
    return say`This was not done yet: ${waitsFor} waits for approval. ‖ 还没有执行：${waitsFor} 正在等待批准。`;
  if (status === "denied") {
    const [, why] = / was denied(?:: ([\s\S]*?))?\.?(?: It did not run\.)?$/.exec(message) ?? ["", message];
    return say`This was not approved, so it was not done${why ? ` (${why})` : ""}. ‖ 没有得到同意，所以没有执行${why ? `（${why}）` : ""}。`;
  }
  const code = /(?:Error|Exception)$/.test(errorType) ? "" : errorType;
  const words = message.replace(/^(?:\w+\.)*[A-Z]\w*(?:Error|Exception): /, "").trim();
  const both = [code, words].filter(Boolean).join(": ");
  return say`This did not work: ${both} ‖ 没有成功：${both}`;
}
