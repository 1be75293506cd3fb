import type { CallPlan } from "../../plan.ts";
import type { Outcome } from "../../task.ts";
import { escapeRegExp, type Say } from "../../text.ts";
import { calledIn, functionLines, numbersIn, passageFor, type Repair, repairsFor, statementAt } from "./repairs.ts";
import * as read from "./results.ts";

type Place = { name: string; source: read.Source; lines: read.Line[] };
/** Repairs that are tried; then the planner says that it can't. */
const maxTries = 4;

/** Runs the tests, reads the one that fails and the code that it calls, and tries repairs; it returns what it came to, in words. */
export function* fixProject(say: Say): CallPlan<string> {
  const before = yield* read.runTests();
  const { failure, failed = 0 } = before;
  if (before.passes) {
    const passing = read.testsText(before, say);
    const lower = passing.replace(/^[AT]/, (letter) => letter.toLowerCase());
    return say`There is nothing to fix: ${lower} ‖ 没有需要修复的：${passing}`;
  }
  const [test] = failure ? yield* readFiles([failure.file]) : [];
  if (!failure || !test) {
    const output = read.tailText(before.outcome);
    return say`The tests do not pass, but their output does not say where, so I changed nothing:\n\n${output} ‖ 测试没有通过，但从输出里看不出是哪个文件的哪一行，所以没有修改：\n\n${output}`;
  }
  const { name, file, line, expected, actual } = failure;
  const statement = statementAt(test, line);
  const places = yield* functionsUnder(test, statement);
  const got = actual ? say` (expected ${expected}, got ${actual}) ‖ （应为 ${expected}，实为 ${actual}）` : "";
  const stuck = say`“${name}” fails${got} at ${file}:${line}, and I could not fix it: ‖ “${name}”失败${got}，位置 ${file}:${line}，但我没能修好：`;
  if (places.length === 0)
    return say`${stuck} that line calls no function of the project that I can find. ‖ ${stuck}那一行没有调用我能找到的项目函数。`;
  const limit = sharedNumber(statement, places);
  // What did not help is taken back with the next change.
  let undone: Change[] = [];
  for (const repair of repairsFor(places, limit !== undefined).slice(0, maxTries)) {
    const { find, at } = passageFor(repair.source, repair.line);
    const change = { path: repair.source.path, find, replace: at(repair.text) };
    const edit = yield* makeChanges([...undone, change]);
    if (edit.status !== "ok") return `${stuck} ${edit.message}`;
    const after = yield* read.runTests();
    if (after.passes || (after.failed ?? Infinity) < failed) {
      const cause = causeText(repair, limit, say);
      const head = say`“${name}” failed${got}. ${cause} ‖ 失败的是“${name}”${got}。${cause}`;
      return [head, `${say`Changed: ‖ 改动：`}\n${read.changesText(edit)}`, read.testsText(after, say)].join("\n\n");
    }
    undone = [{ ...change, find: change.replace, replace: change.find }];
  }
  if (undone.length > 0) yield* makeChanges(undone);
  return say`${stuck} no change that I know of helps, and none is left. ‖ ${stuck}我知道的修改都没有用，也都没有保留。`;
}

function causeText({ mistake: { rule, en, zh }, source, line }: Repair, limit: string | undefined, say: Say): string {
  const number = say` (the test's number is itself a limit, in ${limit}) ‖ （测试用的数正好是 ${limit} 的界限）`;
  const also = rule === "limit" && limit ? number : "";
  return say`The cause is in ${source.path}:${line.number}: ${en}${also}. ‖ 原因在 ${source.path} 第 ${line.number} 行：${zh}${also}。`;
}

/** The functions of the project that a statement of a test calls, and those that they call themselves. */
function* functionsUnder(test: read.Source, statement: string): CallPlan<Place[]> {
  const places: Place[] = [];
  const sources: read.Source[] = [];
  let code = statement;
  for (let depth = 0; depth < 2; depth += 1) {
    const names = calledIn(code).filter((name) => !places.some((place) => place.name === name));
    if (names.length === 0) break;
    const searches = names.map((name) => ({ pattern: `\\b(function|const|let|var)\\s+${escapeRegExp(name)}\\b` }));
    const declared = read.readParts(yield* read.attempt("read", { searches })).flatMap(read.searchMatches);
    const isNew = (path: string): boolean => sources.every((source) => source.path !== path);
    const paths = [...new Set(declared.map(({ path }) => path))].filter(isNew);
    if (paths.length > 0) sources.push(...(yield* readFiles(paths)));
    const found = names.flatMap((name) =>
      sources.map((source) => ({ name, source, lines: functionLines(source, name) })),
    );
    const own = found.filter(({ source, lines }) => lines.length > 0 && !`/${test.path}`.endsWith(`/${source.path}`));
    places.push(...own);
    code = own.flatMap(({ lines }) => lines.map(({ text }) => text)).join("\n");
  }
  return places;
}

function* readFiles(paths: readonly string[]): CallPlan<read.Source[]> {
  const outcome = yield* read.attempt("read", { files: paths.map((src) => ({ src })) });
  return read.readParts(outcome).flatMap((part) => read.sourceOf(part) ?? []);
}

/** Where a number of the test stands in the code, too; 0 and 1 stand everywhere. */
function sharedNumber(statement: string, places: readonly Place[]): string | undefined {
  const numbers = numbersIn(statement).filter((number) => number > 1);
  const lines = places.flatMap(({ source: { path, lines } }) => lines.map((line) => ({ path, ...line })));
  const line = lines.find(({ text }) => numbersIn(text).some((number) => numbers.includes(number)));
  return line && `${line.path}:${line.number}`;
}

type Change = { path: string; find: string; replace: string };

function makeChanges(changes: readonly Change[]): CallPlan<Outcome> {
  const files = [...new Set(changes.map(({ path }) => path))].map((src) => {
    return { src, edits: changes.flatMap(({ path, ...edit }) => (path === src ? edit : [])) };
  });
  return read.attempt("edit", { files });
}
