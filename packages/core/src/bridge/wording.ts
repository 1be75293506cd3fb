import type { Locale } from "../protocol.ts";

/** Messages of the bridge itself to the model. The rest comes from the protocol's `explain` and `formatResults`. */
const en = {
  required: "This time, make a call: an answer without one is not accepted.",
  requiredProgram: "This time, answer with a program: an answer without one is not accepted.",
  requiredTool: (tool: string) => `This time, call the tool ${tool}: an answer without that call is not accepted.`,
  unreadable: "This could not be read, so nothing of it was run. Write it again in the required format.",
  unknownTool: (tool: string, tools: readonly string[]) =>
    `There is no tool ${JSON.stringify(tool)}. ${tools.length > 0 ? `The tools are: ${tools.join(", ")}.` : "There are no tools."}`,
  held: (findings: readonly string[]) =>
    `The call was not made: it had to be repaired to be read, which may have changed a value. Write it again so that it needs no repair: ${findings.join(" ")}`,
  reference: (names: readonly string[]) =>
    `The call was not made: ${names.map((name) => `uri_${name}`).join(", ")} can't be given as a reference here. Write the value itself.`,
  mismatch: "The call was not made: an argument that is declared as text was given as something else, or twice.",
  stopped: "The call was not made, because one before it in the same plan was not.",
};

export type BridgeWording = typeof en;

const zh: BridgeWording = {
  required: "这一次必须发起调用：不含调用的回答不会被接受。",
  requiredProgram: "这一次必须用程序作答：不含程序的回答不会被接受。",
  requiredTool: (tool) => `这一次必须调用工具 ${tool}：不含该调用的回答不会被接受。`,
  unreadable: "这段内容无法解析，因此没有执行任何内容。请按要求的格式重写。",
  unknownTool: (tool, tools) =>
    `没有名为 ${JSON.stringify(tool)} 的工具。${tools.length > 0 ? `可用工具：${tools.join("、")}。` : "没有任何工具。"}`,
  held: (findings) =>
    `该调用没有执行：它必须修复后才能读取，其中某个值可能因此改变。请重写，使其无需修复：${findings.join(" ")}`,
  reference: (names) =>
    `该调用没有执行：${names.map((name) => `uri_${name}`).join("、")} 在这里不能以引用给出。请直接写出值。`,
  mismatch: "该调用没有执行：一个声明为文本的参数给成了别的类型，或给了两次。",
  stopped: "该调用没有执行，因为同一计划中在它之前的一步没有执行。",
};

export const bridgeWordings: Readonly<Record<Locale, BridgeWording>> = { en, zh };
