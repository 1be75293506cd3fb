import type { Locale } from "@toolglot/core";
import type { Outcome } from "../../outcome.ts";
import { type Unread, unreadWords } from "../../reading/unread.ts";
import { attempt, type CallPlan, outcomesOf, PlanError, type Task, task } from "../../task.ts";
import { endedWell, runCommand } from "./commands.ts";
import { type Match, readParts, searchMatches, sourceOf } from "./results.ts";
import { readTestRun, type TestRun } from "./test-output.ts";
import { tailText, testsText } from "./wording.ts";

interface Overview {
  /** What stands in package.json; undefined when there is none that can be read. */
  manifest: { name?: string; version?: string; description?: string; scripts?: Record<string, string> } | undefined;
  /** What the listings of the folders say. */
  listing: { path: string; text: string }[];
}

/** `What is in the project?`, `项目里有什么？` */
export function readOverview(question: string, language: Locale): Task | Unread | undefined {
  const wanted =
    /\b(?:what(?:'s| is)|show|list|describe|which files are)\b.{0,30}\b(?:in|of)?\s*(?:the|this)\s+project\b/i.test(
      question,
    ) || /项目.{0,6}(?:有什么|有哪些|是什么|的(?:文件|结构|内容))|(?:介绍|看看|列出).{0,8}项目/u.test(question);
  if (!wanted) return undefined;
  const unread = unreadWords(
    question,
    /\b(?:describe|this|files?|folders?|project|inside|contents?|which|what[’']?s?)\b|项目|文件|结构|内容|介绍|看看/giu,
    ["which", "list", "noun"],
  );
  if (unread.length > 0) return { unread };
  const zh = language === "zh";
  return task<Overview>({
    kind: "project-overview",
    tools: ["read"],
    understanding: zh ? "用户想知道项目里有什么。" : "The user wants to know what is in the project.",
    plan: zh ? "读 package.json，列出文件夹。" : "Read package.json and list the folders.",
    target: zh ? "介绍项目" : "Describe the project",
    calls: overviewPlan,
    answer: (overview) => overviewText(overview, language),
  });
}

function* overviewPlan(): CallPlan<Overview> {
  const [first] = outcomesOf(yield [attempt("read", { files: [{ src: "package.json" }, { src: "." }] })]) as [Outcome];
  const [file, folder] = readParts(first);
  const text = sourceOf(file)
    ?.lines.map((line) => line.text)
    .join("\n");
  const names = folderNames(folder?.text ?? "");
  const listing = [{ path: ".", text: folder?.text ?? "" }];
  if (names.length > 0) {
    const [inner] = outcomesOf(yield [attempt("read", { files: names.map((src) => ({ src })) })]) as [Outcome];
    listing.push(...readParts(inner).map(({ text }, index) => ({ path: names[index] ?? "", text })));
  }
  return { manifest: readManifest(text), listing };
}

function readManifest(text: string | undefined): Overview["manifest"] {
  try {
    return JSON.parse(text ?? "") as Overview["manifest"];
  } catch {
    return undefined;
  }
}

/** Folders of a listing: their names end in a slash. */
function folderNames(listing: string): string[] {
  return [...listing.matchAll(/^(\S+\/)$/gm)].map(([, name = ""]) => name).slice(0, 20);
}

function overviewText({ manifest, listing }: Overview, language: Locale): string {
  const zh = language === "zh";
  const { name, version, description, scripts = {} } = manifest ?? {};
  const head = name
    ? `${name} ${version ?? ""}${description ? `${zh ? "：" : ": "}${description}` : ""}`
    : zh
      ? "没有 package.json。"
      : "There is no package.json.";
  const commands = Object.entries(scripts).map(([key, script]) => `  npm run ${key}  (${script})`);
  const files = listing
    .flatMap(({ path, text }) => {
      const names = text
        .split("\n")
        .map((line) => line.replace(/ \([^)]*\)$/, "").trim())
        .filter((line) => line !== "" && (path !== "." || !line.includes("/")));
      return names.length > 0 ? [`  ${path === "." ? "" : `${path} `}${names.join(", ")}`] : [];
    })
    .join("\n");
  return [
    head,
    ...(commands.length > 0 ? [`${zh ? "命令：" : "Commands:"}\n${commands.join("\n")}`] : []),
    `${zh ? "文件：" : "Files:"}\n${files}`,
  ].join("\n\n");
}

/** `Search the project for Math.round`, `在项目里搜索 Math.round` */
export function readProjectSearch(question: string, language: Locale): Task | Unread | undefined {
  const match =
    /\b(?:search|look|grep)\b.{0,20}\b(?:the )?project\b(?:'s files)?\s+for\s+(.+)/i.exec(question) ??
    /\bfind\s+(.+?)\s+in the project\b/i.exec(question) ??
    /(?:在)?项目(?:里|中)?(?:搜索|查找|搜一下|找一下|找)\s*(.+)/u.exec(question);
  const wanted = match?.[1]?.replace(/^[`"“「]|[`"”」]?[.。?？!！]?$/gu, "").trim();
  return wanted ? searchTask(wanted, language) : undefined;
}

function searchTask(wanted: string, language: Locale): Task {
  const zh = language === "zh";
  return task<Match[]>({
    kind: "project-search",
    tools: ["read"],
    understanding: zh ? `用户想知道“${wanted}”出现在哪里。` : `The user wants to know where "${wanted}" stands.`,
    plan: zh ? "用 search 搜索一次。" : "One search.",
    target: zh ? `搜索 ${wanted}` : `Search for ${wanted}`,
    *calls() {
      const pattern = wanted.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
      const [found] = outcomesOf(yield [attempt("read", { searches: [{ pattern }] })]) as [Outcome];
      if (found.status !== "ok") throw new PlanError(found.message ?? "");
      return readParts(found).flatMap(searchMatches);
    },
    answer(matches) {
      if (matches.length === 0) return zh ? `项目里没有“${wanted}”。` : `"${wanted}" is not in the project.`;
      const files = new Set(matches.map(({ path }) => path)).size;
      const lines = matches.map(({ path, number, text }) => `  ${path}:${number}  ${text.trim()}`).join("\n");
      return zh
        ? `“${wanted}”出现在 ${files} 个文件的 ${matches.length} 行中：\n\n${lines}`
        : `"${wanted}" stands in ${matches.length} ${matches.length === 1 ? "line" : "lines"} of ${files} ${files === 1 ? "file" : "files"}:\n\n${lines}`;
    },
  });
}

/** `Run the project's tests`, `运行项目的测试` */
export function readProjectTest(question: string, language: Locale): Task | Unread | undefined {
  const wanted = /\b(?:run|do)\b.{0,30}\btests?\b/i.test(question) || /(?:运行|跑|执行).{0,12}测试/u.test(question);
  if (!wanted) return undefined;
  const unread = unreadWords(question, /\b(?:run|project|tests?|suite)\b|运行|跑|执行|项目|测试/giu);
  if (unread.length > 0) return { unread };
  const zh = language === "zh";
  return task<{ tests: Outcome; run: TestRun }>({
    kind: "project-test",
    tools: ["command"],
    understanding: zh ? "用户要运行项目的测试。" : "The user wants the project's tests run.",
    plan: zh ? "运行 npm test。" : "Run npm test.",
    target: zh ? "运行测试" : "Run the tests",
    *calls() {
      const tests = yield* runCommand("npm test");
      return { tests, run: readTestRun(tests.text ?? "") };
    },
    answer({ tests, run }) {
      const passed = endedWell(tests);
      if (!passed && run.failed === undefined)
        return `${zh ? "测试没有跑完：" : "The tests did not run to their end:"}\n\n${tailText(tests)}`;
      const { failure } = run;
      const where = failure === undefined ? "" : `\n\n  ${failure.name}\n  ${failure.file}:${failure.line}`;
      return testsText(run.passed, passed ? 0 : run.failed, language) + where;
    },
  });
}
