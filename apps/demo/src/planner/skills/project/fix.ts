import type { CallPlan, Outcome, PlannedCall } from "../../task.ts";
import { escapeRegExp, type Say } from "../../text.ts";
import { calledIn, functionLines, numbersIn, statementAt } from "./javascript.ts";
import { passageFor, type Repair, repaired, repairsFor, ruleWords } from "./repairs.ts";
import * as read from "./results.ts";
import type { Failure } from "./test-output.ts";

/** A function of the project, as its file has it. */
type Place = { name: string; source: read.Source; lines: read.Line[] };
type Change = { path: string; find: string; replace: string };
/** A number that stands in the test and in the code. */
type Limit = { value: number; path: string; line: number };

/** Repairs that are tried; then the planner says that it can't. */
const maxTries = 4;

/** Runs the tests, reads the one that fails and the code that it calls, and tries repairs; it returns what it came to, in words. */
export function* fixProject(say: Say): CallPlan<string> {
  const before = yield* read.runTests();
  const { failure } = before.run;
  if (read.endedWell(before.tests)) {
    const passing = read.testsText(before.tests, before.run, say);
    const lower = passing.replace(/^[AT]/, (letter) => letter.toLowerCase());
    return say`There is nothing to fix: ${lower} ‖ 没有需要修复的：${passing}`;
  }
  const [test] = failure ? yield* readFiles([failure.file]) : [];
  if (!failure || !test) {
    const output = read.tailText(before.tests);
    return say`The tests do not pass, but their output does not say where, so I changed nothing:\n\n${output} ‖ 测试没有通过，但从输出里看不出是哪个文件的哪一行，所以没有修改：\n\n${output}`;
  }
  const statement = statementAt(test, failure.line);
  const places = yield* functionsUnder(test, statement);
  const where = `${failure.file}:${failure.line}`;
  const got = gotText(failure, say);
  const stuck = say`“${failure.name}” fails${got} at ${where}, and I could not fix it ‖ “${failure.name}”失败${got}，位置 ${where}，但我没能修好`;
  if (places.length === 0)
    return say`${stuck}: that line calls no function of the project that I can find. ‖ ${stuck}：那一行没有调用我能找到的项目函数。`;
  const limit = sharedNumber(statement, places);
  const repairs = repairsFor(places, limit !== undefined).slice(0, maxTries);
  let last: Change | undefined;
  for (const [tried, repair] of repairs.entries()) {
    const place = places.find(({ source: { path } }) => path === repair.path) as Place;
    const made = yield* makeRepair(place.source, repair, last);
    if (made.change === undefined) return say`${stuck}: ${made.edit.message} ‖ ${stuck}：${made.edit.message}`;
    const { tests, run } = yield* read.runTests();
    if (read.endedWell(tests) || (run.failed ?? Infinity) < (before.run.failed ?? 0)) {
      const cause = causeText(repair, repair.rule === "limit" ? limit : undefined, say);
      const others = say` Other changes that did not help were taken back. ‖ 此前没有用的修改已撤回。`;
      const head = say`“${failure.name}” failed${got}. ${cause} ‖ 失败的是“${failure.name}”${got}。${cause}`;
      return [
        head + (tried > 0 ? others : ""),
        `${say`Changed: ‖ 改动：`}\n${read.changesText(made.edit)}`,
        read.testsText(tests, run, say),
      ].join("\n\n");
    }
    last = made.change;
  }
  // Nothing helped: what was changed last is put back.
  if (last) yield* read.attempt("edit", editInput([inverse(last)]));
  if (repairs.length === 0)
    return say`${stuck}: the code it calls has no slip that I know. ‖ ${stuck}：它调用的代码里没有我认得的错误。`;
  const lines = repairs
    .map(({ path, line, from, to }) => `  ${path}:${line.number}  ${from} → ${to || "∅"}`)
    .join("\n");
  return say`${stuck}. I tried and took back:\n\n${lines} ‖ ${stuck}。试过又撤回的修改：\n\n${lines}`;
}

function gotText({ expected, actual }: Failure, say: Say): string {
  if (expected === undefined || actual === undefined) return "";
  return say` (expected ${expected}, got ${actual}) ‖ （应为 ${expected}，实为 ${actual}）`;
}

