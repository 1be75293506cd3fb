import type { Locale } from "@toolglot/core";

/** What the demo itself says, in one language. */
export interface Words {
  planner: string;
  replayOf: string;
  run(tool: string): string;
  runIt: string;
  once: string;
  sameCall: string;
  sameTool(tool: string): string;
  always(tool: string): string;
  no: string;
  later: string;
  keys: string;
  by: {
    person: string;
    flag: string;
    line: string;
    sameCall: string;
    sameTool(tool: string): string;
    always(tool: string): string;
  };
  why: { noTerminal: string; saidNo: string; cancelled: string; later: string };
  approved(by: string): string;
  denied(by: string, reason: string): string;
  cancelled: string;
  result: string;
  limit(name: string | undefined): string;
  sentBack(reason: string): string;
  waiting(seconds: number): string;
  again(reason: string): string;
  dataMade(folder: string): string;
  undo: string;
  confined: string;
  notConfined(why: string | undefined): string;
  changed: string;
  programs: {
    waits(names: string): string;
    none: string;
    several: string;
    live(id: string): string;
    elsewhere(router: string | undefined): string;
  };
  valueNeeded(name: string): string;
  value: Readonly<Record<"given" | "kept" | "known" | "cancelled" | "aborted", string>>;
  keptIn(store: string): string;
  holdsValue(names: readonly string[]): string;
  tourServer(url: string, token: string | undefined): string;
  model: {
    /** Before what the server said. */
    colon: string;
    later: string;
    keyFrom(variable: string): string;
    noKey(variable: string): string;
    /** Which models there are, where there is none of the name. */
    there(near: string | undefined, models: string): string;
    /** What a provider's failure is, by its code; the error says it in English. */
    failures: Readonly<Record<string, (facts: ModelFacts) => string>>;
  };
}

/** What is known of a provider's failure. */
interface ModelFacts {
  /** As the person named it. */
  model?: string;
  url?: string;
  status?: number;
  ms?: number;
  phase?: string;
}

const en: Words = {
  planner: "rule-based planner, no language model",
  replayOf: "replay of",
  run: (tool) => `Run ${tool}?`,
  runIt: "Run it?",
  once: "Yes, once",
  sameCall: "Yes, and for this same call until the demo ends",
  sameTool: (tool) => `Yes, and for every call of ${tool} until the demo ends`,
  always: (tool) => `Yes, and for every call of ${tool} always (npm run demo -- config forget ${tool} takes it back)`,
  no: "No",
  later: "Not now: the program waits, and goes on when you resume it",
  keys: "↑/↓ to choose, Enter confirms",
  by: {
    person: "you",
    flag: "--yes",
    line: "the command line",
    sameCall: "you, for this call until the demo ends",
    sameTool: (tool) => `you, for ${tool} until the demo ends`,
    always: (tool) => `you, for ${tool} always`,
  },
  why: {
    noTerminal: "no terminal to ask at; --yes approves without asking",
    saidNo: "you said no",
    cancelled: "cancelled",
    later: "not now; the program waits",
  },
  approved: (by) => `approved${by && ` by ${by}`}`,
  denied: (by, reason) => `denied${by && ` by ${by}`}${reason && `: ${reason}`}`,
  cancelled: "cancelled",
  result: "result",
  limit: (name) => `stopped: the limit of ${name} is reached`,
  sentBack: (reason) => `sent back to the model (${reason})`,
  waiting: (seconds) => `waiting for the model, ${seconds} s`,
  again: (reason) => `asking the model once more: ${reason}`,
  dataMade: (folder) => `Data made in ${folder}`,
  undo: "npm run demo -- undo takes the last change in the project back.",
  confined: "Commands are confined (bwrap): they can write to the project only, and there is no network.",
  notConfined: (why) => `Commands are not confined${why ? `. ${why}` : " (--sandbox off)."}`,
  changed: "The project has changes from before; --reset makes it anew, and undo takes the last one back.",
  programs: {
    waits: (names) =>
      `The program waits for your approval of ${names}; nothing is lost when you leave. Approve, then go on:`,
    none: "No program waits.",
    several: "Several programs wait; say which one: npm run demo -- resume ID",
    live: (id) => `The program ${id} is going on in another process, or has just lost it: try again in 15 seconds.`,
    elsewhere: (router) =>
      router === undefined
        ? "The program began with the router in the process: resume it without --router."
        : `The program began with another router: resume it with --router ${router}`,
  },
  valueNeeded: (name) => `waiting for the value of ${name}`,
  value: {
    given: "given, for this session",
    kept: "given, and kept",
    known: "the known one is used",
    cancelled: "no value was given",
    aborted: "cancelled",
  },
  keptIn: (store) =>
    `The value is kept in ${store === "keychain" ? "the system's keychain" : "an encrypted file"}; npm run demo -- var list shows what is kept.`,
  holdsValue: (names) =>
    `What you typed holds the value of ${names.join(", ")}, and goes to the model as it is. Write $KARYI{NAME} instead.`,
  tourServer: (url, token) =>
    token === undefined
      ? `${url} wants a token. Nobody is at a terminal, so the tour gives it itself, for this session.`
      : `${url} wants the token ${token}. Type it when you are asked for it, then s; it is not shown.`,
  model: {
    colon: ": ",
    later: "A model that is still being loaded may need longer: --timeout SECONDS.",
    keyFrom: (variable) => `The key came from ${variable}.`,
    noKey: (variable) => `No key was sent: set it in ${variable}.`,
    there: (near, models) => `${near === undefined ? "" : `Did you mean ${near}? `}The server has: ${models}.`,
    failures: {
      "model-not-found": ({ url, model }) => `The provider at ${url} does not know the model ${model}`,
    },
  },
};

