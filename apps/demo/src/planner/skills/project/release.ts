import type { Locale } from "@toolglot/core";
import type { Outcome } from "../../outcome.ts";
import { type Unread, unreadWords } from "../../reading/unread.ts";
import { attempt, type CallPlan, outcomesOf, type Task, task } from "../../task.ts";
import { endedWell, runCommand } from "./commands.ts";
import { readTestRun, type TestRun } from "./test-output.ts";
import { tailText, testsText } from "./wording.ts";

type Released =
  | { kind: "failing"; run: TestRun; tests: Outcome }
  | { kind: "question"; question: string }
  | { kind: "slow"; release: Outcome }
  | { kind: "ended"; question: string | undefined; end: Outcome };

/** `Release the project`, `发布项目` */
export function readRelease(question: string, language: Locale): Task | Unread | undefined {
  const wanted =
    /\b(?:release|publish)\b.{0,40}\b(?:project|package|library|version)\b/i.test(question) ||
    /发布.{0,10}(?:项目|新版本|软件包)|给项目发版/u.test(question);
  if (!wanted) return undefined;
  const unread = unreadWords(
    question,
    /\b(?:release|publish|project|package|library|version|new)\b|发布|发版|项目|新版本|软件包|版本/giu,
  );
  if (unread.length > 0) return { unread };
  const zh = language === "zh";
  return task<Released>({
    kind: "project-release",
    tools: ["command", "input", "ctrl"],
    understanding: zh ? "用户要发布项目的新版本。" : "The user wants a new version of the project released.",
    plan: zh
      ? "测试通过才发布；脚本会提问，用 input 回答。"
      : "Release only when the tests pass; the script asks a question, which input answers.",
    target: zh ? "发布项目" : "Release the project",
    calls: releasePlan,
    answer(released) {
      switch (released.kind) {
        case "failing": {
          const { run, tests } = released;
          const state =
            run.failed === undefined ? `\n\n${tailText(tests)}` : testsText(run.passed, run.failed, language);
          return zh
            ? `测试没有通过，所以没有发布。${state}可以先让我“修复项目里失败的测试”。`
            : `I did not release it, since its tests do not pass. ${state} Ask me to "fix the failing test in the project" first.`;
        }
        case "question":
          return zh
            ? `脚本问“${released.question}”，这不是我能替你决定的，所以用 Ctrl-C 停止了它。`
            : `The script asked "${released.question}", which I can't decide for you, so I stopped it with Ctrl-C.`;
        case "slow": {
          const head = zh
            ? "发布脚本没有结束，也没有提问，所以用 Ctrl-C 停止了它："
            : "The script neither ended nor asked anything, so I stopped it with Ctrl-C:";
          return `${head}\n\n${tailText(released.release, 6)}`;
        }
        case "ended": {
          const { question: asked, end } = released;
          const ok = end.status === "ok";
          const answered =
            asked === undefined
              ? ""
              : zh
                ? `脚本问“${asked}”，我回答了 y。`
                : `It asked "${asked}", and I answered y. `;
          const head = zh
            ? `${answered}${ok ? "已发布：" : "发布失败："}`
            : `${answered}${ok ? "The release is done:" : "The release failed:"}`;
          return `${head}\n\n${tailText(withoutEcho(end), 6)}`;
        }
      }
    },
  });
}

function* releasePlan(): CallPlan<Released> {
  const tests = yield* runCommand("npm test");
  if (!endedWell(tests)) return { kind: "failing", run: readTestRun(tests.text ?? ""), tests };
  const release = yield* runCommand("npm run release", 15_000);
  if (!release.running) return { kind: "ended", question: undefined, end: release };
  const question = openQuestion(release);
  if (question === undefined) {
    yield [attempt("ctrl", { key: "c" })];
    return { kind: "slow", release };
  }
  // Only what can be meant by the request itself: yes or no to a release.
  if (!yesOrNo.test(question)) {
    yield [attempt("ctrl", { key: "c" })];
    return { kind: "question", question };
  }
  const [end] = outcomesOf(yield [attempt("input", { data: "y\n" })]) as [Outcome];
  return { kind: "ended", question, end };
}

const yesOrNo = /\((?:y\/n|yes\/no)\)\W*$/i;

/** A terminal shows what was typed, too. */
function withoutEcho(end: Outcome): Outcome {
  return end.text === undefined ? end : { ...end, text: end.text.replace(/^y\n/, "") };
}

/** The question that a command stopped at: its last line, when it waits for input, or looks as if it did. */
function openQuestion({ text = "" }: Outcome): string | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !/^\[.*\]$/.test(line));
  const last = lines.at(-1)?.trim() ?? "";
  return /^\[It waits for input/m.test(text) || yesOrNo.test(last) || /[?:]$/.test(last) ? last : undefined;
}
