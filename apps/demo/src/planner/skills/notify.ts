import type { Locale } from "@toolglot/core";
import { type Skill, type Task, task } from "../task.ts";
import { literal } from "../text.ts";

interface Sent {
  notification_id: number;
  channel: string;
  sent_at: string;
}

const everybody = /^(?:everybody|everyone|all|all staff|the whole team|所有人|大家|全体|全体员工)?$/iu;

/** `Announce to the warehouse: stop shipping the lantern F4.` */
export const notifySkill: Skill = {
  id: "notify",
  title: {
    en: "send a message to everybody (only with --protocol trp; asks you first)",
    zh: "群发通知（仅限 --protocol trp，会先征求同意）",
  },
  example: {
    en: "announce to the warehouse: stop shipping lantern F4",
    zh: "通知仓库：停止发出 F4 营灯",
  },
  read(question, language) {
    const match =
      /^(?:please\s+)?(?:announce|broadcast|notify)\b(?:\s+(?:to|in))?\s*(?:the\s+)?([\w -]{0,60}?)\s*[:：]\s*(.+)/is.exec(
        question,
      ) ?? /^(?:请)?(?:通知|广播|公告|告知)\s*([^:：]{0,40}?)\s*[:：]\s*(.+)/su.exec(question);
    const message = match?.[2]?.trim().replace(/^["“「](.+)["”」]$/su, "$1");
    if (!match || !message) return undefined;
    const channel = everybody.test(match[1] ?? "") ? "all" : (match[1] ?? "").trim();
    return notifyTask({ channel, message: message.slice(0, 5000) }, language);
  },
};

function notifyTask(input: { channel: string; message: string }, language: Locale): Task {
  const zh = language === "zh";
  return task<Sent>({
    kind: "notify",
    tools: ["notify_broadcast"],
    understanding: zh
      ? `用户要向“${input.channel}”群发一条消息。`
      : `The user wants everybody in "${input.channel}" to get a message.`,
    plan: zh
      ? "调用一次 notify_broadcast，系统会请人确认。"
      : "Call notify_broadcast once; a person will be asked, since it can't be taken back.",
    target: zh ? "群发通知" : "Send a message",
    code: {
      python: `__result__ = notify_broadcast(channel=${literal(input.channel)}, message=${literal(input.message)})`,
      javascript: `__result__ = await notify_broadcast({ channel: ${literal(input.channel)}, message: ${literal(input.message)} });`,
    },
    *calls() {
      const [sent] = yield [{ name: "notify_broadcast", input }];
      return sent as Sent;
    },
    answer: ({ notification_id, channel }) =>
      zh ? `消息 ${notification_id} 已发到“${channel}”。` : `Message ${notification_id} went out to ${channel}.`,
  });
}
