import type { Locale } from "@toolglot/core";
import type { Conversation } from "./conversation.ts";
import type { Outcome } from "./outcome.ts";
import type { Unread } from "./reading/unread.ts";
import { skills } from "./skills/index.ts";

/** The planner says what it is, wherever it lists what it can do. */
const selfDescription: Record<Locale, string> = {
  en: "I am a rule-based planner, no language model",
  zh: "我是基于规则的规划器，不是语言模型",
};

/** True for a request to say what can be done. */
export function asksForHelp(question: string): boolean {
  return (
    /^\W*(?:help|hi|hello|hey|\?|what (?:can|do) you (?:do|know)|who are you|(?:(?:list|show|which|what)(?: me)?(?: are)?(?: all| the| your)*|what are your) tools(?: (?:do you have|are there|can you use))?)\W*$/iu.test(
      question,
    ) ||
    /^(?:你好|您好|帮助|你能做什么|你会(?:做)?什么|你是谁|你?(?:能用)?有?(?:哪些|什么|列出|所有).{0,4}工具)[吗呢？?。!！]*$/u.test(
      question,
    )
  );
}

/** Tools as the request lists them, and a request of each kind. */
export function helpText({ language, tools }: Conversation): string {
  const list = tools.map(({ name, description }) => `- ${name}: ${description}`).join("\n");
  const zh = language === "zh";
  return `${selfDescription[language]}${zh ? "。可用工具：" : ". My tools:"}\n\n${list}\n\n${zh ? "可以这样问我：" : "Requests I understand:"}\n\n${examples(language)}`;
}

function examples(language: Locale): string {
  return skills.map(({ example }) => `- ${example[language]}`).join("\n");
}

/** For requests that could not be taken in whole: it names what was not understood. */
export function unreadText({ unread, message }: Unread, language: Locale): string {
  const zh = language === "zh";
  const words = unread.slice(0, maxNamed).map((word) => (zh ? `“${shortened(word)}”` : `“${shortened(word)}”`));
  const more = unread.length > maxNamed ? (zh ? "等" : " and more") : "";
  const reason =
    message ??
    (words.length > 0
      ? zh
        ? `我不知道${words.join("、")}${more}在这里是什么意思，所以什么也没有做。`
        : `I don't know what to do with ${words.join(", ")}${more}, so I did nothing.`
      : zh
        ? "每个词我都认识，但不明白合起来要做什么。"
        : "I know each of these words, but not what they ask for together.");
  const gap = zh || reason.endsWith("\n") ? "" : " ";
  return zh
    ? `${reason}${selfDescription.zh}，输入“帮助”可以看到例子。`
    : `${reason}${gap}${selfDescription.en}: say “help” for examples.`;
}

/** More words than this are not listed, nor longer ones told in full. */
const maxNamed = 6;
const maxLength = 80;

function shortened(word: string): string {
  return word.length > maxLength ? `${word.slice(0, maxLength)}…` : word;
}

/** For tasks whose tools are not on offer. */
export function missingToolText(names: readonly string[], language: Locale): string {
  return language === "zh"
    ? `可用工具列表中没有 ${names.join("、")}，所以做不了。`
    : `The list of available tools has no ${names.join(" and no ")}, so I can't do this.`;
}

/** For requests that take two programs, where only one is run. */
export function onlyInLoopText(language: Locale): string {
  return language === "zh"
    ? "要先在数据里查一下其中的名字，需要两个程序：请用 --mode loop。"
    : "I would have to look a name up in the data first, which takes two programs: use --mode loop.";
}

/** For what a person refused, with the reason alone: that it was denied and did not run is said already. */
export function deniedText({ message = "", waitsFor }: Outcome, language: Locale): string {
  const zh = language === "zh";
  const waits = waitsFor !== undefined && (zh ? `${waitsFor} 正在等待批准` : `${waitsFor} waits for approval`);
  const said = / was denied(?:: ([\s\S]*?))?\.?(?: It did not run\.)?$/.exec(message);
  const why = waits || (said ? said[1] : message);
  if (zh) return `没有得到同意，所以没有执行${why ? `（${why}）` : ""}。`;
  return `This was not approved, so it was not done${why ? ` (${why})` : ""}.`;
}

/** For what failed, also after a correction: in words; an exception of a program is no answer. */
export function failedText({ errorType = "", message = "" }: Outcome, language: Locale): string {
  const code = /(?:Error|Exception)$/.test(errorType) ? "" : errorType;
  const said = message.replace(/^(?:\w+\.)*[A-Z]\w*(?:Error|Exception): /, "").trim();
  const words = [code, said].filter(Boolean).join(": ");
  return language === "zh" ? `没有成功：${words}` : `This did not work: ${words}`;
}
