import { unreadWords } from "../../reading/tokens.ts";
import { type CallPlan, type Outcome, type Task, task, type Unread } from "../../task.ts";
import { escapeRegExp, parseJson, type Say } from "../../text.ts";
import { failedText } from "../../wording.ts";
import { fixProject } from "./fix.ts";
import { attempt, changesText, readParts, runTests, searchMatches, tailText, testsText } from "./results.ts";

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
    const pattern = new RegExp(asked.replaceAll("NAME", name).replaceAll("URL", localUrl), "iu");
    return { kind, tools: tools.split(" "), pattern, words };
  },
);

export function readProject(question: string, say: Say): Task | Unread | undefined {
  for (const { kind, tools, pattern, words } of skills) {
    const [whole, ...groups] = pattern.exec(question) ?? [];
    const [first = "", second = ""] = groups.filter((group) => group !== undefined);
    if (whole === undefined || (first !== "" && first === second)) continue;
    const unread = unreadWords(first ? question.replace(whole, " ") : question, words, [
      "and",
      "list",
      "which",
      "noun",
    ]);
    if (unread.length > 0) return { unread };
    const calls = (): CallPlan<string> => (plans[kind] as (typeof plans)[string])(say, first, second);
    return task<string>({ kind, tools, calls, answer: (text) => text });
  }
  return undefined;
}

function* test(say: Say): CallPlan<string> {
  const run = yield* runTests();
  const { failure } = run;
  return testsText(run, say) + (failure ? `\n\n  ${failure.name}\n  ${failure.file}:${failure.line}` : "");
}

function* rename(say: Say, from: string, to: string): CallPlan<string> {
  const [word, letter] = [escapeRegExp(from), "[A-Za-z0-9_$]"];
  const whole = (text: string): string => `(^|[^A-Za-z0-9_$])${escapeRegExp(text)}($|[^A-Za-z0-9_$])`;
  // Longer names that hold this one come last.
  const searches = [whole(from), whole(to), `${letter}${word}|${word}${letter}`].map((pattern) => ({ pattern }));
  const found = yield* attempt("read", { searches });
  const failed = ({ message }: Outcome): string => say`I could not rename it: ${message} ‖ 没有改成：${message}`;
  if (found.status !== "ok") return failed(found);
  const [own = [], [taken] = [], longer = []] = readParts(found).map(searchMatches);
  if (own.length === 0)
    return say`Nothing in the project is called ${from}, so I changed nothing. ‖ 项目里没有 ${from}，什么也没有改。`;
  if (taken)
    return say`${to} is taken already, in ${taken.path}:${taken.number}; I changed nothing. ‖ ${to} 这个名字在 ${taken.path}:${taken.number} 已经有了，什么也没有改。`;
  const files = [...new Set(own.map(({ path }) => path))].map((src) => {
    const lines = own.flatMap(({ path, text }) => (path === src ? [text] : []));
    const finds = longer.some(({ path }) => path === src) ? [...new Set(lines)] : [from];
    const renamed = (text: string): string => text.replace(new RegExp(`(?<![\\w$])${word}(?![\\w$])`, "g"), () => to);
    return { src, edits: finds.map((find) => ({ find, replace: renamed(find), all: true })) };
  });
  const edit = yield* attempt("edit", { files });
  if (edit.status !== "ok") return failed(edit);
  const where = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  const head = say`${from} is ${to} now, in ${own.length} lines of ${where}: ‖ 已在 ${files.length} 个文件的 ${own.length} 行中把 ${from} 改名为 ${to}：`;
  return [head, changesText(edit), testsText(yield* runTests(), say)].join("\n\n");
}

