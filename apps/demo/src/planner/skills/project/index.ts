import { unreadWords } from "../../reading/tokens.ts";
import { type CallPlan, type Outcome, type Task, task, type Unread } from "../../task.ts";
import { escapeRegExp, parseJson, type Say } from "../../text.ts";
import { callServer } from "./call-server.ts";
import { fixProject } from "./fix.ts";
import { attempt, changesText, endedWell, readParts, runTests, searchMatches, tailText, testsText } from "./results.ts";

const name = '[`“"]?([A-Za-z_$][\\w$]{0,100})[`”"]?';

/** A server on this machine. No character of it means anything to a shell or ends a string. */
const localUrl = "(https?://(?:127\\.0\\.0\\.1|localhost)(?::\\d{1,5})?(?:/[\\w./~-]{0,200})?)";

/** For each kind: its tools; how it is asked, with groups for names; its other words. */
const table = String.raw`
project-fix ; command read edit
\b(?:fix|repair|solve|debug|mend)\b.{0,60}\b(?:tests?|bugs?|project)\b|(?:修复|修好|修一下|解决|修正).{0,30}(?:测试|项目|bug|错误)
fix|repair|solve|debug|mend|why|fail(?:s|ed|ing)?|broken|project|code|tests?|bugs?|cause|find|修复|修好|修一下|解决|修正|失败|项目|测试|错误|代码|出错|为什么
project-rename ; read edit command
\brename\s+(?:the\s+)?(?:(?:function|constant|variable|class)\s+)?NAME\s+(?:to|into|as)\s+NAME|(?:把|将)\s*NAME\s*(?:在.{0,10})?(?:全部|都|统一)?(?:改名|重命名|改)(?:为|成)\s*NAME
everywhere|in all files|in the project|throughout|项目
project-release ; command input ctrl
\b(?:release|publish)\b.{0,40}\b(?:project|package|library|version)\b|发布.{0,10}(?:项目|新版本|软件包)|给项目发版
release|publish|project|package|library|version|new|发布|发版|项目|新版本|软件包|版本
project-test ; command
\b(?:run|do)\b.{0,30}\btests?\b|(?:运行|跑|执行).{0,12}测试
run|project|tests?|suite|运行|跑|执行|项目|测试
project-overview ; read
\b(?:what(?:'s| is)|show|list|describe|which files are)\b.{0,30}\b(?:in|of)?\s*(?:the|this)\s+project\b|项目.{0,6}(?:有什么|有哪些|是什么|的(?:文件|结构|内容))|(?:介绍|看看|列出).{0,8}项目
describe|this|files?|folders?|project|inside|contents?|which|what[’']?s?|show|list|are|有哪些|什么|项目|文件|结构|内容|介绍|看看
project-call ; get_value command
\b(?:call|ask|request)\s+URL\s+with\s+(?:the\s+|my\s+)?(?:token|key)\s+NAME|(?:请求|访问)\s*URL\s*[，,]?\s*(?:令牌|密钥)(?:是|用|为)?\s*NAME
please|请`;

/** What each kind does; it returns the answer. */
const plans: Record<string, (say: Say, first: string, second: string) => CallPlan<string>> = {
  "project-fix": fixProject,
  "project-rename": rename,
  "project-release": release,
  "project-test": test,
  "project-overview": overview,
  "project-call": callServer,
};

const skills = [...table.matchAll(/^(\S+) ; (.+)\n(.+)\n(.+)$/gm)].map(
  ([, kind = "", tools = "", asked = "", words = ""]) => {
    return {
      kind,
      tools: tools.split(" "),
      asked: new RegExp(asked.replaceAll("NAME", name).replaceAll("URL", localUrl), "iu"),
      words,
    };
  },
);

export function readProject(question: string, say: Say): Task | Unread | undefined {
  for (const { kind, tools, asked, words } of skills) {
    const [whole, ...groups] = asked.exec(question) ?? [];
    const [first = "", second = ""] = groups.filter((group) => group !== undefined);
    if (whole === undefined || (first !== "" && first === second)) continue;
    const rest = first === "" ? question : question.replace(whole, " ");
    const unread = unreadWords(rest, words, ["and", "list", "which", "noun"]);
    if (unread.length > 0) return { unread };
    return task<string>({
      kind,
      tools,
      calls: () => (plans[kind] as (typeof plans)[string])(say, first, second),
      ...(tools.includes("edit") && { slipIn: (calls) => calls.some((call) => call.name === "edit") }),
      answer: (text) => text,
    });
  }
  return undefined;
}

