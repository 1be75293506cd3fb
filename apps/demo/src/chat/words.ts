import type { Locale } from "@toolglot/core";
import type { CommandName } from "./commands.ts";

/** What the chat itself says, in one language. */
export interface ChatWords {
  hint: string;
  tourHint: string;
  you: string;
  leaving: readonly string[];
  unknown(name: string): string;
  /** Each command, with what it takes, and what it does. */
  commands: Readonly<Record<CommandName, readonly [takes: string, does: string]>>;
  keys: string;
  model(label: string): string;
  models(names: string): string;
  protocol(name: string): string;
  protocols(names: string): string;
  system(text: string | undefined): string;
  undone(question: string): string;
  changedFiles: string;
  nothingToUndo: string;
  cleared: string;
  clearKept(name: string): string;
  saved(file: string): string;
  saveWhere: string;
  attached(names: string): string;
  attachWhat: string;
  noFiles: string;
  noFile(path: string): string;
  session(name: string, questions: number): string;
  noSession: string;
  sessions(names: string): string;
  usage(questions: number, turns: number): string;
  usageOf(read: string, cached: string | undefined, written: string, costs: readonly string[]): string;
  notCounted: string;
  asksFirst: string;
  allowed: string;
}

const en: ChatWords = {
  hint: "Ask in English or Chinese. /help shows what works here, /exit leaves, Ctrl-C cancels an answer.",
  tourHint: "Enter, with nothing typed, starts a tour of two minutes.",
  you: "You",
  leaving: ["exit", "quit", "bye"],
  unknown: (name) => `There is no command ${name}; /help shows those there are.`,
  commands: {
    help: ["", "what works here"],
    tour: ["", "a tour of two minutes"],
    tools: ["", "the tools that the model has"],
    model: ["[NAME]", "the model, or another one; planner: none"],
    protocol: ["[NAME]", "how the model asks for tools, or another way"],
    system: ["[TEXT|@FILE|off]", "your own instructions for the model"],
    attach: ["FILE…", "files and images for the next question; in a question: @FILE"],
    usage: ["", "tokens and money of this chat"],
    undo: ["", "takes back the last question and its answer"],
    clear: ["", "begins anew: the model forgets what was said"],
    session: ["[NAME|off]", "what is kept of this conversation; goes on with another, or keeps this one"],
    save: ["FILE", "writes the conversation: Markdown, or JSON by its name"],
    resume: ["[ID]", "goes on with a program that waits"],
    exit: ["", "leaves"],
  },
  keys: 'A backslash at the end of a line goes on in the next one, and so does """ until the next """.\nUp and down: what you typed before. Tab completes commands and @files. Anything else goes to the model.',
  model: (label) => `The model is ${label}.`,
  models: (names) => `Configured: ${names}. Others are PROVIDER:NAME; npm run demo -- models lists them.`,
  protocol: (name) => `The protocol is ${name}.`,
  protocols: (names) => `There are ${names}.`,
  system: (text) => (text === undefined ? "There are no instructions of your own." : `Your instructions:\n${text}`),
  undone: (question) => `Taken back: ${question}`,
  changedFiles: "What was done stays done. npm run demo -- undo takes back changes of files.",
  nothingToUndo: "Nothing was asked yet.",
  cleared: "The model knows nothing of what was said before.",
  clearKept: (name) =>
    `The session ${name} keeps what was said: /session off leaves it, /undo takes back a question, npm run demo -- sessions rm ${name} all.`,
  saved: (file) => `Written to ${file}.`,
  saveWhere: "/save FILE, as /save talk.md",
  attached: (names) => `With the next question: ${names}`,
  attachWhat: "/attach FILE, as /attach plan.png",
  noFiles: "The planner reads no files: choose a model, with /model NAME or --model.",
  noFile: (path) => `There is no file ${path}; @${path} stays as you typed it.`,
  session: (name, questions) =>
    `The session ${name} keeps this conversation: ${questions} ${questions === 1 ? "question" : "questions"}. --session ${name} goes on with it, and npm run demo -- sessions list shows all.`,
  noSession: "This conversation is not kept. /session NAME keeps it, and --session NAME goes on with it later.",
  sessions: (names) => `There are ${names}.`,
  usage: (questions, turns) =>
    `${questions} ${questions === 1 ? "question" : "questions"}, ${turns} ${turns === 1 ? "answer" : "answers"} of the model`,
  usageOf: (read, cached, written, costs) =>
    [
      `${read} tokens read${cached === undefined ? "" : ` (${cached} from the cache)`}`,
      `${written} written`,
      ...costs,
    ].join(" · "),
  notCounted: "no tokens were counted",
  asksFirst: "asks first",
  allowed: "always allowed",
};

const zh: ChatWords = {
  hint: "可用中文或英文提问。/help 显示这里能做什么，/exit 退出，Ctrl-C 取消正在进行的回答。",
  tourHint: "什么都不输入直接按回车，开始两分钟的演示。",
  you: "你",
  leaving: ["退出", "再见"],
  unknown: (name) => `没有 ${name} 这个命令，/help 显示可用的命令。`,
  commands: {
    help: ["", "这里能做什么"],
    tour: ["", "两分钟的演示"],
    tools: ["", "模型可用的工具"],
    model: ["[名称]", "显示或更换模型；planner 表示不用模型"],
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
  models: (names) => `已配置：${names}。其他写作 提供方:名称；npm run demo -- models 列出全部。`,
  protocol: (name) => `当前格式：${name}。`,
  protocols: (names) => `可选：${names}。`,
  system: (text) => (text === undefined ? "没有附加指令。" : `附加指令：\n${text}`),
  undone: (question) => `已收回：${question}`,
  changedFiles: "已经做过的事不会撤销。npm run demo -- undo 可以撤销文件的修改。",
  nothingToUndo: "还没有提过问题。",
  cleared: "模型不再知道之前说过的内容。",
  clearKept: (name) =>
    `会话 ${name} 保存着说过的内容：/session off 离开它，/undo 收回一个问题，npm run demo -- sessions rm ${name} 全部删除。`,
  saved: (file) => `已写入 ${file}。`,
  saveWhere: "/save 文件，例如 /save talk.md",
  attached: (names) => `随下一个问题发送：${names}`,
  attachWhat: "/attach 文件，例如 /attach plan.png",
  noFiles: "规划器不读文件：请用 /model 名称 或 --model 选择模型。",
  noFile: (path) => `没有文件 ${path}；@${path} 按原样发送。`,
  session: (name, questions) =>
    `会话 ${name} 保存着这次对话，共 ${questions} 个问题。--session ${name} 可以继续；npm run demo -- sessions list 列出全部。`,
  noSession: "这次对话没有保存。/session 名称 可以保存，以后用 --session 名称 继续。",
  sessions: (names) => `已有 ${names}。`,
  usage: (questions, turns) => `${questions} 个问题，模型回答 ${turns} 次`,
  usageOf: (read, cached, written, costs) =>
    [`输入 ${read} 词元${cached === undefined ? "" : `（缓存 ${cached}）`}`, `输出 ${written}`, ...costs].join(" · "),
  notCounted: "没有词元计数",
  asksFirst: "先询问",
  allowed: "一直允许",
};

/** What the chat says in a language; English unless `--lang` says otherwise. */
export const chatWords = (locale: Locale | undefined): ChatWords => (locale === "zh" ? zh : en);