const zh: Words = {
  planner: "基于规则的规划器，不是语言模型",
  replayOf: "重放",
  run: (tool) => `执行 ${tool}？`,
  runIt: "要执行吗？",
  once: "是，仅此一次",
  sameCall: "是，本次演示结束前同样的调用都允许",
  sameTool: (tool) => `是，本次演示结束前 ${tool} 的调用都允许`,
  always: (tool) => `是，以后 ${tool} 的调用一直允许（npm run demo -- config forget ${tool} 可收回）`,
  no: "否",
  later: "暂不决定：程序等待，之后可以继续",
  keys: "↑/↓ 选择，回车确认",
  by: {
    person: "你",
    flag: "--yes",
    line: "命令行",
    sameCall: "你（本次演示内同样的调用）",
    sameTool: (tool) => `你（本次演示内的 ${tool}）`,
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
  undo: "npm run demo -- undo 可以撤销项目里的最近一次修改。",
  confined: "命令在隔离环境（bwrap）中运行：只能写入项目目录，没有网络。",
  notConfined: (why) => `命令没有隔离${why ? `：${why}` : "（--sandbox off）。"}`,
  changed: "项目里还有以前的修改；--reset 重新生成项目，undo 撤销最近一次修改。",
  programs: {
    waits: (names) => `程序在等你批准 ${names}，退出也不会丢失任何内容。先批准，再继续：`,
    none: "没有等待中的程序。",
    several: "有多个程序在等待，请指明一个：npm run demo -- resume ID",
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
  keptIn: (store) =>
    `值保存在${store === "keychain" ? "系统钥匙串" : "加密文件"}中；npm run demo -- var list 列出保存的值。`,
  holdsValue: (names) => `你输入的内容里有 ${names.join("、")} 的值，会原样发给模型。请改写成 $KARYI{名称}。`,
  tourServer: (url, token) =>
    token === undefined
      ? `${url} 需要令牌。没有终端，由演示自己提供，仅限本次会话。`
      : `${url} 需要令牌 ${token}。被询问时输入它，再按 s；输入不会显示。`,
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
  },
};

/** What the demo says in a language; English unless `--lang` says otherwise. */
export const wordsFor = (locale: Locale | undefined): Words => (locale === "zh" ? zh : en);
