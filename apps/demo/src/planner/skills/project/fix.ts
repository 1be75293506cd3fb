import type { Locale } from "@toolglot/core";
import type { Outcome } from "../../outcome.ts";
import { type Unread, unreadWords } from "../../reading/unread.ts";
import { attempt, type CallPlan, outcomesOf, type PlannedCall, type Task, task } from "../../task.ts";
import { endedWell, runCommand } from "./commands.ts";
import { calledIn, declarationPattern, functionLines, importsOf, numbersIn, statementAt } from "./javascript.ts";
import { passageFor, type Repair, repaired, repairsFor, ruleWords } from "./repairs.ts";
import { nearestLines, readParts, type Source, searchMatches, sourceOf } from "./results.ts";
import { type Failure, readTestRun, type TestRun } from "./test-output.ts";
import { changesText, tailText, testsText } from "./wording.ts";

/** What the repair came to. */
type Fixed =
  | { kind: "passing"; run: TestRun }
  | { kind: "unclear"; output: Outcome }
  | { kind: "stuck"; failure: Failure; tried: Repair[]; why: "no-function" | "no-repair" | "edit"; message?: string }
  | {
      kind: "fixed";
      failure: Failure;
      limit: Limit | undefined;
      repair: Repair;
      edit: Outcome;
      run: TestRun;
      tried: number;
    };

/** A number that stands in the test and in the code. */
interface Limit {
  value: number;
  path: string;
  line: number;
}

/** Repairs that are tried; then the planner says that it can't. */
const maxTries = 4;

/** `Fix the failing test in the project`, `修复项目里失败的测试` */
export function readFix(question: string, language: Locale): Task | Unread | undefined {
  const wanted =
    /\b(?:fix|repair|solve|debug|mend)\b.{0,60}\b(?:tests?|bugs?|project)\b/i.test(question) ||
    /(?:修复|修好|修一下|解决|修正).{0,30}(?:测试|项目|bug|错误)/iu.test(question);
  if (!wanted) return undefined;
  const unread = unreadWords(
    question,
    /\b(?:fix|repair|solve|debug|mend|why|fail(?:s|ed|ing)?|broken|project|code|tests?|bugs?|cause|find)\b|修复|修好|修一下|解决|修正|失败|项目|测试|bug|错误|代码|出错|为什么/giu,
    ["and", "list"],
  );
  if (unread.length > 0) return { unread };
  const zh = language === "zh";
  return task<Fixed>({
    kind: "project-fix",
    tools: ["command", "read", "edit"],
    understanding: zh ? "用户要修复项目里失败的测试。" : "The user wants the failing test of the project fixed.",
    plan: zh
      ? "先运行测试，再读失败的测试和它调用的代码，修改后重新运行测试。"
      : "Run the tests, read the one that fails and the code that it calls, change that, and run the tests again.",
    target: zh ? "修复失败的测试" : "Fix the failing test",
    calls: fixPlan,
    slipIn: (calls) => calls.some(({ name }) => name === "edit"),
    answer: (fixed) => answerText(fixed, language),
  });
}

function* fixPlan(): CallPlan<Fixed> {
  const first = yield* runCommand("npm test");
  const before = readTestRun(first.text ?? "");
  if (endedWell(first)) return { kind: "passing", run: before };
  const { failure } = before;
  if (failure === undefined) return { kind: "unclear", output: first };

  const [test] = yield* readFiles([failure.file]);
  if (test === undefined) return { kind: "unclear", output: first };
  const statement = statementAt(test, failure.line);
  const places = yield* functionsUnder(test, statement);
  if (places.length === 0) return { kind: "stuck", failure, tried: [], why: "no-function" };

  const limit = sharedNumber(
    statement,
    places.map(({ source }) => source),
  );
  const repairs = repairsFor(places, limit !== undefined).slice(0, maxTries);
  let last: { find: string; replace: string; path: string } | undefined;
  for (const [index, repair] of repairs.entries()) {
    const source = places.find(({ source: { path } }) => path === repair.path)?.source;
    const made = source && (yield* makeRepair(source, repair, last));
    if (made === undefined) continue;
    if ("failed" in made)
      return { kind: "stuck", failure, tried: repairs.slice(0, index), why: "edit", message: made.failed };
    const again = yield* runCommand("npm test");
    const run = readTestRun(again.text ?? "");
    if (fewer(run, before, again)) {
      return {
        kind: "fixed",
        failure,
        limit: repair.rule === "limit" ? limit : undefined,
        repair,
        edit: made.edit,
        run,
        tried: index,
      };
    }
    last = made.change;
  }
  // Nothing helped: what was changed last is put back.
  if (last) yield [attempt("edit", editInput([{ path: last.path, find: last.replace, replace: last.find }]))];
  return { kind: "stuck", failure, tried: repairs, why: "no-repair" };
}

