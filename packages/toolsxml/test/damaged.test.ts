import { isDeepStrictEqual } from "node:util";
import { isRunnable, type Span } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { parse, type ToolsXmlCall } from "../src/index.ts";
import { damaged, samples, writeSample } from "./damaged-tags.ts";
import { readChunks, tools } from "./read-chunks.ts";

/** Of some thirty thousand cases a plain run takes one in so many, other ones of each sample. */
const every = rounds(16, 1);

const overlap = (a: Span, b: Span): boolean => a.start <= b.end && b.start <= a.end;

/** A call without a required parameter is refused by who runs it. */
function isWhole(call: ToolsXmlCall): boolean {
  const tool = call.tool === "custom" ? tools.find(({ name }) => name === call.name) : undefined;
  return call.tool !== "custom" || (tool?.inputSchema.required ?? []).every((key) => Object.hasOwn(call.input, key));
}

/** What nobody would notice: a call with another value than meant and without a finding that holds it back, or a call lost unsaid. */
function silent(text: string, meant: readonly object[]): string | undefined {
  const { blocks, diagnostics } = parse(text, { tools });
  const said = diagnostics.filter(({ severity }) => severity !== "info");
  let next = 0;
  let ran = 0;
  let refused = 0;
  for (const block of blocks.filter(isRunnable)) {
    const findings = said.filter(({ affects, span }) => affects === "value" && overlap(span, block.span));
    const hits = findings.map(({ span }) => block.calls.filter((call) => overlap(span, call.span)));
    const holdsAll = hits.some((hit) => hit.length === 0);
    for (const call of block.calls) {
      if (!isWhole(call)) {
        refused += 1;
        continue;
      }
      ran += 1;
      const { span: _, ...value } = JSON.parse(JSON.stringify(call)) as ToolsXmlCall;
      const at = meant.findIndex((want, index) => index >= next && isDeepStrictEqual(want, value));
      if (at >= 0) next = at + 1;
      else if (!holdsAll && !hits.some((hit) => hit.includes(call))) return `runs ${JSON.stringify(value)}`;
    }
  }
  return ran < meant.length && said.length + refused === 0 ? "lost" : undefined;
}

describe("one damaged tag runs what was meant, is held back, or runs nothing of its call", () => {
  it.each(samples)("$name", (sample) => {
    expect(silent(writeSample(sample), sample.meant)).toBeUndefined();
    const found = [...damaged(sample)]
      .filter((_, index) => (index + sample.name.length) % every === 0)
      .flatMap(({ what, text }) => {
        const fault = silent(text, sample.meant);
        return fault === undefined ? [] : [`${what}\n${text}\n${fault}`];
      });
    expect(found).toEqual([]);
  });
});

/** Findings beyond `info`, and whether they hold the calls back. */
const doubts = (text: string): string[] =>
  readChunks([text])
    .result.diagnostics.filter(({ severity }) => severity !== "info")
    .map(({ code, affects }) => `${code} ${affects}`);
const doubt = "toolsxml/doubtful-close value";
const edit = (replace: string): string =>
  `<tools>\n<edit><file src="a"><find>x</find><replace>${replace}</replace></file></edit>\n</tools>`;
const command = (script: string): string => `<tools>\n<command>${script}</command>\n</tools>`;

describe("a body is in doubt", () => {
  it.each([
    "x = 1\n<find>y = 0</find><replace>y = 2",
    "x = 1</replace>",
    "x = 1</replac>",
    "x = 1</repl>",
    "x = 1</repalce>",
    "x = 1＜/replace＞",
    "x = 1[/replace]",
    "x = 1/replace>",
    "x = 1<\\replace>",
    "x = 1<",
    ">x = 1",
    "x = 1</file>",
    "a <find>b <replace>c</find> d</replace>",
  ])("when its tags don't balance in an edit: %j", (body) => {
    expect(doubts(edit(body))).toEqual([doubt]);
  });

  it.each([
    "npm test</command>\ncommand>make clean",
    "npm test</command>\n＜command>make clean",
    "npm test</command>\n[command]make clean",
    "npm test\ncommand>make clean",
    "npm test<command>make clean",
    "npm test</comand>",
    "npm test</edit>",
    "npm test # all of it</command>\n<cmd>make clean",
    "cat > a <<'E'\n  a: 1\nE</command>\ncommand>cat > b <<'E'\n  b: 1\nE",
    "echo it's done</command><cmd>echo don't",
    "echo 'one</command>\n<cmd>two'",
    'echo "</command>',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a script
    "echo ${#a[@]} '</command>\n<cmd>'",
  ])("when its tags don't balance in a script: %j", (script) => {
    expect(doubts(command(script))).toEqual([doubt]);
  });

  it("also where the two calls stand on one line", () => {
    expect(doubts("<tools><command>npm test</comand><command>make clean</command></tools>")).toEqual([doubt]);
  });
});

describe("a body is in no doubt", () => {
  it.each([
    "<p>a<br><input name=x><li>b",
    "<head>\n<title>x</title>",
    "</div></form>",
    '<files>\n  <file src="a.dll" target="lib" />\n</files>',
    "<command>a</command>",
    "const all: Array<File> = new Map<string, List<File>>();",
    "new Set<Edit>()</Foo>",
    "Write `<find>` and `</replace>` into a `<tools>` block.",
    'if (text === "</find>") return;',
    "<tools>\n<edit><file src='a'><find>1</find><replace>2</replace></file></edit>\n</tools>",
    "<!-- <find> -->",
    "<a href=/edit>edit</a>",
    "> quoted",
    "[tools]\n[find]x[/find]",
    "<Tile /> <edit/>",
  ])("in an edit: %j", (body) => {
    expect(doubts(edit(body))).toEqual([]);
  });

  it.each([
    "echo '</command>'",
    'grep "<command>" a',
    "cat <<E\n</command>\nE\nls",
    'cat <<-"A B"\n\t</command>\n\tA B\nls',
    "node -e '\nconst a = \"<command>x</command>\";\n'",
    'echo $\'it\\\'s </command>\' && echo "$(echo "</tools>")"',
    "sort <input>output && cat <file >other",
    "command -v node >/dev/null; $command>log",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a script
    "echo ${#list[@]} # don't\necho '</command>'",
    "echo it\\'s '</command>'",
  ])("in a script: %j", (script) => {
    expect(doubts(command(script))).toEqual([]);
  });
});
