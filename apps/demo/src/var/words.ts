import type { Locale } from "@toolglot/core";
import type { StoreKind } from "../project/secret-store.ts";

/** What is said about values outside of a conversation: by `demo var`, and where a store is unlocked. */
export interface VarWords {
  misplaced: string;
  badName: string;
  askValue(name: string): string;
  noTerminal: string;
  empty: string;
  nul: string;
  tooLong: string;
  notText: string;
  place: Readonly<Record<StoreKind, string>>;
  kept(name: string, isForAll: boolean, place: string): string;
  allProjects: string;
  storeIs(place: string): string;
  noValues: string;
  unknown(name: string, place: string): string;
  forgotten(name: string, place: string): string;
  emptied(changes: number, copies: number): string;
  passphrase(path: string, isAgain: boolean): string;
  newPassphrase(path: string, isAgain: boolean): string;
  sameAgain: string;
}

const words: Readonly<Record<Locale, VarWords>> = {
  en: {
    misplaced:
      "After `set` come a name and options; a value is typed at the prompt, or comes on standard input. If that was a value: change it where it is valid, because it is in the process list and in the shell's history now.",
    badName: "A name has 1 to 64 letters, digits and _, and does not begin with a digit.",
    askValue: (name) => `Value of ${name} (not shown)`,
    noTerminal: "There is no terminal to ask at: pass the value on standard input.",
    empty: "The value is empty.",
    nul: "The value holds a NUL character, which a shell can't hold.",
    tooLong: "The value is longer than 64 KiB.",
    notText: "The value is no UTF-8 text.",
    place: { keychain: "the system's keychain", file: "the encrypted file toolglot/secrets.json of the user's data" },
    kept: (name, isForAll, place) => `${name} is kept for ${isForAll ? "all projects" : "this project"}, in ${place}.`,
    allProjects: "all projects",
    storeIs: (place) => `In ${place}:`,
    noValues: "No values.",
    unknown: (name, place) => `There is no value ${name} in ${place}.`,
    forgotten: (name, place) => `${name} is forgotten, in ${place}.`,
    emptied: (changes, copies) =>
      `Emptied: ${changes} ${changes === 1 ? "change" : "changes"}, which can't be undone any more, and ${copies} ${copies === 1 ? "copy" : "copies"} of protected files. Files of the project that hold the value still do.`,
    passphrase: (path, isAgain) => `${isAgain ? "That was wrong. " : ""}Passphrase of ${path}`,
    newPassphrase: (path, isAgain) =>
      `${isAgain ? "It needs 8 characters or more, twice the same. " : ""}A new passphrase for ${path} (8 characters or more)`,
    sameAgain: "The same passphrase once more",
  },
  zh: {
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
};

export function varWordsFor(lang: Locale | undefined): VarWords {
  return words[lang ?? "en"];
}
