import type { Locale } from "@toolglot/core";

/** The manual of a built-in tag, and a call as it stands in a block. A `?` marks what may be left out. */
export type BuiltInTag = Record<Locale | "example", string>;

/** The built-in tags of the specification, by name. */
export const builtInTags: ReadonlyMap<string, BuiltInTag> = new Map([
  [
    "command",
    {
      en: "Raw body: a shell script, run in the session's terminal, whose state lasts. Attributes: timeout? (seconds), cwd?",
      zh: "原样正文：在会话终端中执行的 shell 脚本，终端状态会保留。属性：timeout?（秒）、cwd?",
      example: `  <command>
    npm install && npm run build
    ls dist
  </command>`,
    },
  ],
  [
    "edit",
    {
      en: 'Each <file src encoding?> has pairs of <find> and <replace> (raw bodies), applied in order. A <find> must occur exactly once, or have all="true"; else nothing is changed. <find><![CDATA[]]></find> makes a new file.',
      zh: '每个 <file src encoding?> 内是成对的 <find> 和 <replace>（原样正文），按顺序执行。<find> 必须恰好出现一次，或带 all="true"；否则不做任何修改。<find><![CDATA[]]></find> 表示新建文件。',
      example: `  <edit>
    <file src="README.md">
      <find>Project Alpha</find>
      <replace>Project Karyi</replace>
      <find>a private project</find>
      <replace>an open-source project</replace>
    </file>
  </edit>`,
    },
  ],
  [
    "read",
    {
      en: "<file src from? to? encoding?>: a file (line numbers) or directory; <search pattern src? glob?>: a text search.",
      zh: "<file src from? to? encoding?>：文件（行号）或目录；<search pattern src? glob?>：搜索文本。",
      example: `  <read>
    <file src="src/"/>
    <file src="src/main.ts" from="1" to="80"/>
  </read>`,
    },
  ],
  [
    "get_value",
    {
      en: "Asks the user for a secret. Attributes: key, reason (told to the user), note? From the next turn on, $KARYI{key} stands for it.",
      zh: "请求用户交付安全变量。属性：key、reason（向用户解释）、note? 从下一轮起用 $KARYI{key} 引用它。",
      example: `  <get_value key="NPM_TOKEN" reason="To publish the package"/>`,
    },
  ],
  [
    "input",
    {
      en: "Raw body: text for the running command's standard input. Nothing is added: \\n is Enter.",
      zh: "原样正文：写入正在运行的命令的标准输入。不会自动附加换行符：\\n 是回车。",
      example: "  <input>y\\n</input>",
    },
  ],
  [
    "ctrl",
    {
      en: "Body: the control character to send. c stops the running command.",
      zh: "正文：要发送的控制字符。c 终止正在运行的命令。",
      example: "  <ctrl>c</ctrl>",
    },
  ],
  [
    "mcp",
    {
      en: "Attributes: server, tool. Raw body: the tool's arguments as a JSON object.",
      zh: "属性：server、tool。原样正文：工具的参数，一个 JSON 对象。",
      example: `  <mcp server="github" tool="create_issue">{"title": "Fix the build"}</mcp>`,
    },
  ],
]);