function fewer(now: TestRun, before: TestRun, outcome: Outcome): boolean {
  if (endedWell(outcome)) return true;
  return now.failed !== undefined && before.failed !== undefined && now.failed < before.failed;
}

/** Reads files side by side. */
function* readFiles(paths: readonly string[]): Generator<PlannedCall[], (Source | undefined)[], unknown[]> {
  const [read] = outcomesOf(yield [attempt("read", { files: paths.map((src) => ({ src })) })]) as [Outcome];
  const parts = readParts(read);
  return paths.map((_, index) => sourceOf(parts[index]));
}

interface Place {
  source: Source;
  lines: Source["lines"];
}

/** The functions of the project that a statement of a test calls, and those that they call themselves. */
function* functionsUnder(test: Source, statement: string): Generator<PlannedCall[], Place[], unknown[]> {
  const imported = importsOf(test).map(({ name }) => name);
  const names = calledIn(statement).filter((name) => imported.includes(name));
  if (names.length === 0) return [];
  const searches = names.map((name) => ({ pattern: declarationPattern(name) }));
  const [found] = outcomesOf(yield [attempt("read", { searches })]) as [Outcome];
  const declared = readParts(found).flatMap((part) =>
    searchMatches(part).filter(({ path }) => !`/${test.path}`.endsWith(`/${path}`)),
  );
  const paths = [...new Set(declared.map(({ path }) => path))];
  if (paths.length === 0) return [];
  const sources = (yield* readFiles(paths)).filter((source) => source !== undefined);
  const direct = placesOf(sources, names);
  const below = sources.flatMap(importsOf).filter(({ name }) => calledInPlaces(direct).includes(name));
  const more = [...new Set(below.map(({ from }) => from))].filter((path) => !paths.includes(path));
  if (more.length > 0) sources.push(...(yield* readFiles(more)).filter((source) => source !== undefined));
  // What they call may stand beside them or in another file.
  const called = calledInPlaces(direct).filter((name) => !names.includes(name));
  return [...direct, ...placesOf(sources, called)];
}

function placesOf(sources: readonly Source[], names: readonly string[]): Place[] {
  return names.flatMap((name) =>
    sources.flatMap((source) => {
      const lines = functionLines(source, name);
      return lines.length > 0 ? [{ source, lines }] : [];
    }),
  );
}

function calledInPlaces(places: readonly Place[]): string[] {
  return calledIn(places.flatMap(({ lines }) => lines.map(({ text }) => text)).join("\n"));
}

/** A number of the test that is one of the code, too, above all one that is no 0 or 1. */
function sharedNumber(statement: string, sources: readonly Source[]): Limit | undefined {
  for (const value of numbersIn(statement).filter((number) => number > 1)) {
    for (const { path, lines } of sources) {
      const line = lines.find(({ text }) => numbersIn(text).includes(value));
      if (line) return { value, path, line: line.number };
    }
  }
  return undefined;
}

interface Change {
  path: string;
  find: string;
  replace: string;
}

function editInput(changes: readonly Change[]): Record<string, unknown> {
  const paths = [...new Set(changes.map(({ path }) => path))];
  const files = paths.map((src) => ({
    src,
    edits: changes.filter(({ path }) => path === src).map(({ find, replace }) => ({ find, replace })),
  }));
  return { files };
}

/**
 * Makes a repair, and takes the last one back. When the file does not hold what the edit names, the error shows the passage
 * that comes nearest, and the edit is written again from that.
 */
