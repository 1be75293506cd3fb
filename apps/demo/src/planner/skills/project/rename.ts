import type { Locale } from "@toolglot/core";
import type { Outcome } from "../../outcome.ts";
import { type Unread, unreadWords } from "../../reading/unread.ts";
import { attempt, type CallPlan, outcomesOf, type Task, task } from "../../task.ts";
import { endedWell, runCommand } from "./commands.ts";
import { type Match, readParts, searchMatches } from "./results.ts";
import { readTestRun, type TestRun } from "./test-output.ts";
import { changesText, tailText, testsText } from "./wording.ts";

type Renamed =
  | { kind: "none" }
  | { kind: "taken"; match: Match }
  | { kind: "failed"; message: string }
  | { kind: "done"; edit: Outcome; files: number; lines: number; tests: Outcome; run: TestRun };

const name = "([A-Za-z_$][\\w$]{0,100})";

/** `Rename formatDuration to durationText everywhere`, `把 formatDuration 全部改名为 durationText` */
export function readRename(question: string, language: Locale): Task | Unread | undefined {
  const match =
    new RegExp(
      `\\brename\\s+(?:the\\s+)?(?:(?:function|constant|variable|class)\\s+)?[\`"]?${name}[\`"]?\\s+(?:to|into|as)\\s+[\`"]?${name}`,
      "i",
    ).exec(question) ??
    new RegExp(
      `(?:把|将)\\s*[\`“"]?${name}[\`”"]?\\s*(?:在.{0,10})?(?:全部|都|统一)?(?:改名|重命名|改)(?:为|成)\\s*[\`“"]?${name}`,
      "u",
    ).exec(question);
  const [whole, from, to] = match ?? [];
  if (!whole || !from || !to || from === to) return undefined;
  const unread = unreadWords(
    question.replace(whole, " "),
    /\b(?:everywhere|in all files|in the project|throughout)\b|[`"”]|项目/giu,
  );
  return unread.length > 0 ? { unread } : renameTask(from, to, language);
}

function renameTask(from: string, to: string, language: Locale): Task {
  const zh = language === "zh";
  return task<Renamed>({
    kind: "project-rename",
    tools: ["read", "edit", "command"],
    understanding: zh ? `用户要把 ${from} 改名为 ${to}。` : `The user wants ${from} called ${to}.`,
    plan: zh
      ? `搜索 ${from} 的所有出现处，一次改完，再运行测试。`
      : `Search for ${from}, change all files at once, and run the tests.`,
    target: zh ? `改名：${from} → ${to}` : `Rename ${from} to ${to}`,
    calls: () => renamePlan(from, to),
    slipIn: (calls) => calls.some(({ name }) => name === "edit"),
    answer: (renamed) => answerText(renamed, from, to, language),
  });
}

function* renamePlan(from: string, to: string): CallPlan<Renamed> {
  const quoted = from.replaceAll("$", "\\$");
  const searches = [
    { pattern: `(^|[^A-Za-z0-9_$])${quoted}($|[^A-Za-z0-9_$])` },
    { pattern: `(^|[^A-Za-z0-9_$])${to.replaceAll("$", "\\$")}($|[^A-Za-z0-9_$])` },
    // Longer names that hold this one.
    { pattern: `[A-Za-z0-9_$]${quoted}|${quoted}[A-Za-z0-9_$]` },
  ];
  const [found] = outcomesOf(yield [attempt("read", { searches })]) as [Outcome];
  if (found.status !== "ok") return { kind: "failed", message: found.message ?? "" };
  const [own = [], taken = [], longer = []] = readParts(found).map(searchMatches);
  if (own.length === 0) return { kind: "none" };
  if (taken[0]) return { kind: "taken", match: taken[0] };
  const paths = [...new Set(own.map(({ path }) => path))];
  const files = paths.map((src) => {
    const whole = !longer.some(({ path }) => path === src);
    if (whole) return { src, edits: [{ find: from, replace: to, all: true }] };
    const lines = [...new Set(own.filter(({ path }) => path === src).map(({ text }) => text))];
    const word = new RegExp(`(?<![\\w$])${quoted}(?![\\w$])`, "g");
    return { src, edits: lines.map((line) => ({ find: line, replace: line.replace(word, () => to), all: true })) };
  });
  const [edit] = outcomesOf(yield [attempt("edit", { files })]) as [Outcome];
  if (edit.status !== "ok") return { kind: "failed", message: edit.message ?? "" };
  const tests = yield* runCommand("npm test");
  const run = readTestRun(tests.text ?? "");
  return { kind: "done", edit, files: paths.length, lines: own.length, tests, run };
}

function answerText(renamed: Renamed, from: string, to: string, language: Locale): string {
  const zh = language === "zh";
  switch (renamed.kind) {
    case "none":
      return zh
        ? `项目里没有 ${from}，什么也没有改。`
        : `Nothing in the project is called ${from}, so I changed nothing.`;
    case "taken": {
      const { path, number } = renamed.match;
      return zh
        ? `${to} 这个名字在 ${path}:${number} 已经有了，什么也没有改。`
        : `${to} is taken already, in ${path}:${number}; I changed nothing.`;
    }
    case "failed":
      return zh ? `没有改成：${renamed.message}` : `I could not rename it: ${renamed.message}`;
    case "done": {
      const { edit, files, lines, tests, run } = renamed;
      const head = zh
        ? `已在 ${files} 个文件的 ${lines} 行中把 ${from} 改名为 ${to}：`
        : `${from} is ${to} now, in ${lines} lines of ${files} ${files === 1 ? "file" : "files"}:`;
      const passed = endedWell(tests);
      const state =
        passed || run.failed !== undefined ? testsText(run.passed, passed ? 0 : run.failed, language) : tailText(tests);
      return `${head}\n\n${changesText(edit)}\n\n${state}`;
    }
  }
}
