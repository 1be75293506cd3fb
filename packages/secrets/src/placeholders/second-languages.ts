import type { Limit, Range, SimpleCommand, Word } from "./bash-syntax.ts";

/** How a program takes text that it reads as code. */
interface Language {
  /** Which of its arguments are code. */
  code?: (words: readonly Word[]) => readonly Range[];
  /** Whether standard input is code. Default: when none of the arguments is. */
  input?: boolean | ((words: readonly Word[]) => boolean);
}

const shells = /^(?:ba|da|z|k|mk|a)?sh$|^fish$/;

/** Programs and builtins that run the command behind their own options. */
const inFront: ReadonlySet<string> = new Set(
  "builtin chroot chrt command doas env exec ionice nice nohup numactl runuser setsid stdbuf sudo time timeout unshare".split(
    " ",
  ),
);

/** Programs in whose arguments a command may stand anywhere. */
const hasCommands: ReadonlySet<string> = new Set(
  "docker find flatpak-spawn kubectl lxc nerdctl oc parallel podman ssh systemd-run watch xargs".split(" "),
);

/** Returns the word behind an option, or what is joined to it: `-c code`, `-ccode`, `--eval=code`. */
function behind(option: RegExp): (words: readonly Word[]) => readonly Range[] {
  return (words) =>
    words.flatMap((word, index) => {
      const { text } = word;
      if (text !== undefined && option.test(text)) {
        // Between the option and its code other options may stand: bash -c -x 'code'.
        const code = words.slice(index + 1).find((each) => !/^[-+]./.test(each.text ?? ""));
        return code === undefined ? [] : [code];
      }
      return [];
    });
}

const all = (words: readonly Word[]): readonly Range[] => words;
const never = (): readonly Range[] => [];

/** True when no argument names a script: an interpreter reads its standard input then. */
const hasNoScript = (words: readonly Word[]): boolean =>
  words.every(({ text }) => text !== undefined && (/^[-+]/.test(text) || text === "/dev/stdin"));

const shell: Language = {
  code: behind(/^[-+][A-Za-z]*c[A-Za-z]*$/),
  input: (words) => words.some(({ text }) => text === "-s") || hasNoScript(words),
};
const interpreter = (option: RegExp): Language => ({ code: behind(option), input: hasNoScript });
const readsFile = (words: readonly Word[]): boolean =>
  words.some(({ text }) => /^(?:-f)?(?:-|\/dev\/stdin)$/.test(text ?? ""));

/** By base name. */
const languages: readonly (readonly [name: RegExp, language: Language])[] = [
  [/^(?:eval|let)$/, { code: all, input: false }],
  [/^(?:source|\.)$/, { code: never, input: readsFile }],
  [shells, shell],
  [/^su$|^runuser$/, { code: behind(/^(?:-c|--command)$/), input: true }],
  [/^script$/, { code: behind(/^-[a-z]*c$|^--command$/), input: false }],
  [/^ssh$|^rsh$|^mosh$/, { code: all, input: (words) => words.length < 2 || words.some(isShell) }],
  [/^[gmn]?awk$/, { code: all, input: readsFile }],
  [/^g?sed$/, { code: all, input: readsFile }],
  // `--arg name value` is data.
  [/^(?:jq|gojq|yq)$/, { code: (words) => words.filter((_, at) => words[at - 2]?.text !== "--arg"), input: false }],
  [/^(?:perl|ruby|lua)[\d.]*$/, interpreter(/^-[A-Za-z0-9]*[eEp]$/)],
  [/^(?:node|nodejs|bun|deno)$/, interpreter(/^(?:-[a-z]*[ep]|--eval|--print|eval)$/)],
  [/^(?:python|pypy)[\d.]*$/, interpreter(/^-[A-Za-z]*c$/)],
  [/^php[\d.]*$/, interpreter(/^-[rBRE]$/)],
  [/^(?:watch|parallel|tmux|expect|osascript)$/, { code: all, input: true }],
  [/^(?:psql|mysql|mariadb|sqlite3|duckdb)$/, { code: all, input: true }],
  [/^git$/, { code: behind(/^-c$/), input: false }],
  [
    /^(?:g?make|ninja)$/,
    {
      code: (words) => words.filter(({ assigns, text }) => assigns !== undefined || text === undefined),
      input: readsFile,
    },
  ],
  [/^xargs$/, { code: never, input: (words) => words.some(isShell) }],
];

