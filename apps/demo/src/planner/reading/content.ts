import { wordTable } from "../text.ts";
import { readTokens } from "./tokens.ts";

/** Words for documents of any kind: they do not tell which one is meant. */
export const documentWord =
  /^(?:polic(?:y|ies)|rules?|terms?|documents?|docs?|conditions?|guidelines?|texts?|页面?|政策|规定|规则|条款|办法|处理办法|制度|内容|文档|文件)$/iu;
const questionWords =
  /(?<![\p{Script=Latin}\p{N}])(?:how|why|must|may|should|might|shall|gets?|got|takes?|happens?|need(?:s|ed)?|they|he|she|his|her|their|them|if|so|then|into|about|what['’]s|be|one|someone|somebody|something|people|person|going|goes?|speaks?|says?|said|does|long|many|much|there['’]s|it['’]s|i['’]m)(?![\p{Script=Latin}\p{N}])|怎么办?|怎样|如何|为什么|多长|需要|应该|应当|必须|是否|能不能|可不可以|可否|会不会|谁|哪里|之内|以内|时间|关于|有关|相关|时候?|要求|告诉|怎|样/giu;

/** The words of a text that tell what it is about. */
export function contentWords(text: string): string[] {
  const bare = text.replaceAll(questionWords, (found) => " ".repeat(found.length));
  return readTokens(bare, new Date(0))
    .filter(({ kind }) => !/^(?:filler|which|duration|count|howmuch|list|by|and|compare)$/.test(kind))
    .flatMap(({ text: word }) => (/\p{Script=Han}/u.test(word) ? hanWords(word) : word.split(/[\s-]+/)))
    .filter((word) => word !== "");
}

function hanWords(text: string): string[] {
  if (text.length <= 2) return [text];
  const words = [...new Intl.Segmenter("zh", { granularity: "word" }).segment(text)].map(({ segment }) => segment);
  return words.filter((word) => !/^[的了吗呢是有在和与]$/u.test(word));
}

/** Words that mean the same here, in the form in which the documents have them. */
const synonyms = wordTable(
  "late=delay;delayed=delay;guarantee=warranty;membership=member;package=parcel;迟到=延误;延迟=延误;晚到=延误;质保=保修",
);

export function canonical(word: string): string {
  return synonyms[word.toLowerCase()] ?? word;
}

/** Whether a text speaks of a word: in English in any of its forms. */
export function covers(text: string, word: string): boolean {
  const wanted = canonical(word);
  if (/\p{Script=Han}/u.test(wanted)) return text.includes(wanted);
  const stem = stemOf(wanted);
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).some((one) => stemOf(canonical(one)) === stem);
}

function stemOf(word: string): string {
  const lower = word.toLowerCase();
  const stem = lower.replace(/(?:ing|ed|ies|es|s|y|e)$/u, "");
  return (stem.length >= 3 ? stem : lower).replace(/([b-df-hj-np-tv-z])\1$/u, "$1");
}