function* makeRepair(
  source: Source,
  repair: Repair,
  last: Change | undefined,
): Generator<PlannedCall[], { edit: Outcome; change: Change } | { failed: string } | undefined, unknown[]> {
  const back = last ? [{ path: last.path, find: last.replace, replace: last.find }] : [];
  const replaced = repaired(repair.line.text, repair);
  if (replaced === undefined) return undefined;
  const { find, at } = passageFor(source, repair.line);
  let change: Change = { path: source.path, find, replace: at(replaced) };
  const [first] = outcomesOf(yield [attempt("edit", editInput([...back, change]))]) as [Outcome];
  if (first.status === "ok") return { edit: first, change };
  const nearest = nearestLines(first).flatMap((text) => {
    const corrected = repaired(text, repair);
    return corrected === undefined ? [] : [{ find: text.trim(), replace: corrected.trim() }];
  });
  if (nearest.length !== 1) return { failed: first.message ?? "" };
  change = { path: source.path, ...(nearest[0] as { find: string; replace: string }) };
  const [second] = outcomesOf(yield [attempt("edit", editInput([...back, change]))]) as [Outcome];
  return second.status === "ok" ? { edit: second, change } : { failed: second.message ?? "" };
}

function answerText(fixed: Fixed, language: Locale): string {
  const zh = language === "zh";
  switch (fixed.kind) {
    case "passing":
      return zh
        ? `没有需要修复的：${testsText(fixed.run.passed, 0, language)}`
        : `There is nothing to fix: ${testsText(fixed.run.passed, 0, language).replace(/^[AT]/, (letter) => letter.toLowerCase())}`;
    case "unclear":
      return zh
        ? `测试没有通过，但从输出里看不出是哪个文件的哪一行，所以没有修改：\n\n${tailText(fixed.output)}`
        : `The tests do not pass, but their output does not say where, so I changed nothing:\n\n${tailText(fixed.output)}`;
    case "stuck":
      return stuckText(fixed, language);
    case "fixed": {
      const { failure, limit, repair, edit, run, tried } = fixed;
      const got = gotText(failure, language);
      const cause = zh
        ? `原因在 ${repair.path} 第 ${repair.line.number} 行：${ruleWords(repair.rule, language)}${limit ? `（测试用的 ${limit.value} 正好是 ${limit.path} 第 ${limit.line} 行的界限）` : ""}。`
        : `The cause is in ${repair.path}:${repair.line.number}: ${ruleWords(repair.rule, language)}${limit ? ` (the test's ${limit.value} is itself a limit, in ${limit.path}:${limit.line})` : ""}.`;
      const others =
        tried > 0
          ? zh
            ? `此前试过 ${tried} 处修改，没有用，已撤回。`
            : `${tried} other ${tried === 1 ? "change" : "changes"} did not help and ${tried === 1 ? "was" : "were"} taken back.`
          : "";
      const head = zh ? `失败的是“${failure.name}”${got}。` : `“${failure.name}” failed${got}.`;
      const changed = zh ? "改动：" : "Changed:";
      return [
        [head, cause, others].filter(Boolean).join(zh ? "" : " "),
        `${changed}\n${changesText(edit)}`,
        testsText(run.passed, run.failed, language),
      ].join("\n\n");
    }
  }
}

function gotText({ expected, actual }: Failure, language: Locale): string {
  if (expected === undefined || actual === undefined) return "";
  return language === "zh" ? `（应为 ${expected}，实为 ${actual}）` : ` (expected ${expected}, got ${actual})`;
}

function stuckText({ failure, tried, why, message }: Extract<Fixed, { kind: "stuck" }>, language: Locale): string {
  const zh = language === "zh";
  const where = `${failure.file}:${failure.line}`;
  const head = zh
    ? `“${failure.name}”失败${gotText(failure, language)}，位置 ${where}，但我没能修好`
    : `“${failure.name}” fails${gotText(failure, language)} at ${where}, and I could not fix it`;
  if (why === "no-function") {
    return zh
      ? `${head}：那一行没有调用我能找到的项目函数。`
      : `${head}: that line calls no function of the project that I can find.`;
  }
  if (why === "edit") return `${head}${zh ? "：" : ": "}${message ?? ""}`;
  const places = tried.map(({ path, line, from, to }) => `  ${path}:${line.number}  ${from} → ${to || "∅"}`).join("\n");
  if (places === "")
    return zh ? `${head}：它调用的代码里没有我认得的错误。` : `${head}: the code it calls has no slip that I know.`;
  return zh ? `${head}。试过又撤回的修改：\n\n${places}` : `${head}. I tried and took back:\n\n${places}`;
}
