import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Locale } from "@toolglot/core";
import { errorText } from "@toolglot/internal";
import { Command, Option } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import type { Run } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Host } from "../host.ts";
import { styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import { type CallWords, callWords } from "../words/calls.ts";
import { knownPlaces, namedFiles } from "./log-places.ts";
import { isDatabase, openDatabase } from "./opencode-database.ts";
import { fileSource, type ReadSource, type ScanFilter, scanSource } from "./scan-file.ts";
import { ScanReport } from "./scan-report.ts";
import { placesView, scanView } from "./scan-view.ts";

interface ScanOptions {
  since?: string;
  tool?: string;
  json: boolean;
  lang: Locale;
}

/**
 * The subcommand `scan`: lists the damaged calls in logs of sessions. It reads, and nothing else. Resolves with 1 when something was found;
 * rejects with `UsageError` for arguments that can't be meant.
 */
export function scanCommand(run: Run, host: Host, locale: Locale): Command {
  const { scan: say, ...words } = callWords(locale, host.command);
  return new Command(`${host.command} scan`)
    .description(say.about)
    .argument("[path...]", say.paths)
    .option("--since <date>", say.since)
    .option("--tool <name>", say.tool)
    .option("--json", words.json, false)
    .addOption(new Option("--lang <code>", words.lang).choices(["zh", "en"]).default("en"))
    .addHelpText("after", `\n${say.after}`)
    .action((paths: string[], options: ScanOptions) => run(() => scan(paths, options, host)));
}

async function scan(paths: readonly string[], options: ScanOptions, host: Host): Promise<number> {
  const { stdout, stderr, env, folder } = host;
  const words = callWords(options.lang, host.command);
  const filter: ScanFilter = { since: sinceOf(options.since, words), tool: options.tool };
  const style = styleFor(stdout, env);
  const places = paths.length === 0 ? knownPlaces(host) : [];
  const missing = paths.find((path) => !existsSync(resolve(folder, path)));
  if (missing !== undefined) throw new UsageError(words.scan.noPath(missing));
  const files = paths.length === 0 ? places.flatMap((place) => place.files) : namedFiles(paths, folder);
  if (paths.length === 0 && !options.json) stdout.write(placesView(places, style, words));
  const report = new ScanReport();
  const note = (text: string): void => void stderr.write(`${visible(text)}\n`);
  for (const file of files) {
    try {
      if (filter.since !== undefined && statSync(file).mtimeMs < filter.since) continue;
      const source = await sourceOf(file, words, note);
      if (source) report.end(file, await scanSource(file, source, filter, report));
    } catch (error) {
      note(words.scan.notRead(file, errorText(error)));
    }
    // Signals are heard between two files.
    await new Promise(setImmediate);
  }
  if (options.json) stdout.write(`${JSON.stringify(report)}\n`);
  else if (files.length > 0) stdout.write(scanView(report, style, words, folder));
  return report.findings.length > 0 ? exitCodes.error : exitCodes.answered;
}

async function sourceOf(
  file: string,
  { scan: say }: CallWords,
  note: (text: string) => void,
): Promise<ReadSource | undefined> {
  // A pipe can't be read twice, and a device may have no end.
  if (!statSync(file).isFile()) {
    note(say.notRead(file, say.noFile));
    return undefined;
  }
  if (!isDatabase(file)) return fileSource(file);
  const source = await openDatabase(file);
  if (!source) note(say.noDriver(file));
  else if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) note(say.inLog(file));
  return source;
}

function sinceOf(text: string | undefined, { scan: say }: CallWords): number | undefined {
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new UsageError(say.badDate(text));
  return time;
}
