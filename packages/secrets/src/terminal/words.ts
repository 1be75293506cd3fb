import type { Locale } from "@toolglot/core";

/** Words of a prompt for a value. */
export interface PromptWords {
  needed(key: string): string;
  reason(reason: string): string;
  known: Readonly<Record<"session" | "kept", string>>;
  hidden(key: string): string;
  choice(canKeep: boolean): string;
  chosen: Readonly<Record<"session" | "keep", string>>;
  note(isOfModel: boolean): string;
}

export const promptWords: Readonly<Record<Locale, PromptWords>> = {
  en: {
    needed: (key) => `A value is needed: ${key}`,
    reason: (reason) => `The model says: ${reason}`,
    known: {
      session: "There is one already (this session); Enter uses it.",
      kept: "There is one already (kept); Enter uses it.",
    },
    hidden: (key) => `${key} (not shown): `,
    choice: (canKeep) => `[s]ession  ${canKeep ? "[k]eep  " : ""}[c]ancel `,
    chosen: { session: "session", keep: "keep" },
    note: (isOfModel) => `Note${isOfModel ? " (the model says)" : ""}: `,
  },
  zh: {
    needed: (key) => `需要一个值：${key}`,
    reason: (reason) => `模型说：${reason}`,
    known: { session: "已有一个（本次会话）；按回车键使用它。", kept: "已有一个（已保存）；按回车键使用它。" },
    hidden: (key) => `${key}（不显示）：`,
    choice: (canKeep) => `[s] 仅本次会话  ${canKeep ? "[k] 保存  " : ""}[c] 取消 `,
    chosen: { session: "仅本次会话", keep: "保存" },
    note: (isOfModel) => `备注${isOfModel ? "（模型说）" : ""}：`,
  },
};
