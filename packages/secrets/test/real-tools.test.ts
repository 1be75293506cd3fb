import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { awkwardValues, longestShown, masked } from "./masking.ts";

const has = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

/** Prints the value that it gets in `V` and on standard input, in its own way. */
interface Printer {
  name: string;
  needs: string;
  script: string;
  env?: Record<string, string>;
}

const printers: Printer[] = [
  { name: "base64", needs: "base64", script: "base64" },
  { name: "base64 -w 10", needs: "base64", script: "base64 -w 10" },
  { name: "base64 -w 7, lines joined by blanks", needs: "base64", script: "echo $(base64 -w 7)" },
  { name: "user:value, base64", needs: "base64", script: `printf 'user:%s' "$V" | base64 -w 0` },
  { name: "value behind one byte, base64", needs: "base64", script: `printf 'u%s.' "$V" | base64 -w 76` },
  { name: "wrapped base64 in JSON", needs: "jq", script: "base64 -w 20 | jq -R -s ." },
  { name: "UTF-16LE, base64", needs: "iconv", script: "iconv -t UTF-16LE | base64 -w 20" },
  {
    name: "URL-safe base64",
    needs: "python3",
    script: `python3 -c 'import base64,os; print(base64.urlsafe_b64encode(os.environb[b"V"]).decode().rstrip("="))'`,
  },
  { name: "xxd", needs: "xxd", script: "xxd" },
  { name: "xxd in the middle of a line", needs: "xxd", script: `printf 'abcde%sxyz' "$V" | xxd` },
  { name: "xxd -p -c 7", needs: "xxd", script: "xxd -p -c 7" },
  { name: "xxd -i", needs: "xxd", script: "xxd -i" },
  { name: "xxd -u -g 1", needs: "xxd", script: "xxd -u -g 1" },
  { name: "xxd -e", needs: "xxd", script: `printf 'ab%s  ' "$V" | xxd -e -g 2` },
  { name: "od -x", needs: "od", script: "od -x" },
  { name: "od -An -x behind one byte", needs: "od", script: `printf 'a%sb' "$V" | od -An -x` },
  { name: "od -A x -t x1z", needs: "od", script: "od -A x -t x1z" },
  { name: "od -x, big first", needs: "od", script: "od --endian=big -x" },
  { name: "hexdump -C", needs: "hexdump", script: `printf '12345%s' "$V" | hexdump -C` },
  { name: "hexdump", needs: "hexdump", script: `printf '12345%s ' "$V" | hexdump` },
  { name: "hex of openssl", needs: "openssl", script: 'openssl base64; printf %s "$V" | openssl enc -base64 -A' },
  { name: "printf %q", needs: "bash", script: `printf '%q\\n' "$V"` },
  { name: "printf %q, locale C", needs: "bash", script: `printf '%q\\n' "$V"`, env: { LC_ALL: "C" } },
  { name: "declare -p", needs: "bash", script: "declare -p V" },
  { name: "set -x", needs: "bash", script: `exec 2>&1; set -x; : "$V"` },
  { name: "quoted by bash", needs: "bash", script: `echo "\${V@Q}"` },
  { name: "coreutils printf %q", needs: "bash", script: `env printf '%q\\n' "$V"` },
  {
    name: "json of Python",
    needs: "python3",
    script: `python3 -c 'import json,os; v=os.environ["V"]; print(json.dumps(v), json.dumps(v, ensure_ascii=False), json.dumps(json.dumps({"a": v})))'`,
  },
  {
    name: "repr of Python",
    needs: "python3",
    script: `python3 -c 'import os; print(repr(os.environ["V"]), os.environb[b"V"], ascii(os.environ["V"]))'`,
  },
  {
    name: "shlex of Python",
    needs: "python3",
    script: `python3 -c 'import shlex,os; print(shlex.quote(os.environ["V"]))'`,
  },
  {
    name: "URL of Python",
    needs: "python3",
    script: `python3 -c 'import urllib.parse as u,os; v=os.environ["V"]; print(u.quote(v), u.quote_plus(v), u.quote(v, safe=""))'`,
  },
  {
    name: "HTML of Python",
    needs: "python3",
    script: `python3 -c 'import html,os; v=os.environ["V"]; print(html.escape(v), html.escape(v, False), v.encode("ascii","xmlcharrefreplace").decode())'`,
  },
  {
    name: "hex of Python",
    needs: "python3",
    script: `python3 -c 'import os; b=os.environb[b"V"]; print(b.hex(), b.hex(":"), [hex(c) for c in b if c > 15] == 0, "".join("\\\\x%02x" % c for c in b), "".join("%%%02X" % c for c in b))'`,
  },
  {
    name: "jq",
    needs: "jq",
    script: `jq -n '$ENV.V, ($ENV.V | @json)'; jq -n -r '$ENV.V | @uri, @base64, @html, @sh'`,
  },
  { name: "jq -a", needs: "jq", script: "jq -n -a '$ENV.V'" },
  { name: "rev", needs: "rev", script: "rev" },
];

const mark = "=====";

/** What each of the programs prints of a value. One shell runs all of them: starting programs is what takes the time. */
function printAll(all: readonly Printer[], value: string): string[] {
  const script = all.map(
    ({ script, env }) =>
      `(${Object.entries(env ?? {}).map(([name, text]) => `export ${name}=${text}; `)}${script}) <"$F"; echo; echo ${mark}`,
  );
  const folder = mkdtempSync(join(tmpdir(), "toolglot-printed-"));
  try {
    const file = join(folder, "value");
    writeFileSync(file, value);
    const printed = execFileSync("bash", ["-c", script.join("\n")], {
      env: { PATH: process.env.PATH ?? "", LC_ALL: "C.UTF-8", V: value, F: file },
      encoding: "utf8",
      maxBuffer: 2 ** 26,
      stdio: ["ignore", "pipe", "pipe"],
    });
    return printed.split(`\n${mark}\n`).slice(0, -1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it("should not show what real programs print of a value", () => {
  const here = printers.filter(({ needs }) => has(needs));
  fc.assert(
    // In base64 with something before it, eight digits must be of the value alone.
    fc.property(
      awkwardValues.filter(({ length }) => length >= 9),
      (value) => {
        const printed = printAll(here, value);
        expect(printed).toHaveLength(here.length);
        for (const [index, text] of printed.entries()) {
          const shown = masked(text, { V: value });
          const about = JSON.stringify([here[index]?.name, value, text, shown]);
          expect(shown, about).toContain("‹V›");
          // Six characters of a value stand in a text by chance: "cccccc".
          if (new Set(value).size > 8) expect(longestShown(value, shown, 8), about).toBeLessThan(8);
        }
      },
    ),
    { numRuns: rounds(1, 200), endOnFailure: true },
  );
}, 1_800_000);
