import { leftOver, readTokens } from "./tokens.ts";

/** The content words of a request that a skill's own words, a pattern, do not cover; neighbours together. */
export function unreadWords(question: string, known: string, also: readonly string[] = []): string[] {
  const pattern = new RegExp(`(?<![a-z])(?=[a-z])(?:${known})(?![a-z])|(?![a-z])(?:${known})`, "giu");
  const rest = question.replaceAll(pattern, (found) => " ".repeat(found.length));
  const tokens = readTokens(rest, new Date(0));
  for (const token of tokens) token.used ||= also.includes(token.kind);
  return leftOver(rest, tokens);
}

const doing =
  "open|create|file|raise|delete|remove|erase|send|e-?mail|mail|notify|announce|broadcast|export|cancel|refund|call|write|book|rename|fix|release|publish|tell|text|fax|order|buy|close|update|change|approve|print";
const secondStep = new RegExp(
  `(?:\\b(?:and|then|afterwards|also)\\b|[,;.，；。])\\s*(?:(?:then|also|please|finally|afterwards|and)\\s+)*\\b(?:${doing})\\b(?!s?\\s*(?:priority|total|value|tickets\\b)).*$|(?:然后|接着|随后|并且?|同时|顺便|[，；。,]再)(?=.{0,12}?(?:开|建|创建|删|发|通知|公告|导出|取消|退款|改名|修复|发布|告诉|打电话|关闭|批准)).*$|[，；。](?:请|帮我|给)?(?:开一?张|建一?张|删除|发邮件|通知|导出|取消).*$`,
  "isu",
);

/** The part of a request that asks for something more to be done; undefined where there is none. */
export function furtherStep(question: string): string | undefined {
  return secondStep
    .exec(question)?.[0]
    .replace(/^[,;.，；。\s]+/u, "")
    .trim();
}
