import type { Locale } from "@toolglot/core";
import type { ExplainWording } from "@toolglot/core/explain";

const template = `thought = "…" [tool_call] status = "success" target = "…" code = '''…'''`;
const failTemplate = `[tool_call] status = "fail" message = "…"`;

const en = (): ExplainWording => ({
  template: `Answer with one TOML document: ${template} (or ${failTemplate})`,
  block: "ATTP document",
  several: "send one document per answer",
  advice: {},
});

const zh = (language?: string): ExplainWording => ({
  template: `请只回答一个 TOML 文档：${template}（或 ${failTemplate}）`,
  block: "ATTP 文档",
  several: "每次回答只发送一个文档",
  advice: {
    "attp/missing-thought": "请把思考过程写在 [tool_call] 之前的 thought 中。",
    "attp/invalid-status": 'status 只能是 "success" 或 "fail"。',
    "attp/missing-status": '请写 status = "success" 或 status = "fail"。',
    "attp/missing-code": "status 为 success 时，code 必须包含程序。",
    "attp/missing-message": "status 为 fail 时，message 必须说明失败原因和替代方案。",
    "attp/invalid-type": "thought、status、target、code 和 message 必须是字符串。",
    "attp/inner-quotes": "code 的 ''' 之内又出现了 '''。代码中的文档字符串和多行字符串请用 \"\"\"。",
    "attp/raw-escapes": "\"\"\" 中的反斜杠是 TOML 转义。请把代码写在 ''' 与 ''' 之间，其中不做任何转义。",
    "attp/basic-string-code": "请把代码写在 ''' 与 ''' 之间，其中不做任何转义。",
    "attp/loose-string": "\" \" 中的字符串必须在一行之内，引号写作 \\\"。多行内容请用 '''。",
    "attp/missing-header": "请在 status 之前单独一行写 [tool_call]。",
    "attp/odd-delimiters": "键和值周围请使用半角引号、= 和空格。",
    "attp/loose-syntax": '请写 key = "value"：用引号和 =，注释用 #。',
    "attp/table-name": "表名是 [tool_call]，只出现一次。",
    "attp/late-thought": "thought 应在 [tool_call] 之前。",
    "attp/nested-fence": "代码直接写在 ''' 与 ''' 之间，不要再加代码围栏。",
    "attp/indented": "不要缩进整个文档。",
    "attp/dedented": "不要整体缩进代码。",
    "attp/invisible-characters": "代码两端的不可见字符已被去掉，请不要写它们。",
    "attp/json-document": "请写 TOML，而不是 JSON。",
    "attp/missing-target": "请在 target 中写明调用工具的目标。",
    "attp/missing-tool-call": "文档中必须有 [tool_call] 和 status。",
    "attp/foreign-closer": "代码末尾有另一种调用格式的结束标记；请去掉它们。",
    "attp/dressed-value": "值的两端有多余的引号、强调符号或不可见字符；请在引号之间只写值本身。",
    "attp/status-synonym": '请写 status = "fail"。',
    "attp/unused-code": "status 为 fail 时，code 不会执行。",
    "attp/unused-message": "status 为 success 时，message 不会使用。",
    "attp/duplicate-key": "同一个键只能出现一次。",
    "attp/syntax": "这不是有效的 TOML。",
    "attp/input-too-long": "回答过长，没有执行任何内容。请写得更短。",
    "attp/unclosed-fence": "请关闭你打开的代码围栏。",
    "attp/stray-text": "code 以单独一行的 ''' 结束，其后不要再写任何内容。",
    "attp/unread-document": "这里还有一个没有读取的文档。每次回答只发送一个文档。",
    "attp/truncated": "回答在字符串中间结束。请完整且更简短地重写。",
    ...(language === "javascript" && {
      "attp/inner-quotes": "code 的 ''' 之内又出现了 '''。代码中的三个连续单引号请写作 \"'\".repeat(3)。",
    }),
  },
});

/** The sentences of `explain` by language: made when they are asked for, so that bundles without `explain` drop them. */
export const explainWording: Record<Locale, (language?: string) => ExplainWording> = { en, zh };
