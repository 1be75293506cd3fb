import type { Words } from "./en.ts";

/** Everything that the command line says in Chinese. `cli` is how the person calls it. */
export const zh = (cli: string): Words => ({
  replayOf: "重放",
  run: (tool) => `执行 ${tool}？`,
  runIt: "要执行吗？",
  once: "是，仅此一次",
  sameCall: "是，本次结束前同样的调用都允许",
  sameTool: (tool) => `是，本次结束前 ${tool} 的调用都允许`,
  always: (tool) => `是，以后 ${tool} 的调用一直允许（${cli} config forget ${tool} 可收回）`,
  no: "否",
  later: "暂不决定：程序等待，之后可以继续",
  keys: "↑/↓ 选择，回车确认",
  by: {
    person: "你",
    flag: "--yes",
    line: "命令行",
    sameCall: "你（本次运行内同样的调用）",
    sameTool: (tool) => `你（本次运行内的 ${tool}）`,
    always: (tool) => `你（一直允许 ${tool}）`,
  },
  why: {
    noTerminal: "没有可以询问的终端；--yes 表示不询问直接批准",
    saidNo: "你选择了否",
    cancelled: "已取消",
    later: "暂不决定，程序等待",
  },
  approved: (by) => `已批准${by && `，批准者：${by}`}`,
  denied: (by, reason) => `已拒绝${by && `，拒绝者：${by}`}${reason && `，原因：${reason}`}`,
  cancelled: "已取消",
  result: "结果",
  limit: (name) => `已停止：达到 ${name} 的上限`,
  sentBack: (reason) => `退回给模型（${reason}）`,
  waiting: (seconds) => `正在等待模型，${seconds} 秒`,
  again: (reason) => `再次请求模型：${reason}`,
  dataMade: (folder) => `数据已生成在 ${folder}`,
  undo: `${cli} undo 可以撤销项目里的最近一次修改。`,
  confined: "命令在隔离环境（bwrap）中运行：只能写入项目目录，没有网络。",
  notConfined: (why) => `命令没有隔离${why ? `：${why}` : "（--sandbox off）。"}`,
  changed: "项目里还有以前的修改；--reset 重新生成项目，undo 撤销最近一次修改。",
  project: {
    ask: (folder) => `允许模型读取和修改 ${folder} 里的文件吗？运行命令之前会先询问。`,
    always: "允许，以后也允许",
    once: "允许，仅限这一次",
    no: "不允许：模型看不到这个目录",
    absent: (folder) => `模型不能访问 ${folder}：请在终端里于该目录启动一次 ${cli} 并同意，或使用 --project 目录。`,
    unnamed: (folder) => `只有用 --project 指明时，模型才会在 ${folder} 里工作。`,
    cut: (file, size) => `${file} 太长：只把前 ${size} 个字符交给模型。`,
  },
  programs: {
    waits: (names) => `程序在等你批准 ${names}，退出也不会丢失任何内容。先批准，再继续：`,
    none: "没有等待中的程序。",
    several: `有多个程序在等待，请指明一个：${cli} resume ID`,
    live: (id) => `程序 ${id} 正在另一个进程中运行，或者那个进程刚刚中断：请 15 秒后再试。`,
    elsewhere: (router) =>
      router === undefined
        ? "该程序使用的是进程内的路由器：请不带 --router 继续。"
        : `该程序使用的是另一个路由器：请加上 --router ${router}`,
  },
  valueNeeded: (name) => `等待输入 ${name} 的值`,
  value: {
    given: "已提供，仅限本次会话",
    kept: "已提供并保存",
    known: "使用已有的值",
    cancelled: "没有提供值",
    aborted: "已取消",
  },
  keptIn: (store) => `值保存在${store === "keychain" ? "系统钥匙串" : "加密文件"}中；${cli} var list 列出保存的值。`,
  holdsValue: (names) => `你输入的内容里有 ${names.join("、")} 的值，会原样发给模型。请改写成 $KARYI{名称}。`,
  sessions: {
    removes: (name) => `${cli} sessions rm ${name} 可将它删除。`,
    noneHere: (folder) => `${folder} 里还没有保存过对话，--continue 无从继续。`,
  },
  model: {
    colon: "：",
    later: "仍在加载的模型可能需要更久：--timeout 秒数。",
    keyFrom: (variable) => `密钥来自 ${variable}。`,
    noKey: (variable) => `没有发送密钥：请设置 ${variable}。`,
    there: (near, models) => `${near === undefined ? "" : `是不是 ${near}？`}服务器上有：${models}。`,
    failures: {
      "model-unauthorised": ({ status, url }) => `提供方拒绝了密钥（${status}，${url}）`,
      "model-rate-limited": () => "提供方繁忙或额度已用完（429）",
      "model-unreachable": ({ url }) => `${url} 没有应答`,
      "model-not-found": ({ url, model }) => `${url} 的提供方没有模型 ${model}`,
      "model-address": ({ status, url }) => `${url} 的应答是 ${status}：请检查 --base-url，它通常以 /v1 结尾`,
      "context-overflow": () => "请求超出了模型的上下文长度",
      "model-failed": ({ status, url }) =>
        url === undefined ? "模型的回答中断了" : `提供方对 ${url} 的应答是 ${status}`,
      "model-stalled": ({ phase, ms = 0 }) =>
        phase === "first" ? `模型在 ${ms / 1000} 秒内没有应答。` : `模型开始回答后，有 ${ms / 1000} 秒没有任何内容。`,
    },
    none: (config) => `还没有配置模型。下面任何一种写法都可以：

  ${cli} --model ollama:qwen3 "你好"                      本机上的服务器
  ${cli} --model 名称 --base-url https://主机/v1 "你好"   任何兼容 OpenAI 的接口，密钥在 OPENAI_API_KEY
  ${cli} --model anthropic:claude-sonnet-4-5 "你好"       已知的提供方，密钥在 ANTHROPIC_API_KEY

密钥取自环境变量，或当前目录的 .env 文件（OPENAI_API_KEY=…）。${cli} models 列出各提供方、密钥的变量名，
以及本机服务器提供的模型。要固定使用一个模型，请写入 ${config}：

  model = "mine"

  [models.mine]
  provider = "work"                     # 或已知的提供方，如 "openai"
  id = "模型在那里的名称"

  [providers.work]                      # 不在已知之列的服务器
  baseUrl = "https://models.example.com/v1"
  keyVariable = "WORK_KEY"              # 变量的名称，不是密钥本身`,
  },
  piped: {
    none: "没有问题：请写在选项之后，或从标准输入传入。",
    noText: "标准输入里的问题不是文本（UTF-8）。",
    ownModel: (name) => `${name}不读取文件和标准输入：请去掉它，或用 --model 名称 询问真实模型。`,
    open: (seconds) => `标准输入一直打开，${seconds} 秒内没有内容：问题不带它发出。`,
  },
  chat: {
    hint: "可用中文或英文提问。/help 显示这里能做什么，/exit 退出，Ctrl-C 取消正在进行的回答。",
    tourHint: "什么都不输入直接按回车，开始两分钟的演示。",
    you: "你",
    leaving: ["退出", "再见"],
    unknown: (name) => `没有 ${name} 这个命令，/help 显示可用的命令。`,
    commands: {
      help: ["", "这里能做什么"],
      tour: ["", "两分钟的演示"],
      tools: ["", "模型可用的工具"],
      model: ["[名称]", "显示模型和服务器提供的模型，或更换模型"],
      protocol: ["[名称]", "显示或更换模型调用工具的格式"],
      system: ["[文字|@文件|off]", "给模型的附加指令"],
      attach: ["文件…", "随下一个问题发送的文件和图片；也可在问题里写 @文件"],
      usage: ["", "本次对话的词元和费用"],
      undo: ["", "收回上一个问题及其回答"],
      clear: ["", "重新开始：模型忘记之前说过的内容"],
      session: ["[名称|off]", "这次对话保存了什么；继续另一个会话，或保存这一个"],
      save: ["文件", "把对话写入文件：Markdown，或按文件名写 JSON"],
      resume: ["[ID]", "继续等待中的程序"],
      exit: ["", "退出"],
    },
    keys: '行末的反斜杠表示下一行继续；""" 到下一个 """ 之间可写多行。\n上下键：以前输入过的内容。Tab 补全命令和 @文件。其他内容都发给模型。',
    model: (label) => `当前模型：${label}。`,
    models: (names) => `已配置：${names}。其他写作 提供方:名称；${cli} models 列出全部。`,
    offered: (url, names) => `${url} 的服务器提供：${names}。`,
    notOffered: (url, problem) => `无法得知 ${url} 的服务器提供哪些模型：${problem}。`,
    protocol: (name) => `当前格式：${name}。`,
    there: (names) => `可选：${names}。`,
    system: (text) => (text === undefined ? "没有附加指令。" : `附加指令：\n${text}`),
    undone: (question) => `已收回：${question}`,
    changedFiles: `已经做过的事不会撤销。${cli} undo 可以撤销文件的修改。`,
    nothingToUndo: "还没有提过问题。",
    cleared: "模型不再知道之前说过的内容。",
    clearKept: (name) =>
      `会话 ${name} 保存着说过的内容：/session off 离开它，/undo 收回一个问题，${cli} sessions rm ${name} 全部删除。`,
    saved: (file) => `已写入 ${file}。`,
    saveWhere: "/save 文件，例如 /save talk.md",
    attached: (names) => `随下一个问题发送：${names}`,
    attachWhat: "/attach 文件，例如 /attach plan.png",
    noFiles: (model) => `${model}不读文件：请用 /model 名称 或 --model 选择模型。`,
    noFile: (path) => `没有文件 ${path}；@${path} 按原样发送。`,
    session: (name, questions) =>
      `会话 ${name} 保存着这次对话，共 ${questions} 个问题。--session ${name} 可以继续；${cli} sessions list 列出全部。`,
    noSession: "这次对话没有保存。/session 名称 可以保存，以后用 --session 名称 继续。",
    usage: (questions, turns) => `${questions} 个问题，模型回答 ${turns} 次`,
    usageOf: (read, cached, written, costs) =>
      [`输入 ${read} 词元${cached === undefined ? "" : `（缓存 ${cached}）`}`, `输出 ${written}`, ...costs].join(" · "),
    notCounted: "没有词元计数",
    asksFirst: "先询问",
    allowed: "一直允许",
  },
  values: {
    misplaced:
      "`set` 之后是名称和选项；值在提示处输入，或由标准输入给出。如果那就是值：请到它有效的地方更换，因为它已经出现在进程列表和 shell 历史记录中。",
    badName: "名称由 1 到 64 个字母、数字和 _ 组成，且不能以数字开头。",
    askValue: (name) => `${name} 的值（不显示）`,
    noTerminal: "没有终端可以询问：请由标准输入给出值。",
    empty: "值是空的。",
    nul: "值含有 NUL 字符，shell 无法保存。",
    tooLong: "值超过 64 KiB。",
    notText: "值不是 UTF-8 文本。",
    place: { keychain: "系统钥匙串", file: "用户数据中的加密文件 toolglot/secrets.json" },
    kept: (name, isForAll, place) => `${name} 已为${isForAll ? "所有项目" : "本项目"}保存在${place}中。`,
    allProjects: "所有项目",
    storeIs: (place) => `在${place}中：`,
    noValues: "没有保存任何值。",
    unknown: (name, place) => `${place}中没有名为 ${name} 的值。`,
    forgotten: (name, place) => `${name} 已从${place}中删除。`,
    emptied: (changes, copies) =>
      `已清空：${changes} 项更改（不能再撤销）和 ${copies} 份受保护文件的副本。项目中含有该值的文件没有改变。`,
    passphrase: (path, isAgain) => `${isAgain ? "口令不对。" : ""}${path} 的口令`,
    newPassphrase: (path, isAgain) =>
      `${isAgain ? "需要至少 8 个字符，两次相同。" : ""}为 ${path} 设置新口令（至少 8 个字符）`,
    sameAgain: "再输入一次同样的口令",
  },
  flags: {
    titles: { usage: "用法：", arguments: "参数：", options: "选项：" },
    question: "只问一次就退出；不写则进入对话",
    protocol: "模型用什么格式调用工具；dialect 还会找出开源模型写进正文的调用",
    lang: "提示词和程序自身的语言（默认：提示词随问题，其余为英文）",
    mode: "loop：结果交回模型直到它回答；single：只有一段程序",
    model: "配置里的名称、提供方:名称，或任意名称加 --base-url；见 models --help",
    baseUrl: "兼容 OpenAI 的接口地址，如 http://localhost:11434/v1",
    timeout: "模型最长可以沉默多少秒：第一个字节之前，以及两个字节之间（默认：30）",
    project: "模型工作的目录（默认：当前目录，经你同意之后）",
    noProject: "模型不在任何目录里工作",
    continue: "继续这个目录里的上一次对话",
    session: "以一个名称保存对话和程序的变量；见 sessions --help",
    noKeep: "不保存这次对话",
    system: "给模型的附加指令；@文件 表示取自文件",
    attach: "随问题发送的文件或图片，可写多次；也可在问题里写 @文件",
    maxTurns: "每个问题最多几次模型回答（默认：16）",
    maxTokens: "每个问题最多用多少词元，输入输出合计",
    maxSeconds: "每个问题最多多少秒，等你回答的时间不算",
    maxCost: "每个问题最多花多少钱，按配置里该模型的价格",
    tools: "导出自有工具的模块，可写多次",
    mcp: 'MCP 服务器文件 { "mcpServers": … }，可写多次',
    config: "用这个配置文件代替当前目录的；见 config --help",
    noConfig: "不读取配置文件和 .env",
    record: "把运行过程写入文件",
    replay: "重放记录下来的运行；不调用模型和工具",
    resume: `继续代码模式下等待中的程序，也可写 ${cli} resume [ID]`,
    json: "标准输出只有 NDJSON 格式的事件",
    plain: "按原样显示 Markdown",
    showPrompt: "显示发给模型的内容；单独使用时只显示提示词",
    yes: "不询问，批准所有调用",
    sandbox: "隔离项目里的命令：bwrap 或 off（默认：可用时为 bwrap）",
    dataDir: "对话、程序和路由器存储所在的目录",
    router: "配合 trp、trp-code、trp-code-js：使用 http:// 或 ws:// 上正在运行的路由器，而不是进程内的",
    token: "代理在该路由器上的身份令牌",
    tour: (model) => `用${model}两分钟走遍所有协议，也可写 ${cli} tour`,
    messy: (model) => `${model}轮流犯模型常犯的格式错误`,
    slip: (model) => `${model}犯这一种错误`,
    reset: "重新生成数据",
    version: "显示版本",
    help: "显示本帮助",
  },
  help: {
    before:
      "与在当前目录里工作的语言模型对话：它读取和修改文件，经你允许后运行命令，并调用你自己的工具。支持任何兼容 OpenAI 的服务器，以及 Anthropic。",
    examples: `
命令：
  ${cli} models                              配置了哪些模型，各提供方的服务器有哪些模型
  ${cli} config                              当前的设置及其来源；config forget 名称
  ${cli} tools list                          另有 tools call 名称 '{"键": "值"}'
  ${cli} undo                                撤销这个目录里的最近一次文件修改；undo --list
  ${cli} sessions list                       另有 sessions show 名称、sessions undo 名称、sessions rm 名称
  ${cli} var set NPM_TOKEN                   保存模型可以使用但看不到的值；var list、var rm 名称
  ${cli} parse --protocol toolsxml < 文件    解析器如何理解模型的一段文本
  ${cli} scan                                在 Claude Code、Codex、Gemini CLI 等的日志里查找损坏的调用
  ${cli} check CALL.json --tools 文件        一个调用是否损坏
  ${cli} router --tools ./my-tools.mjs       通过 HTTP 和 WebSocket 向代理提供工具
  ${cli} gateway --config toolglot.json      在 MCP 服务器和客户端之间加上策略和审批；gateway --help
  ${cli} approvals list                      另有 approvals approve ID、approvals deny ID
  ${cli} audit verify                        另有 audit list
  ${cli} resume                              继续等待批准的程序

示例：
  ${cli} --model ollama:qwen3                对话
  ${cli} "构建为什么失败？"                    只问一次
  git diff | ${cli} "审查一下"               管道传入的内容随问题发送，没有问题时就是问题
  ${cli} --continue "再写一份英文的"           继续这个目录里的上一次对话
  ${cli} --json "列出所有 TODO" | jq .type`,
    codes: `
退出码（各种协议相同）：
  0  已回答                           4    有调用需要批准而被拒绝
  1  出错                             5    达到上限
  2  命令行写错了                     6    程序在等待批准，见 resume
  3  拒绝回答（仅限协议有             7    没有配置模型
     相应文档时）                     130  用 Ctrl-C 取消（两次：立即退出）

没有终端时无法询问，一律视为拒绝，除非加上 --yes；经路由器的程序（trp-code、trp-code-js）则会等待。对话中 /help 显示可用的命令。

配置：~/.config/toolglot 里的 config.toml 或 config.json，其次是当前目录的 toolglot.toml 或 toolglot.json（或 --config 文件）；
命令行参数优先。当前目录的 AGENTS.md 会交给模型。密钥也可写在当前目录的 .env。

环境变量：各提供方的密钥（models 会列出名称）、OPENAI_API_KEY（也会发给 --base-url）、NO_COLOR、XDG_CONFIG_HOME、
XDG_DATA_HOME；路由器另有 TRP_HOST、TRP_PORT、TRP_TOKENS、TRP_APPROVAL_HMAC_SECRET、TRP_DATA_DIR。`,
    more: (command) => `${command} --help 显示所有选项。`,
    meant: (word, near) => `${cli} 没有命令 ${word}。你是想用 ${near} 吗？要把它作为问题发给模型：${cli} -- ${word}`,
  },
});
