import { unreadWords } from "../../reading/unread.ts";
import { type CallPlan, type Outcome, PlanError, type Task, task, type Unread } from "../../task.ts";
import { escapeRegExp, parseJson, type Say } from "../../text.ts";
import { attempt, runCommand, runTests } from "./commands.ts";
import { fixProject } from "./fix.ts";
import { changesText, endedWell, readParts, searchMatches, sourceOf, tailText, testsText } from "./results.ts";

/** A kind of request about the project: how it begins, its tools, and the plan, which returns the answer. */
interface ProjectSkill {
  kind: string;
  /** How a request of the kind is written; its groups are what it names. */
  asked: readonly RegExp[];
  /** Other words that it may have: a pattern. Without one, what it names may be anything. */
  words?: string;
  tools: readonly string[];
  about(names: readonly string[], say: Say): string;
  plan(names: readonly string[], say: Say): CallPlan<string>;
}

const name = '[`“"]?([A-Za-z_$][\\w$]{0,100})[`”"]?';

const skills: readonly ProjectSkill[] = [
  {
    kind: "project-fix",
    asked: [
      /\b(?:fix|repair|solve|debug|mend)\b.{0,60}\b(?:tests?|bugs?|project)\b/i,
      /(?:修复|修好|修一下|解决|修正).{0,30}(?:测试|项目|bug|错误)/iu,
    ],
    words:
      "fix|repair|solve|debug|mend|why|fail(?:s|ed|ing)?|broken|project|code|tests?|bugs?|cause|find|修复|修好|修一下|解决|修正|失败|项目|测试|错误|代码|出错|为什么",
    tools: ["command", "read", "edit"],
    about: (_, say) => say`the failing test of the project fixed ‖ 修复项目里失败的测试`,
    plan: (_, say) => fixProject(say),
  },
  {
    kind: "project-rename",
    asked: [
      new RegExp(
        `\\brename\\s+(?:the\\s+)?(?:(?:function|constant|variable|class)\\s+)?${name}\\s+(?:to|into|as)\\s+${name}`,
        "i",
      ),
      new RegExp(`(?:把|将)\\s*${name}\\s*(?:在.{0,10})?(?:全部|都|统一)?(?:改名|重命名|改)(?:为|成)\\s*${name}`, "u"),
    ],
    words: "everywhere|in all files|in the project|throughout|项目",
    tools: ["read", "edit", "command"],
    about: ([from, to], say) => say`${from} renamed to ${to} ‖ 把 ${from} 改名为 ${to}`,
    plan: ([from = "", to = ""], say) => rename(from, to, say),
  },
  {
    kind: "project-release",
    asked: [
      /\b(?:release|publish)\b.{0,40}\b(?:project|package|library|version)\b/i,
      /发布.{0,10}(?:项目|新版本|软件包)|给项目发版/u,
    ],
    words: "release|publish|project|package|library|version|new|发布|发版|项目|新版本|软件包|版本",
    tools: ["command", "input", "ctrl"],
    about: (_, say) => say`a new version of the project released ‖ 发布项目的新版本`,
    plan: (_, say) => release(say),
  },
  {
    kind: "project-search",
    asked: [
      /\b(?:search|look|grep)\b.{0,20}\b(?:the )?project\b(?:'s files)?\s+for\s+(.+)/i,
      /\bfind\s+(.+?)\s+in the project\b/i,
      /(?:在)?项目(?:里|中)?(?:搜索|查找|搜一下|找一下|找)\s*(.+)/u,
    ],
    tools: ["read"],
    about: ([wanted], say) => say`the places of "${wanted}" in the project ‖ “${wanted}”在项目里出现的地方`,
    plan: ([wanted = ""], say) => search(wanted.replace(/^[`"“「]|[`"”」]?[.。?？!！]?$/gu, "").trim(), say),
  },
  {
    kind: "project-test",
    asked: [/\b(?:run|do)\b.{0,30}\btests?\b/i, /(?:运行|跑|执行).{0,12}测试/u],
    words: "run|project|tests?|suite|运行|跑|执行|项目|测试",
    tools: ["command"],
    about: (_, say) => say`the project's tests run ‖ 运行项目的测试`,
    *plan(_, say) {
      const { tests, run } = yield* runTests();
      const { failure } = run;
      return testsText(tests, run, say) + (failure ? `\n\n  ${failure.name}\n  ${failure.file}:${failure.line}` : "");
    },
  },
  {
    kind: "project-overview",
    asked: [
      /\b(?:what(?:'s| is)|show|list|describe|which files are)\b.{0,30}\b(?:in|of)?\s*(?:the|this)\s+project\b/i,
      /项目.{0,6}(?:有什么|有哪些|是什么|的(?:文件|结构|内容))|(?:介绍|看看|列出).{0,8}项目/u,
    ],
    words:
      "describe|this|files?|folders?|project|inside|contents?|which|what[’']?s?|show|list|are|有哪些|什么|项目|文件|结构|内容|介绍|看看",
    tools: ["read"],
    about: (_, say) => say`what is in the project ‖ 项目里有什么`,
    plan: (_, say) => overview(say),
  },
];

/** Reads a request about the project. */
export function readProject(question: string, say: Say): Task | Unread | undefined {
  for (const { kind, asked, words, tools, about, plan } of skills) {
    const [whole, ...names] = asked.flatMap((pattern) => pattern.exec(question) ?? []);
    if (whole === undefined || (names[0] !== undefined && names[0] === names[1])) continue;
    const rest = names.length > 0 ? question.replace(whole, " ") : question;
    const unread = words === undefined ? [] : unreadWords(rest, words, ["and", "list", "which", "noun"]);
    if (unread.length > 0) return { unread };
    return task<string>({
      kind,
      tools,
      about: about(names, say),
      calls: () => plan(names, say),
      ...(tools.includes("edit") && { slipIn: (calls) => calls.some((call) => call.name === "edit") }),
      answer: (text) => text,
    });
  }
  return undefined;
}

function* rename(from: string, to: string, say: Say): CallPlan<string> {
  const whole = (word: string): string => `(^|[^A-Za-z0-9_$])${escapeRegExp(word)}($|[^A-Za-z0-9_$])`;
  // Longer names that hold this one come last.
  const longerName = `[A-Za-z0-9_$]${escapeRegExp(from)}|${escapeRegExp(from)}[A-Za-z0-9_$]`;
  const searches = [whole(from), whole(to), longerName].map((pattern) => ({ pattern }));
  const [found] = (yield [attempt("read", { searches })]) as [Outcome];
  const failed = ({ message }: Outcome): string => say`I could not rename it: ${message} ‖ 没有改成：${message}`;
  if (found.status !== "ok") return failed(found);
  const [own = [], [taken] = [], longer = []] = readParts(found).map(searchMatches);
  if (own.length === 0)
    return say`Nothing in the project is called ${from}, so I changed nothing. ‖ 项目里没有 ${from}，什么也没有改。`;
  if (taken)
    return say`${to} is taken already, in ${taken.path}:${taken.number}; I changed nothing. ‖ ${to} 这个名字在 ${taken.path}:${taken.number} 已经有了，什么也没有改。`;
  const word = new RegExp(`(?<![\\w$])${escapeRegExp(from)}(?![\\w$])`, "g");
  const files = [...new Set(own.map(({ path }) => path))].map((src) => {
    const lines = new Set(own.filter(({ path }) => path === src).map(({ text }) => text));
    const finds = longer.some(({ path }) => path === src) ? [...lines] : [from];
    return { src, edits: finds.map((find) => ({ find, replace: find.replace(word, () => to), all: true })) };
  });
  const [edit] = (yield [attempt("edit", { files })]) as [Outcome];
  if (edit.status !== "ok") return failed(edit);
  const { tests, run } = yield* runTests();
  const where = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  const head = say`${from} is ${to} now, in ${own.length} lines of ${where}: ‖ 已在 ${files.length} 个文件的 ${own.length} 行中把 ${from} 改名为 ${to}：`;
  return [head, changesText(edit), testsText(tests, run, say)].join("\n\n");
}

const yesOrNo = /\((?:y\/n|yes\/no)\)\W*$/i;

/** Releases what passes its tests, and answers yes where the script asks whether to do so. */
function* release(say: Say): CallPlan<string> {
  const { tests, run } = yield* runTests();
  const state = testsText(tests, run, say);
  if (!endedWell(tests))
    return say`I did not release it, since its tests do not pass. ${state} Ask me to "fix the failing test in the project" first. ‖ 测试没有通过，所以没有发布。${state}可以先让我“修复项目里失败的测试”。`;
  const released = yield* runCommand("npm run release", 15_000);
  if (!released.running) return endText(released, "", say);
  const text = released.text ?? "";
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !/^\[.*\]$/.test(line));
  const last = lines.at(-1)?.trim() ?? "";
  // Only what can be meant by the request itself: yes or no to a release.
  if (yesOrNo.test(last)) {
    const [end] = (yield [attempt("input", { data: "y\n" })]) as [Outcome];
    const answered = say`It asked "${last}", and I answered y.  ‖ 脚本问“${last}”，我回答了 y。`;
    // A terminal shows what was typed, too.
    return endText({ ...end, text: (end.text ?? end.message ?? "").replace(/^y\n/, "") }, answered, say);
  }
  yield [attempt("ctrl", { key: "c" })];
  if (/^\[It waits for input/m.test(text) || /[?:]$/.test(last))
    return say`The script asked "${last}", which I can't decide for you, so I stopped it with Ctrl-C. ‖ 脚本问“${last}”，这不是我能替你决定的，所以用 Ctrl-C 停止了它。`;
  return `${say`The script neither ended nor asked anything, so I stopped it with Ctrl-C: ‖ 发布脚本没有结束，也没有提问，所以用 Ctrl-C 停止了它：`}\n\n${tailText(released, 6)}`;
}

function endText(end: Outcome, answered: string, say: Say): string {
  const state = end.status === "ok" ? say`The release is done: ‖ 已发布：` : say`The release failed: ‖ 发布失败：`;
  return `${answered}${state}\n\n${tailText(end, 6)}`;
}

function* search(wanted: string, say: Say): CallPlan<string> {
  const [found] = (yield [attempt("read", { searches: [{ pattern: escapeRegExp(wanted) }] })]) as [Outcome];
  if (found.status !== "ok") throw new PlanError(found.message ?? "");
  const matches = readParts(found).flatMap(searchMatches);
  const files = new Set(matches.map(({ path }) => path)).size;
  if (files === 0) return say`"${wanted}" is not in the project. ‖ 项目里没有“${wanted}”。`;
  const lines = matches.map(({ path, number, text }) => `  ${path}:${number}  ${text.trim()}`).join("\n");
  const places = `${matches.length} ${matches.length === 1 ? "line" : "lines"} of ${files} ${files === 1 ? "file" : "files"}`;
  return `${say`"${wanted}" stands in ${places}: ‖ “${wanted}”出现在 ${files} 个文件的 ${matches.length} 行中：`}\n\n${lines}`;
}

interface Manifest {
  name?: string;
  version?: string;
  description?: string;
  scripts?: Record<string, string>;
}

/** What package.json says, and the files of the folders. */
function* overview(say: Say): CallPlan<string> {
  const [first] = (yield [attempt("read", { files: [{ src: "package.json" }, { src: "." }] })]) as [Outcome];
  const [file, folder] = readParts(first);
  const manifest = parseJson(
    sourceOf(file)
      ?.lines.map(({ text }) => text)
      .join("\n") ?? "",
  );
  const { name: called, version = "", description, scripts = {} } = (Object(manifest) ?? {}) as Manifest;
  const text = folder?.text ?? "";
  // Folders of a listing: their names end in a slash.
  const folders = [...text.matchAll(/^(\S+\/)$/gm)].map(([path]) => path).slice(0, 20);
  const listings = [["", text]];
  if (folders.length > 0) {
    const [inner] = (yield [attempt("read", { files: folders.map((src) => ({ src })) })]) as [Outcome];
    listings.push(...readParts(inner).map((part, index) => [`${folders[index]} `, part.text]));
  }
  const files = listings.flatMap(([path = "", listing = ""]) => {
    const lines = listing.split("\n").map((line) => line.replace(/ \([^)]*\)$/, "").trim());
    const names = lines.filter((line) => line !== "" && (path !== "" || !line.includes("/")));
    return names.length > 0 ? [`  ${path}${names.join(", ")}`] : [];
  });
  const more = description ? say`: ${description} ‖ ：${description}` : "";
  const commands = Object.entries(scripts).map(([key, script]) => `  npm run ${key}  (${script})`);
  return [
    called ? `${called} ${version}${more}` : say`There is no package.json. ‖ 没有 package.json。`,
    ...(commands.length > 0 ? [`${say`Commands: ‖ 命令：`}\n${commands.join("\n")}`] : []),
    `${say`Files: ‖ 文件：`}\n${files.join("\n")}`,
  ].join("\n\n");
}
