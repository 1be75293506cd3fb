import type { Locale } from "@toolglot/core";
import type { ExplainWording } from "@toolglot/core/explain";

/** Words of `explain` in one language. */
interface ToolsXmlWording extends ExplainWording {
  /** A block can run, and holds no call. */
  noCalls: string;
}

// No parts put together here: bundlers would keep them for those who only parse.
const en: ToolsXmlWording = {
  template: 'Write calls as one block: <tools><tool_name parameter="…">…</tool_name></tools>',
  block: "<tools> block",
  several: "put all calls into one block",
  noCalls: "Your <tools> block holds no call. Write a call in it, or answer without a block.",
  advice: {},
};

const zh: ToolsXmlWording = {
  template: '请把调用写在一个块中：<tools><tool_name parameter="…">…</tool_name></tools>',
  block: "<tools> 块",
  several: "请把所有调用写在一个块中",
  noCalls: "你的 <tools> 块中没有任何调用。请在其中写出调用，或者不写块、直接回答。",
  advice: {
    "toolsxml/truncated": "回答在块中间结束。请完整且更简短地重写，直到 </tools>。",
    "toolsxml/unclosed-tag": "请关闭这个标签。",
    "toolsxml/unclosed-cdata": "请用 ]]> 关闭 CDATA。",
    "toolsxml/doubtful-close": "无法确定正文由哪个闭合标签结束。正文含有自己的闭合标签时，请写在 <![CDATA[…]]> 中。",
    "toolsxml/foreign-closer":
      "文本末尾有另一种调用格式的结束标记。请去掉它们；如果它们属于文本，请把最后一个拆写在两个 CDATA 段中。",
    "toolsxml/stray-text": "标签之间的文字被忽略。<tools> 内只写标签和注释。",
    "toolsxml/stray-tag": "这个标签没有与之配对的标签，被忽略。",
    "toolsxml/duplicate-attribute": "同一个属性只能出现一次。",
    "toolsxml/bare-body": "请把参数写成属性或子标签。",
    "toolsxml/curly-quotes": '属性值请用 " 括起来。',
    "toolsxml/invisible-characters": "去掉了首尾的不可见字符。如果它们属于文本，请写在 <![CDATA[…]]> 中。",
    "toolsxml/dressed-value": "值带有引号、强调标记或首尾空白。请只写值本身；如果它们属于值，请写在 <![CDATA[…]]> 中。",
    "toolsxml/malformed-tag": '标签无法读取。属性请写成 name="value"；含有引号或标签的文本请写成子标签。',
    "toolsxml/unknown-tag": "没有这个工具。",
    "toolsxml/unknown-attribute": "没有这个属性，它不会使用。",
    "toolsxml/unknown-property": "工具没有声明这个参数。",
    "toolsxml/missing-attribute": "缺少必需的属性。",
    "toolsxml/invalid-attribute": "属性的值无法使用。",
    "toolsxml/missing-find": "<replace> 之前必须有 <find>。",
    "toolsxml/missing-replace": "<find> 之后必须有 <replace>。",
    "toolsxml/empty-body": "标签的内容不能为空。若要新建文件，请在 <find> 中写一个空的 CDATA 段。",
    "toolsxml/invalid-key": "没有这个控制字符。请写一个字母，或 [ \\ ] ^ _ 之一。",
    "toolsxml/invalid-json": "正文必须是一个 JSON 对象。",
    "toolsxml/invalid-value": "值不符合参数的类型。",
    "toolsxml/unexpected-body": "标签的内容不会使用。",
    "toolsxml/missing-root": "这个调用在 <tools> 之外，没有执行。请把所有调用写在一个 <tools> … </tools> 中。",
    "toolsxml/json-envelope": "回答不是一个有效的 JSON 外壳。请只写 <tools> 块，或有效的 JSON。",
    "toolsxml/input-too-long": "回答过长，没有执行任何内容。请写得更短。",
  },
};

/** The sentences of `explain` by language. */
export const explainWording: Record<Locale, ToolsXmlWording> = { en, zh };