/** Releases what passes its tests, and answers yes where the script asks whether to do so. */
function* release(say: Say): CallPlan<string> {
  const tests = yield* runTests();
  const state = testsText(tests, say);
  if (!tests.passes)
    return say`I did not release it, since its tests do not pass. ${state} Ask me to "fix the failing test in the project" first. ‖ 测试没有通过，所以没有发布。${state}可以先让我“修复项目里失败的测试”。`;
  const released = yield* attempt("command", { script: "npm run release", timeoutMs: 15_000 });
  if (!released.running) return endText(released, say);
  const text = released.text ?? "";
  const last =
    text
      .match(/^(?!\[.*\]$).*\S/gm)
      ?.at(-1)
      ?.trim() ?? "";
  // Only what can be meant by the request itself: yes or no to a release.
  if (/\((?:y\/n|yes\/no)\)\W*$/i.test(last)) {
    const end = yield* attempt("input", { data: "y\n" });
    // A terminal shows what was typed, too.
    const ended = endText({ ...end, text: (end.text ?? end.message ?? "").replace(/^y\n/, "") }, say);
    return say`It asked "${last}", and I answered y. ${ended} ‖ 脚本问“${last}”，我回答了 y。${ended}`;
  }
  yield* attempt("ctrl", { key: "c" });
  if (/^\[It waits for input/m.test(text) || /[?:]$/.test(last))
    return say`The script asked "${last}", which I can't decide for you, so I stopped it with Ctrl-C. ‖ 脚本问“${last}”，这不是我能替你决定的，所以用 Ctrl-C 停止了它。`;
  return `${say`The script neither ended nor asked anything, so I stopped it with Ctrl-C: ‖ 发布脚本没有结束，也没有提问，所以用 Ctrl-C 停止了它：`}\n\n${tailText(released, 6)}`;
}

function endText(end: Outcome, say: Say): string {
  const state = end.status === "ok" ? say`The release is done: ‖ 已发布：` : say`The release failed: ‖ 发布失败：`;
  return `${state}\n\n${tailText(end, 6)}`;
}

function* overview(say: Say): CallPlan<string> {
  const [file, root] = readParts(yield* attempt("read", { files: [{ src: "package.json" }, { src: "." }] }));
  const { name: called, version, description, scripts = {} } = Object(parseJson(file?.text ?? ""));
  const entriesOf = (text = ""): string[] => text.split("\n").map((line) => line.replace(/ \([^)]*\)$/, "").trim());
  // Names of folders end in a slash.
  const files = entriesOf(root?.text).flatMap((src) => (src.endsWith("/") ? [{ src }] : []));
  const inner = files.length > 0 ? readParts(yield* attempt("read", { files })) : [];
  const listings = inner.map(({ text }, index) => `${files[index]?.src} ${entriesOf(text).join(", ")}`);
  const own = entriesOf(root?.text).filter((path) => !path.endsWith("/"));
  const commands = Object.entries(scripts).map(([key, script]) => `npm run ${key}  (${script})`);
  const about = say`${called} ${version}: ${description} ‖ ${called} ${version}：${description}`;
  return [
    called ? about : say`There is no package.json. ‖ 没有 package.json。`,
    [say`Commands: ‖ 命令：`, ...commands].join("\n  "),
    [say`Files: ‖ 文件：`, own.join(", "), ...listings].join("\n  "),
  ].join("\n\n");
}

/** Calls a server on this machine with a token that the user is asked for, and that no text of this plan ever holds. */
function* callServer(say: Say, url: string, key: string): CallPlan<string> {
  const given = yield* attempt("get_value", { key, reason: say`To call ${url} ‖ 用于请求 ${url}` });
  if (given.status !== "ok") return failedText(given, say);
  // In the environment of the one process that needs it: in an argument, every process of the user could read it.
  const program = `fetch(${JSON.stringify(url)}, { headers: { authorization: "Bearer " + process.env.T } }).then(async (answer) => { console.log(answer.status, await answer.text()); process.exitCode = answer.ok ? 0 : 1; })`;
  const called = yield* attempt("command", { script: `T=$KARYI{${key}} node -e '${program}'` });
  const accepted = say`${url} accepted the token: ‖ ${url} 接受了令牌：`;
  const head = called.exit === 0 ? accepted : say`${url} did not accept the token: ‖ ${url} 没有接受令牌：`;
  const masked = say`\n\nThe answer holds the value. I was shown ‹${key}› in its place. ‖ \n\n应答里有这个值，我看到的只是 ‹${key}›。`;
  return `${head}\n\n${tailText(called, 6)}${called.text?.includes(`‹${key}›`) ? masked : ""}`;
}
