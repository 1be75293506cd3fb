import type { Locale } from "@toolglot/core";
import type { Conversation } from "./conversation.ts";
import type { Outcome } from "./outcome.ts";
import { skills } from "./skills/index.ts";

/** The planner says what it is, wherever it lists what it can do. */
const selfDescription: Record<Locale, string> = {
  en: "I am a rule-based planner, no language model",
  zh: "我是基于规则的规划器，不是语言模型",
};

/** True for a request to say what can be done. */
export function asksForHelp(question: string): boolean {
  return (
    /^\W*(?:help|hi|hello|hey|\?)\W*$/i.test(question) ||
    /\bwhat (?:can|do) you (?:do|know)\b|\bwho are you\b|\b(?:list|show|which|what)\b.{0,20}\btools\b|^(?:你好|您好|帮助)|你能做什么|你会什么|你是谁|(?:哪些|什么|列出|所有).{0,4}工具/iu.test(
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

/** For requests of no known kind. */
export function unknownText(language: Locale): string {
  const kinds = skills.map(({ title }) => title[language]).join(language === "zh" ? "、" : "; ");
  return language === "zh"
    ? `这个请求超出了我的能力：${selfDescription.zh}，只会做这些事：${kinds}。输入“帮助”可以看到例子。`
    : `This request is beyond me: ${selfDescription.en}, and all I know is: ${kinds}. Say "help" for examples.`;
}

/** For tasks whose tools are not on offer. */
export function missingToolText(names: readonly string[], language: Locale): string {
  return language === "zh"
    ? `可用工具列表中没有 ${names.join("、")}，所以做不了。`
    : `The list of available tools has no ${names.join(" and no ")}, so I can't do this.`;
}

/** For what a person refused. */
export function deniedText({ message }: Outcome, language: Locale): string {
  const words = message ? (language === "zh" ? `（${message}）` : ` (${message})`) : "";
  return language === "zh"
    ? `没有得到同意，所以没有执行${words}。`
    : `This was not approved, so it was not done${words}.`;
}

/** For what failed, also after a correction. */
export function failedText({ errorType, message }: Outcome, language: Locale): string {
  const words = [errorType, message].filter(Boolean).join(": ");
  return language === "zh" ? `没有成功：${words}` : `This did not work: ${words}`;
}