function* test(say: Say): CallPlan<string> {
  const { tests, run } = yield* runTests();
  const { failure } = run;
  return testsText(tests, run, say) + (failure ? `\n\n  ${failure.name}\n  ${failure.file}:${failure.line}` : "");
}

function* rename(say: Say, from: string, to: string): CallPlan<string> {
  const whole = (word: string): string => `(^|[^A-Za-z0-9_$])${escapeRegExp(word)}($|[^A-Za-z0-9_$])`;
  // Longer names that hold this one come last.
  const longerName = `[A-Za-z0-9_$]${escapeRegExp(from)}|${escapeRegExp(from)}[A-Za-z0-9_$]`;
  const searches = [whole(from), whole(to), longerName].map((pattern) => ({ pattern }));
  const found = yield* attempt("read", { searches });
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
  const edit = yield* attempt("edit", { files });
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
  const released = yield* attempt("command", { script: "npm run release", timeoutMs: 15_000 });
  if (!released.running) return endText(released, "", say);
  const text = released.text ?? "";
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !/^\[.*\]$/.test(line));
  const last = lines.at(-1)?.trim() ?? "";
  // Only what can be meant by the request itself: yes or no to a release.
  if (yesOrNo.test(last)) {
    const end = yield* attempt("input", { data: "y\n" });
    const answered = say`It asked "${last}", and I answered y.  ‖ 脚本问“${last}”，我回答了 y。`;
    // A terminal shows what was typed, too.
    return endText({ ...end, text: (end.text ?? end.message ?? "").replace(/^y\n/, "") }, answered, say);
  }
  yield* attempt("ctrl", { key: "c" });
  if (/^\[It waits for input/m.test(text) || /[?:]$/.test(last))
    return say`The script asked "${last}", which I can't decide for you, so I stopped it with Ctrl-C. ‖ 脚本问“${last}”，这不是我能替你决定的，所以用 Ctrl-C 停止了它。`;
  return `${say`The script neither ended nor asked anything, so I stopped it with Ctrl-C: ‖ 发布脚本没有结束，也没有提问，所以用 Ctrl-C 停止了它：`}\n\n${tailText(released, 6)}`;
}

function endText(end: Outcome, answered: string, say: Say): string {
  const state = end.status === "ok" ? say`The release is done: ‖ 已发布：` : say`The release failed: ‖ 发布失败：`;
  return `${answered}${state}\n\n${tailText(end, 6)}`;
}

type Manifest = { name?: string; version?: string; description?: string; scripts?: Record<string, string> };

/** What package.json says, and the files of the folders. */
function* overview(say: Say): CallPlan<string> {
  const [file, root] = readParts(yield* attempt("read", { files: [{ src: "package.json" }, { src: "." }] }));
  const { name: called, version, description, scripts = {} } = Object(parseJson(file?.text ?? "")) as Manifest;
  const entriesOf = (text = ""): string[] => text.split("\n").map((line) => line.replace(/ \([^)]*\)$/, "").trim());
  // Folders of a listing: their names end in a slash.
  const [folders, own] = [true, false].map((folder) =>
    entriesOf(root?.text).filter((path) => path.endsWith("/") === folder),
  );
  const files = (folders ?? []).map((src) => ({ src }));
  const inner = files.length > 0 ? readParts(yield* attempt("read", { files })) : [];
  const listings = inner.map(({ text }, index) => `${folders?.[index]} ${entriesOf(text).join(", ")}`);
  const commands = Object.entries(scripts).map(([key, script]) => `  npm run ${key}  (${script})`);
  return [
    called
      ? say`${called} ${version}: ${description} ‖ ${called} ${version}：${description}`
      : say`There is no package.json. ‖ 没有 package.json。`,
    `${say`Commands: ‖ 命令：`}\n${commands.join("\n")}`,
    `${say`Files: ‖ 文件：`}\n${[own?.join(", "), ...listings].map((line) => `  ${line}`).join("\n")}`,
  ].join("\n\n");
}
