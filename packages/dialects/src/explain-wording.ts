import type { Locale } from "@toolglot/core";
import type { ExplainWording } from "@toolglot/core/explain";
import type { DialectDiagnosticCode } from "./diagnostics.ts";

/** Words of `explain` in one language. */
interface DialectWording extends ExplainWording {
  /** Stands before the findings when calls were run. */
  notes: string;
  /** Returns that so many calls of a block were not run, though others were. */
  lost(count: number): string;
}

/** Where the finding's own words say what to do, they stand: some name the tool that was meant. */
const en: DialectWording = {
  template: "Write a call in this form:",
  block: "tool call",
  several: "write all calls of an answer directly behind one another",
  notes: "Notes on how your calls were written:",
  lost: (count) =>
    `${count === 1 ? "One call" : `${count} calls`} beside those that ran could not be read, and did not run. Write only what is missing again.`,
  advice: {
    "dialects/coerced":
      "Write each value in the type that the tool declares: numbers, booleans, lists and objects without quotes.",
    "dialects/stripped-tokens": "Write the call with its opening and closing marks.",
    "dialects/look-alike": "Write the marks with exactly the characters of the form below.",
    "dialects/inexact-number": "Write a number that has too many digits, or is none, as a string.",
    "dialects/type-mismatch": "Write each value in the type that the tool declares.",
    "dialects/mixed-dialects": "Write all calls in the same form.",
    "dialects/input-too-long": "The answer is too long; nothing of it was run. Write a shorter one.",
  } satisfies Partial<Record<DialectDiagnosticCode, string>>,
};

const zh: DialectWording = {
  template: "请按以下格式写出调用：",
  block: "工具调用",
  several: "请把一次回答中的所有调用紧挨着写在一起",
  notes: "关于你的调用的写法：",
  lost: (count) => `除已执行的调用外，另有 ${count} 个调用无法读取，没有执行。请只重写缺少的调用。`,
  advice: {
    "dialects/truncated": "文本在调用中间结束，其中的内容没有执行。请完整地重写这个调用，并写得更短。",
    "dialects/invalid-json": "参数无法读取；请写成有效的 JSON。",
    "dialects/invalid-arguments": "参数必须是一个对象；请按名称写出每个参数。",
    "dialects/missing-name": "调用没有名称；请写出工具的名称。",
    "dialects/not-a-literal": "参数只能是字面量；名称、调用和运算符都不会被求值。请写成 name=value。",
    "dialects/doubtful-close":
      "值中含有结束调用的标记，无法判断它在哪里结束，因此没有执行。请不要在值中写这种格式的结束标记。",
    "dialects/input-too-long": "回答过长，没有执行任何内容。请写得更短。",
    "dialects/json-repaired": "JSON 经过修复才能读取；请写有效的 JSON。",
    "dialects/python-literal": "有一个值是按 Python 的写法写的；请写成 JSON。",
    "dialects/coerced": "请按工具声明的类型写每个值：数字、布尔值、列表和对象都不加引号。",
    "dialects/unclosed": "缺少结束标记；请关闭每一个调用。",
    "dialects/stray-closer": "有一个结束标记没有对应的开始；每个调用只关闭一次。",
    "dialects/stripped-tokens": "调用缺少标记，是按工具名称找到的；请写出开始和结束标记。",
    "dialects/look-alike": "标记用了其他字符；请与下面格式中的字符完全一致。",
    "dialects/unquoted-value": "字符串缺少定界符；请把字符串写在定界符之间。",
    "dialects/positional-argument": "参数没有名称，被当作下一个参数；请写出每个参数的名称。",
    "dialects/inexact-number": "数字无法精确保存，已按文本处理；位数过多的数字请写成字符串。",
    "dialects/duplicate-key": "同一个键只写一次；以最后一次为准。",
    "dialects/doubtful-open": "值中含有另一个参数的开始标记，可能缺少结束标记；请关闭每一个参数。",
    "dialects/type-mismatch": "值与工具声明的类型不符，已按文本处理；请按声明的类型书写。",
    "dialects/unknown-tool": "没有这个工具。",
    "dialects/call-in-reasoning": "思考中的调用不会执行；请在思考结束之后再写调用。",
    "dialects/foreign-call": "这是另一种格式的调用，这里不会读取。",
    "dialects/mixed-dialects": "请用同一种格式书写所有调用。",
    "dialects/text-after-call": "请在调用之后结束回答。",
    "dialects/unwrapped": "请写出调用外层的标记。",
  } satisfies Record<DialectDiagnosticCode, string>,
};

/** The sentences of `explain` by language. */
export const explainWording: Record<Locale, DialectWording> = { en, zh };
