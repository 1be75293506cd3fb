import { resolve } from "node:path";
import { checkKeys } from "@toolglot/internal";
import type { Secrets } from "@toolglot/secrets";
import { PlaceholderFiller, valuesOf } from "@toolglot/secrets/executing";
import { Editor } from "./edit/editor.ts";
import { checkEncodings, encodingSettings } from "./encodings/detect.ts";
import { FileEncodings } from "./encodings/file-encodings.ts";
import { Roots } from "./files/roots.ts";
import { openJournal } from "./journal/open-journal.ts";
import type { LocalTools } from "./local-tools.ts";
import { OpenLocalTools } from "./opened-tools.ts";
import { type Ask, defaultLocalPolicy, type LocalPolicy } from "./policy.ts";
import { Reader } from "./read/reader.ts";
import { checkedShellOptions } from "./shell/open-shell.ts";
import type { ShellOptions } from "./shell/types.ts";
import { defaultStateDirectory, demandOutside, openStateDirectory } from "./state-directory.ts";
import { definitions } from "./tools/definitions.ts";

/** Options of {@link openLocalTools}. */
export interface LocalToolsOptions {
  /** Directories that paths may lead into; relative paths begin at the first. */
  roots: string | readonly string[];
  /**
   * Where journal, backups and whole outputs are kept; never inside a root. Default:
   * `$XDG_STATE_HOME/toolglot/local-tools/<hash of the first root>`, else below `~/.local/state`.
   */
  stateDir?: string;
  /** How the shell is run. It starts in the first root, when first needed. */
  shell?: Partial<Omit<ShellOptions, "artifactDir">>;
  /** Values that calls may use as `$KARYI{NAME}`, from `openSecrets()`. They are masked in all that comes back. Default: none. */
  secrets?: Secrets;
  /** What may be done without asking. Default {@link defaultLocalPolicy}: everything but risky files. */
  policy?: LocalPolicy;
  /** Who decides where the policy is `ask`, unless the call has its own `ask`. Default: nobody, so it is denied. */
  ask?: Ask;
  /** UTF-16 units of text that one call, or one batch of calls, returns. Keep it below the protocol's result budget. Default 12,000. */
  maxChars?: number;
  /**
   * Whether a `find` that differs from exactly one place only in what no reader sees (white space at line ends, typographic quotes and the
   * like) is taken for that place; `notes` then mentions it. Default true.
   */
  lenient?: boolean;
  /**
   * Whether extended attributes and access-control lists of a file outlive its edits. Needs GNU cp and Linux, and costs a process for each
   * file; an edit that can't keep them is refused (`WriteFailed`). Default false.
   */
  keepAttributes?: boolean;
  /**
   * Encodings to try, in order, for a file whose encoding nothing else shows: the first that encodes back to the same bytes is taken,
   * as a guess. Default: `["gb18030", "windows-1252"]` where the locale, or most of the first root's files beyond ASCII, are Chinese;
   * else the reverse.
   */
  encodings?: readonly string[];
}

/**
 * Opens the tools: checks the roots, makes the state directory, and repairs what a killed process left half done. Throws
 * `TypeError` for roots that are no directories, for a state directory inside a root, and for an encoding that there is none of.
 *
 * @example
 * ```ts
 * await using local = await openLocalTools({ roots: "/home/me/project", shell: { sandbox: "bwrap" } });
 * const { output, exit } = await local.command({ script: "npm test" });
 * ```
 */
export async function openLocalTools(options: LocalToolsOptions): Promise<LocalTools> {
  checkOptions(options);
  const {
    maxChars = 12_000,
    policy = defaultLocalPolicy,
    ask,
    shell = {},
    lenient = true,
    keepAttributes = false,
    secrets,
  } = options;
  const values = secrets && valuesOf(secrets);
  for (const name of Object.keys(definitions)) values?.fillingTools.add(name);
  if (!Number.isInteger(maxChars) || maxChars < 200) {
    throw new TypeError(`maxChars must be a whole number from 200, not ${maxChars}`);
  }
  const roots = await Roots.open(typeof options.roots === "string" ? [options.roots] : options.roots);
  const path = resolve(options.stateDir ?? defaultStateDirectory(roots.base));
  const confined = {
    roots: [options.roots].flat().map((root) => resolve(root)),
    hidden: [path, ...(values?.storePath === undefined ? [] : [values.storePath])],
  };
  // The place of artifacts is not made yet, and never wrong.
  const asked = { cwd: roots.base, ...shell, artifactDir: path };
  const { confinement } = checkedShellOptions("openLocalTools: shell", asked, confined);
  await demandOutside(path, roots);
  if (values?.storePath !== undefined) await demandOutside(values.storePath, roots, "the file of secrets");
  const state = await openStateDirectory(path);
  const journal = await openJournal({
    dir: state.journal,
    roots,
    keepAttributes,
    ...(values && { namesIn: values.namesIn }),
  });
  const encodings = new FileEncodings(encodingSettings(roots.paths, options.encodings));
  // What was too long for a result can be read from where it is kept.
  const readable = await Roots.open([...roots.paths, state.artifacts]);
  return new OpenLocalTools({
    roots,
    stateDir: path,
    journal,
    backupDir: state.backups,
    editor: new Editor({
      roots,
      journal,
      backupDir: state.backups,
      lenient,
      encodings,
      ...(values && { mask: (text: string) => values.maskInLines(text) }),
    }),
    reader: new Reader({ roots: readable, maxChars, encodings }),
    policy,
    ask,
    maxChars,
    filler: new PlaceholderFiller(values),
    secrets,
    values,
    shellOptions: { cwd: roots.base, maxChars, ...shell, artifactDir: state.artifacts },
    confined,
    confinement,
  });
}

function checkOptions(options: LocalToolsOptions): void {
  if (options?.roots === undefined)
    throw new TypeError("openLocalTools needs options: { roots }, the directories that may be used");
  checkKeys(
    "openLocalTools",
    options,
    "roots:string|string[] stateDir:text shell:object secrets:object policy:function ask:function maxChars:number lenient:boolean keepAttributes:boolean encodings:string[]",
    [],
    { encodings: 'It must be a list of names, such as ["gb18030"].' },
  );
  const { shell } = options;
  if (shell !== undefined && "artifactDir" in shell) {
    throw new TypeError('openLocalTools: shell has no option "artifactDir": whole outputs lie below stateDir.');
  }
  if (options.encodings !== undefined) checkEncodings(options.encodings);
}
