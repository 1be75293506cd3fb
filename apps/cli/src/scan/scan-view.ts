import { isAbsolute, relative } from "node:path";
import { displayWidth } from "@toolglot/internal";
import type { Style } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import type { CallWords } from "../words/calls.ts";
import type { LogPlace } from "./log-places.ts";
import type { ScanCount, ScanReport } from "./scan-report.ts";

/** Files with lines that were not understood, of which this many are named. */
const maxNamed = 5;
/** Rows of a table at most. */
const maxRows = 20;

/** Where it looked for logs, and what was there. */
export function placesView(places: readonly LogPlace[], style: Style, words: CallWords): string {
  const { scan: say, count } = words;
  const rows = places.map(({ name, path, files }) => {
    const there = files.length === 0 ? style.dim(say.nothing) : count(files.length, words.files);
    return `  ${padded(name, 16)}  ${visible(path)}  ${there}`;
  });
  const end = places.every(({ files }) => files.length === 0) ? `\n${say.noLogs}\n` : "\n";
  return `${say.looked}\n${rows.join("\n")}\n${end}`;
}

/**
 * A report for people: each finding with its place and excerpt, sums by model and by tool, and what was not understood. `folder`: the paths
 * of files in it begin there.
 */
export function scanView(report: ScanReport, style: Style, words: CallWords, folder: string): string {
  const { scan: say, count } = words;
  const findings = report.findings.map(({ file, line, tool, model, code, dialect, path, excerpt }) => {
    const what = say.codes[code] ?? code;
    const who = [tool || say.unknown, model].filter((name) => name !== undefined).join(" · ");
    const head = `${style.strong(visible(`${shortPath(folder, file)}:${line}`))}  ${style.accent(oneLine(who))}`;
    return `${head}\n  ${style.warn(code)}: ${what}${dialect === undefined ? "" : ` (${dialect})`}\n  ${style.dim(oneLine(path))}\n  ${oneLine(excerpt)}\n`;
  });
  const tables =
    report.findings.length === 0
      ? []
      : [tableOf(say.byModel, report.byModel, style, words), tableOf(say.byTool, report.byTool, style, words)];
  const unread = [...report.unreadIn]
    .slice(0, maxNamed)
    .map(([file, one]) => say.unread(one.count, shortPath(folder, file), one.line));
  if (report.unreadIn.size > maxNamed) unread.push(say.unreadMore(report.unreadIn.size - maxNamed));
  const sums = say.summary(
    count(report.files, words.files),
    count(report.calls, words.calls),
    count(report.findings.length, words.findings),
  );
  const notes = unread.map((text) => style.dim(visible(text)));
  return `${[...findings, ...tables, ...notes, style.strong(sums)].join("\n")}\n`;
}

/** Those with findings first. */
function tableOf(title: string, counts: ReadonlyMap<string, ScanCount>, style: Style, words: CallWords): string {
  const rows = [...counts].sort(([, one], [, other]) => other.findings - one.findings || other.calls - one.calls);
  const shown = rows
    .slice(0, maxRows)
    .map(([name, counted]) => [oneLine(name) || words.scan.unknown, counted] as const);
  const width = Math.max(...shown.map(([name]) => displayWidth(name)));
  const lines = shown.map(([name, { calls, findings }]) => {
    const found = words.count(findings, words.findings);
    return `  ${padded(name, width)}  ${words.count(calls, words.calls)}  ${findings > 0 ? style.warn(found) : found}`;
  });
  const rest = rows.length > maxRows ? [`  … ${rows.length - maxRows}`] : [];
  return `${style.strong(title)}\n${[...lines, ...rest].join("\n")}\n`;
}

function shortPath(folder: string, file: string): string {
  const path = relative(folder, file);
  return path === "" || path.startsWith("..") || isAbsolute(path) ? file : path;
}

const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - displayWidth(text)));

/** What logs hold, in one line. */
const oneLine = (text: string): string => visible(text).replaceAll(/\s+/g, " ");
