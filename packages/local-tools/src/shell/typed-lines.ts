import { quoteWord } from "@toolglot/internal";
import { InputGuard } from "./input-guard.ts";
import type { Plumbing } from "./transport.ts";

export interface CommandLine {
  path: string;
  statusPath: string;
  begin: string;
  end: string;
  status: number;
  traced: boolean;
  /** Variables that end with the script. */
  forget: readonly string[];
}

/**
 * What is typed at the shell, one line each, and the marks that come back.
 *
 * | mark | printed by | fields |
 * |---|---|---|
 * | `R` | the rc file | the shell's process id, bash's version, its terminal |
 * | `A` | the typed line, before the script | the command's first secret |
 * | `E` | the typed line, after the script | the command's second secret, exit status, `$-`, directory |
 * | `D` | the input guard's file, see {@link InputGuard} | its secret, 0 or 1, whether something was dropped |
 * | `P` | the prompt | – |
 *
 * All carry the session's nonce, which a script can read (it is in `PS1`): it only distinguishes our marks from those of other programs.
 * What counts is the secret. Both are new with each command and stand only in the line that was typed, which the
 * shell has read to its end before the script starts: no variable, function, file, argument list or environment holds
 * them. `P` proves nothing and only makes the host look whether the shell is at its prompt.
 */
export class TypedLines {
  readonly #nonce: string;
  readonly #plumbing: Plumbing;
  readonly #prompt: string;
  readonly #check: string;

  /** `guardPath`: where the file of the {@link InputGuard} may lie. */
  constructor(nonce: string, plumbing: Plumbing, guardPath: string) {
    this.#nonce = nonce;
    this.#check = InputGuard.check(guardPath);
    this.#plumbing = plumbing;
    // Set anew after each command: a script may have read somebody's .bashrc.
    this.#prompt = `PS1='\\e]633;P;${nonce};0\\a' PS2=`;
  }

  /** Returns the rc file: one shell's set-up. Holds no secret. */
  rcFile(): string {
    return `${[
      "unset HISTFILE; set +o history",
      `PROMPT_COMMAND=${quoteWord(`{ ${this.#check}; } 2>/dev/null`)}`,
      this.#prompt,
      this.#plumbing.setup,
      `builtin printf '\\033]633;R;${this.#nonce};%s;%s;%s\\a' "$$" "\${BASH_VERSINFO[0]}" "$(tty 2>/dev/null)" >${this.#plumbing.markTarget}`,
    ].join("\n")}\n`;
  }

  /**
   * Runs the script that `path` holds. `traced`: `set -x` is on, and must not show any of this. `status`: what `$?` is to be, set by
   * sourcing `statusPath`, where neither `set -e` nor a trap on errors minds it.
   */
  command(line: CommandLine): string {
    const { path, begin, end, status } = line;
    const quiet = [`\\builtin printf '\\033]633;A;%s;%s\\a' ${this.#nonce} ${begin} >${this.#plumbing.markTarget}`];
    if (line.traced) quiet.push("\\builtin set +x");
    if (status !== 0) quiet.push(`\\builtin . ${quoteWord(line.statusPath)} ${status} && \\builtin :`);
    const source = `\\builtin . ${quoteWord(path)}${this.#plumbing.redirections}`;
    return ` { ${quiet.join("; ")}; } 2>/dev/null; ${source}; ${this.probe(end, line.forget).trim()}\n`;
  }

  /** Asks for the end mark of a command that was cut short. `$?` is the one of what ran before. `forget`: as in {@link CommandLine}. */
  probe(end: string, forget: readonly string[]): string {
    const where = `"\${PWD+"\${PWD:0:900}"}"`;
    const mark = `builtin printf '\\033]633;E;%s;%s;%s;%s;%q\\a' ${this.#nonce} ${end} "$?" "$-" ${where} >${this.#plumbing.markTarget}`;
    const unset = forget.length === 0 ? "" : `\\builtin unset -v ${forget.join(" ")}; `;
    return ` { \\${mark}; ${unset}${this.#check}; ${this.#prompt}; } 2>/dev/null\n`;
  }

  /**
   * Restores the shell's builtins. In POSIX mode, which an assignment switches on, `unset` is found before a function of
   * that name; after that everything else can be undone.
   */
  rescue(): string {
    const names = "builtin printf . unset enable set test read";
    return ` POSIXLY_CORRECT=y; \\unset -f ${names} 2>/dev/null; \\unset POSIXLY_CORRECT; \\enable ${names} 2>/dev/null; \\builtin trap - DEBUG # ${this.#nonce}\n`;
  }

  /** Returns true for a line that can only be one of these, echoed or traced. */
  isOurs(line: string): boolean {
    return line.includes(this.#nonce);
  }
}

/** Letters of escapes, and the bytes that they stand for. */
const named: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, e: 27, E: 27 };

/** Parses a text that bash wrote with `printf %q`: plain with backslashes, or `$'…'` with octal bytes, which are read as UTF-8. */
export function unquoteWord(word: string): string {
  if (word === "''") return "";
  if (!word.startsWith("$'")) return word.replace(/\\([\s\S])/g, "$1");
  const body = word.slice(2, -1);
  const bytes: Buffer[] = [];
  // One alternative per kind of escape, each of bounded length.
  for (const [piece, octal, other] of body.matchAll(/\\([0-7]{1,3})|\\([\s\S])|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8) & 0xff]));
    else if (other !== undefined)
      bytes.push(named[other] === undefined ? Buffer.from(other) : Buffer.from([named[other]]));
    else bytes.push(Buffer.from(piece));
  }
  return Buffer.concat(bytes).toString("utf8");
}
