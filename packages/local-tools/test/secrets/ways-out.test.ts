import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type AskValue, openSecrets } from "../../src/secrets/index.ts";
import { openSession } from "../support/session.ts";

const value = `sk-Tö"k'en $(id) 4711`;

/** A session that knows the value as TOKEN; `seen`: everything that left it. */
async function opened(files: Record<string, string> = {}, ask?: AskValue) {
  const secrets = await openSecrets(ask === undefined ? {} : { ask });
  await secrets.set("TOKEN", value);
  const session = await openSession({ files, secrets, maxChars: 4000 });
  return { ...session, secrets };
}

/** Forms in which the value might be recognised. */
const forms = [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
  Buffer.from(value).toString("base64").slice(0, 20),
  Buffer.from(value).toString("hex"),
  "sk-Tö",
];

function expectHidden(what: unknown): void {
  const text =
    typeof what === "string"
      ? what
      : JSON.stringify(what, (_, part) =>
          part instanceof Error ? `${part.message} ${JSON.stringify({ ...part })}` : part,
        );
  for (const form of forms) expect(text).not.toContain(form);
}

/** All files below a folder, as text. */
function textOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

const long = "x".repeat(6000);

/** Every way out of the tools, each by a message that would bring the value there. */
const waysOut: Record<string, string> = {
  "command output": `<command>printf '%s' "$KARYI{TOKEN}"</command>`,
  "output in pieces": `<command>s="$KARYI{TOKEN}"; for ((i = 0; i < \${#s}; i++)); do printf '%s' "\${s:i:1}"; sleep 0.01; done</command>`,
  "coloured output": `<command>s="$KARYI{TOKEN}"; printf '\\e[31m%s\\e[0m%s' "\${s:0:5}" "\${s:5}"</command>`,
  "derived output": `<command>printf '%s' "$KARYI{TOKEN}" | base64; printf '%s' "$KARYI{TOKEN}" | od -An -tx1; printf '%q' "$KARYI{TOKEN}"</command>`,
  "a long output and its artifact": `<command>seq 3000; printf '%s\\n' "$KARYI{TOKEN}"; seq 3000</command>`,
  tracing: `<command>set -x; : "$KARYI{TOKEN}"; set +x</command>`,
  "the shell's complaint": `<command>cd "$KARYI{TOKEN}"</command>`,
  "a command that fails": `<command>ls "/nowhere/$KARYI{TOKEN}"; exit 3</command>`,
  "the working directory": `<command>mkdir -p 'd/sk' && cd "$(mktemp -d)" && mkdir "$KARYI{TOKEN}" && cd "$KARYI{TOKEN}" && pwd</command>`,
  "a background job": `<command>(sleep 0.2; printf '%s\\n' "$KARYI{TOKEN}") & sleep 0.4</command>`,
  "a program that waits": `<command timeout="2000">printf 'It is %s? ' "$KARYI{TOKEN}"; read -r answer; echo "$answer"</command>`,
  "a file that is read": `<command>printf '%s\\n' "$KARYI{TOKEN}" > a.txt</command><read><file src="a.txt"/></read>`,
  "a line that is cut": `<command>printf '%s' '${long.slice(0, 4990)}' > cut.txt; printf '%s${long}' "$KARYI{TOKEN}" >> cut.txt</command><read><file src="cut.txt"/><search pattern="x{50}" src="cut.txt"/></read>`,
  "a search": `<command>printf 'the %s is here\\n' "$KARYI{TOKEN}" > b.txt</command><read><search pattern="is here"/></read>`,
  "a pattern": `<command>printf 'the %s is here\\n' "$KARYI{TOKEN}" > b.txt</command><read><search pattern="$KARYI{TOKEN}"/></read>`,
  "a path": `<read><file src="no/$KARYI{TOKEN}.txt"/></read>`,
  "an edit's diff": `<command>printf 'before\\n%s\\nafter\\n' "$KARYI{TOKEN}" > c.txt</command><edit><file src="c.txt"><find>before</find><replace>then</replace></file></edit>`,
  "an edit that fails": `<command>printf 'before\\n%s\\nafter\\n' "$KARYI{TOKEN}" > c.txt</command><edit><file src="c.txt"><find>befores\n$KARYI{TOKEN}</find><replace>then</replace></file></edit>`,
  "an edit of its own": `<edit><file src="new.txt"><find><![CDATA[]]></find><replace>$KARYI{TOKEN}</replace></file></edit>`,
};

describe("no value leaves by", () => {
  it.each(Object.entries(waysOut))("%s", async (_name, calls) => {
    const { tell, local, state } = await opened();
    const { text, raw, context } = await tell(`<tools>${calls}</tools>`, { answer: () => ({ approved: true }) });
    expectHidden(text);
    expectHidden(raw);
    expectHidden(context.events);
    expectHidden((await local.shell()).state);
    // The journal keeps contents for an undo, and backups are copies of the user's files.
    expectHidden(textOf(join(state.path, "artifacts")));
    expect(text).not.toContain("UnknownValue");
  });
});

it("no value leaves by an undo, or by the list of changes", async () => {
  const { tell, local } = await opened();
  await tell(
    `<tools><command>printf 'a\\n%s\\n' "$KARYI{TOKEN}" > c.txt; touch "$KARYI{TOKEN}.txt"</command><edit><file src="c.txt"><find>a</find><replace>b</replace></file></edit></tools>`,
  );
  expectHidden(await local.changes());
  const undone = await local.undo();
  expect(undone.files[0]?.diff).toContain("‹TOKEN›");
  expectHidden(undone);
});

it("arrives exactly, whatever stands around it", async () => {
  const { tell, work } = await opened();
  const script = `printf '%s' "$KARYI{TOKEN}" > a; printf %s '$KARYI{TOKEN}' > b; cat > c <<'END'\n$KARYI{TOKEN}\nEND\n`;
  const { text } = await tell(`<tools><command><![CDATA[${script}]]></command></tools>`);
  expect([await work.read("a"), await work.read("b"), await work.read("c")], text).toEqual([
    value,
    value,
    `${value}\n`,
  ]);
});

it("says the name in its place", async () => {
  const { ask } = await opened();
  const { text } = await ask(`<tools><command>echo "Bearer $KARYI{TOKEN}."</command></tools>`);
  expect(text.trim()).toBe("Bearer ‹TOKEN›.");
});
