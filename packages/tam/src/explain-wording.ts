import type { Locale } from "@toolglot/core";
import type { ExplainWording } from "@toolglot/core/explain";

/** Words of `explain` in one language. */
interface TamWording extends ExplainWording {
  /** Stands before the findings. */
  notes: string;
}

/** A block of one step. */
export const template: string = `<|[REQUEST_TOOL]|>
command_1:»»»Tool.Name«««
parameter_1:»»»value«««
<|[END_TOOL]|>`;

const en: TamWording = {
  template: "Write one block, with as many steps as needed:",
  block: "TAM block",
  several: "put all steps into one block per answer",
  notes: "Notes on how your block was written:",
  advice: {},
};

const zh: TamWording = {
  template: "请只写一个块，按需包含多个步骤：",
  block: "TAM 块",
  several: "请把所有步骤写在同一个块中",
  notes: "关于你的块的写法：",
  advice: {
    "tam/alternate-delimiters-used": "请用标准分隔符书写每个值：key:»»»value«««。",
    "tam/mixed-delimiters-used": "请用标准分隔符书写每个值：key:»»»value«««。",
    "tam/unclosed-value": "每个值都要用 ««« 结束。",
    "tam/ambiguous-delimiter": "值中出现的结束分隔符应与开始分隔符数量相同。",
    "tam/unclosed-block": "请用单独一行 <|[END_TOOL]|> 结束块。",
    "tam/equals-separator": "键之后请写冒号，而不是等号。",
    "tam/stray-text": "字段之间的文字被跳过；注释请写在以 # 开头的行中。",
    "tam/commented-field": "键之前或字段周围有注释符号；不要执行的内容请直接省略，注释请写在以 # 开头的行中。",
    "tam/foreign-closer": "值的末尾有另一种调用格式的结束标记；请去掉它们。",
    "tam/dressed-value": "值的两端有引号、强调符号或不可见字符；请在 »»» 与 ««« 之间只写值本身。",
    "tam/invisible-characters": "值两端的不可见字符已被去掉，请不要写它们。",
    "tam/duplicate-key": "同一个键只写一次；以最后一次为准。",
    "tam/unknown-type-hint": "类型提示只能是 text、json、base64、number 或 boolean。",
    "tam/uneven-indent": "字段不要缩进；若要缩进，值的每一行都须与其字段缩进相同。",
    "tam/unopened-block": "块须以单独一行 <|[REQUEST_TOOL]|> 开始。",
    "tam/missing-command": "块中必须有 command:»»»工具名«««。",
    "tam/unassigned-field": "键名末尾必须是所属步骤的编号，例如 file_path_1。",
    "tam/invalid-retry": "retry 必须是 0 到 10 的整数。",
    "tam/invalid-on-error": "on_error 只能是 stop 或 continue。",
    "tam/invalid-hint-value": "值与它的类型提示不符。",
    "tam/unknown-tool": "没有这个工具。",
    "tam/unknown-parameter": "该工具没有这个参数。",
    "tam/ambiguous-parameter": "这个键可能指多个参数，请写出准确的名称。",
    "tam/input-too-long": "回答过长，没有执行任何内容。请写得更短。",
  },
};

/** The sentences of `explain` by language. */
export const explainWording: Record<Locale, TamWording> = { en, zh };
