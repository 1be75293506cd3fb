import { linesOf } from "../files/text.ts";

/** Words that say that something is left out, or stays, and words that stand beside them. Chinese ones are found within a text, too. */
const saysLeftOut =
  /\b(?:existing|rest|remaining|remainder|unchanged|omitted|previous|original|same|skipped|truncated|elided|snip(?:ped)?|others?)\b|其余|其他|剩余|现有|已有|原有|原来|之前|余下|不变|省略|略去|保持|同上|此处略/iu;
/** Words of a comment that is nothing but a place for code, beside the words above. */
const fillers =
  /\b(?:the|of|this|that|these|all|your|my|our|is|are|as|it|in|to|and|from|with|for|by|here|there|above|below|before|brevity|clarity|goes|stays?|remains?|keeps?|kept|leave|left|out|code|codes|file|files|class|classes|function|functions|method|methods|module|component|implementation|implementations|logic|body|content|contents|lines?|imports?|exports?|fields?|properties|props|tests?|cases?|handlers?|helpers?|routes?|types?|definitions?|declarations?|section|part|parts|etc)\b|代码|部分|逻辑|内容|实现|方法|函数|文件|的|与|和|均|都|为|是|在|此处|这里|以上|以下|上面|下面|上述|未|改|变|动|修|略|省|保|持|与|前|同|相|样|其|它|不|了|留/giu;

/** Beginnings and ends of comment lines in the usual languages. */
const opening =
  /^(?:[{[(]\s*)?(?:\/\/+|\/\*+|\*+(?!\w)|#+|--+(?:\[\[)?|<!--+|<%--|\{\{!(?:--)?|%+|;+|\(\*|\{-|@\*|(?:['!]|REM|dnl)(?=\s))/i;
const closing = /(?:\*+\/|--+>|--%>|(?:--)?\}\}|\*\)|-\}|\*@|\]\])?\s*[}\])]?$/;
const dots = "(?:\\.{3,}|…+|\\. \\. \\.)";
const [dotsBefore, dotsBehind] = [new RegExp(`^[\\s(\\[<{]*${dots}`), new RegExp(`${dots}[\\s)\\]>}]*$`)];

/**
 * Returns the first line of a replacement that stands for code which the writer left out ("// ... existing code ..."), and that neither the
 * find nor the file has. Written as it is, it would take the place of that code.
 */
export function leftOutLine(replace: string, find: string, text: () => string): string | undefined {
  if (!hint.test(replace)) return undefined;
  let known: Set<string> | undefined;
  for (const line of linesOf(replace)) {
    const trimmed = line.trim();
    if (trimmed.length > 200 || !isLeftOut(trimmed)) continue;
    known ??= new Set([...linesOf(find), ...linesOf(text())].map((one) => one.trim()));
    if (!known.has(trimmed)) return trimmed;
  }
  return undefined;
}

const hint = new RegExp(`${dots}|${saysLeftOut.source}`, "iu");

function isLeftOut(line: string): boolean {
  const mark = opening.exec(line)?.[0];
  const said = mark === undefined ? line : line.slice(mark.length).replace(closing, "").trim();
  const [before, behind] = [dotsBefore.test(said), dotsBehind.test(said)];
  const words = said
    .replace(dotsBefore, "")
    .replace(dotsBehind, "")
    .replace(/[()[\]<>{},.:;!。，、（）【】-]/gu, " ")
    .trim();
  // Three dots alone are code in Python; one character of its own is code nowhere.
  if (words === "") return (mark !== undefined && before) || /^…+$/.test(line);
  const says = saysLeftOut.test(words);
  const isOnlyThat = words.replace(new RegExp(saysLeftOut, "giu"), "").replace(fillers, "").trim() === "";
  // Without a comment's mark, what comes close behind the dots may be code.
  if (mark === undefined)
    return says && ((before && behind) || (/^(?:\.{3}|…)\s/.test(said) && isOnlyThat && /\s/.test(words)));
  if (before && behind) return true;
  if (before || behind) return says && (isOnlyThat || startsSo.test(words));
  return isOnlyThat && withoutDots.test(words);
}

/** Without dots, a comment of these words may be one of its own ("Other imports"), unless it speaks of code, or of what stays. */
const withoutDots =
  /\b(?:existing|remaining|previous|original|same|other)\b.*\bcode\b|\brest of\b|\S\s+(?:\w+ )*(?:unchanged|omitted|truncated|skipped|elided|the same)\b|不变|省略|略去|(?:其余|其他|剩余|现有|已有|原有|余下).*代码/iu;
const startsSo = new RegExp(`^(?:${saysLeftOut.source})`, "iu");