/** Builtins whose arguments are names of variables: bash evaluates the subscript of one, `a[$(cmd)]`. */
const takesNames: readonly (readonly [name: RegExp, names: (words: readonly Word[]) => readonly Range[]])[] = [
  [/^(?:read|unset|mapfile|readarray|getopts)$/, all],
  [/^printf$/, behind(/^-v$/)],
  [/^(?:test|\[)$/, behind(/^-v$/)],
  [/^wait$/, behind(/^-p$/)],
  [/^(?:declare|typeset|local|readonly|export)$/, (words) => words.map(nameOf)],
];

/** Builtins that keep what they are given for later, or expand it once more. */
const keeps: readonly (readonly [name: RegExp, what: string])[] = [
  [/^trap$/, "a trap, which outlives the script"],
  [/^alias$/, "an alias, which outlives the script"],
  [/^(?:complete|compgen|compopt|bind|history|fc)$/, "what the shell keeps for later"],
];

/** Names that mean something only where a command's name stands. */
const builtinOnly = /^(?:eval|let|source|\.|\[|read|unset|export|local|trap|alias|bind|wait|fc|history|complete)$/;

const keepsVariable = /^(?:PROMPT_COMMAND|PS[0-4]|BASH_ENV|ENV)$/;

/** Returns the part of `name=value` that is a name; all of a word that is no assignment. */
function nameOf(word: Word): Range {
  return word.assigns === undefined ? word : { start: word.start, end: word.assigns.valueStart };
}

function isShell({ text }: Word): boolean {
  return text !== undefined && shells.test(baseName(text));
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * Returns what values must be in the parts of a command that something else than bash reads as code, or that outlive the script. `eval "$KARYI{X}"`:
 * plain. `python3 -c "print('$KARYI{X}')"`: plain; `python3 -c '…' "$KARYI{X}"`: anything, since an argument is data.
 */
export function limitsOf(command: SimpleCommand): Limit[] {
  const limits: Limit[] = [];
  const add = (ranges: readonly Range[], allows: Limit["allows"], what: string): void => {
    for (const { start, end } of ranges) limits.push({ start, end, allows, what });
  };
  const { words, assignments } = command;
  for (const word of [...assignments, ...words]) {
    if (keepsVariable.test(word.assigns?.name ?? ""))
      add([word], "none", `${word.assigns?.name}, which the shell expands later`);
  }
  const input = command.inputs.flat();
  for (const [index, { text }] of words.entries()) {
    const rest = words.slice(index + 1);
    if (index > 0 && builtinOnly.test(text ?? "") && !/^(?:builtin|command)$/.test(words[0]?.text ?? "")) continue;
    if (text === undefined) {
      if (!isCommand(words, index)) continue;
      // Nobody knows which program that is.
      add([...words.slice(index), ...input], "plain", "a command whose name is computed");
      break;
    }
    const name = baseName(text);
    for (const [form, what] of keeps) if (form.test(name)) add(rest, "none", what);
    for (const [form, names] of takesNames) {
      if (form.test(name)) add(names(rest), "plain", `a name that ${name} evaluates`);
    }
    if (/^(?:declare|typeset|local)$/.test(name)) addDeclared(rest, add);
    for (const [form, language] of languages) {
      if (!form.test(name)) continue;
      const code = language.code?.(rest) ?? [];
      add(
        code,
        name === "let" ? "number" : "plain",
        name === "let" ? "an arithmetic expression" : `text that ${name} reads as code`,
      );
      const readsInput = typeof language.input === "function" ? language.input(rest) : language.input;
      if (readsInput && !(code.length > 0 && language.code !== all))
        add(input, "plain", `text that ${name} reads as code`);
    }
    // A script by process substitution: bash <(…), source <(…).
    if ((shells.test(name) && shell.code?.(rest).length === 0) || /^(?:source|\.)$/.test(name)) {
      add(rest.filter((word) => word.text === undefined).slice(0, 1), "plain", `a script that ${name} runs`);
    }
    if (name === "env" || name === "sudo" || name === "doas") addOptions(name, rest, add);
    if (index === 0 && !inFront.has(name) && !hasCommands.has(name)) break;
  }
  return limits;
}

/** Checks whether a computed word may be a command's name: the first one, and those behind programs such as `sudo`. */
function isCommand(words: readonly Word[], index: number): boolean {
  if (index === 0) return true;
  const before = words[index - 1]?.text ?? "";
  return (
    inFront.has(baseName(words[0]?.text ?? "")) &&
    !before.startsWith("-") &&
    !/^[A-Za-z_]\w*=/.test(words[index]?.written ?? "")
  );
}

type Add = (ranges: readonly Range[], allows: Limit["allows"], what: string) => void;

function addDeclared(words: readonly Word[], add: Add): void {
  if (words.some(({ text }) => /^-[A-Za-z]*i/.test(text ?? ""))) add(words, "number", "a value that bash evaluates");
  if (words.some(({ text }) => /^-[A-Za-z]*n/.test(text ?? ""))) add(words, "plain", "the name of a variable");
}

function addOptions(name: string, words: readonly Word[], add: Add): void {
  if (name === "env") add(behind(/^-[a-z0]*S|^--split-string/)(words), "plain", "text that env splits into a command");
  // A shell is given the rest as one text.
  else if (words.some(({ text }) => /^-[a-zA-Z]*[si]|^--(?:shell|login)$/.test(text ?? "")))
    add(words, "plain", "a shell's command");
}