function causeText({ rule, path, line }: Repair, limit: Limit | undefined, say: Say): string {
  const [en, zh] = ruleWords(rule);
  const also = limit
    ? say` (the test's ${limit.value} is itself a limit, in ${limit.path}:${limit.line}) ‖ （测试用的 ${limit.value} 正好是 ${limit.path} 第 ${limit.line} 行的界限）`
    : "";
  return say`The cause is in ${path}:${line.number}: ${en}${also}. ‖ 原因在 ${path} 第 ${line.number} 行：${zh}${also}。`;
}

/** The functions of the project that a statement of a test calls, and those that they call themselves. */
function* functionsUnder(test: read.Source, statement: string): Generator<PlannedCall[], Place[], unknown[]> {
  const places: Place[] = [];
  const sources = new Map<string, read.Source>();
  let code = statement;
  for (let depth = 0; depth < 2; depth += 1) {
    const names = calledIn(code).filter((name) => !places.some((place) => place.name === name));
    if (names.length === 0) break;
    const searches = names.map((name) => ({ pattern: `\\b(function|const|let|var)\\s+${escapeRegExp(name)}\\b` }));
    const declared = read.readParts(yield* read.attempt("read", { searches })).flatMap(read.searchMatches);
    const paths = [...new Set(declared.map(({ path }) => path))].filter((path) => !sources.has(path));
    for (const source of paths.length > 0 ? yield* readFiles(paths) : []) sources.set(source.path, source);
    const found = names.flatMap((name) =>
      [...sources.values()].map((source) => ({ name, source, lines: functionLines(source, name) })),
    );
    const own = found.filter(({ source, lines }) => lines.length > 0 && !`/${test.path}`.endsWith(`/${source.path}`));
    places.push(...own);
    code = own.flatMap(({ lines }) => lines.map(({ text }) => text)).join("\n");
  }
  return places;
}

function* readFiles(paths: readonly string[]): Generator<PlannedCall[], read.Source[], unknown[]> {
  const outcome = yield* read.attempt("read", { files: paths.map((src) => ({ src })) });
  return read.readParts(outcome).flatMap((part) => read.sourceOf(part) ?? []);
}

/** A number of the test that is one of the code, too, and no 0 or 1. */
function sharedNumber(statement: string, places: readonly Place[]): Limit | undefined {
  for (const value of numbersIn(statement).filter((number) => number > 1)) {
    for (const { path, lines } of places.map(({ source }) => source)) {
      const line = lines.find(({ text }) => numbersIn(text).includes(value));
      if (line) return { value, path, line: line.number };
    }
  }
  return undefined;
}

const inverse = ({ path, find, replace }: Change): Change => ({ path, find: replace, replace: find });

function editInput(changes: readonly Change[]): Record<string, unknown> {
  const paths = [...new Set(changes.map(({ path }) => path))];
  const editsOf = (src: string): object[] =>
    changes.flatMap(({ path, find, replace }) => (path === src ? [{ find, replace }] : []));
  return { files: paths.map((src) => ({ src, edits: editsOf(src) })) };
}

/**
 * Makes a repair, and takes the last one back. When the file does not hold what the edit names, the error shows the lines
 * that come nearest, and the edit is written again from them. Without a change it failed.
 */
function* makeRepair(
  source: read.Source,
  repair: Repair,
  last: Change | undefined,
): Generator<PlannedCall[], { edit: Outcome; change?: Change }, unknown[]> {
  const { path } = source;
  const { find, at } = passageFor(source, repair.line);
  let change: Change | undefined = { path, find, replace: at(repaired(repair.line.text, repair) ?? "") };
  for (let tries = 0; ; tries += 1) {
    const edit = yield* read.attempt("edit", editInput([...(last ? [inverse(last)] : []), change]));
    if (edit.status === "ok") return { edit, change };
    const nearest: Change[] = read.nearestLines(edit).flatMap((text) => {
      const corrected = repaired(text, repair);
      return corrected === undefined ? [] : [{ path, find: text.trim(), replace: corrected.trim() }];
    });
    if (tries > 0 || nearest.length !== 1) return { edit };
    change = nearest[0] as Change;
  }
}
