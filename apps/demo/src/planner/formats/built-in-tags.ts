/** How a value stands in its element; slips write it in other ways. */
export type BodyWriter = (value: string) => string;

const builtIns = ["command", "edit", "read", "input", "ctrl"] as const;
type BuiltIn = (typeof builtIns)[number];

/** Whether ToolsXML has a tag of its own for it. */
export function isBuiltIn(name: string): name is BuiltIn {
  return (builtIns as readonly string[]).includes(name);
}

/** Raw bodies need no escaping; only what looks like an entity, CDATA or one of the tags around it is put into CDATA. */
const rawBody: BodyWriter = (value) =>
  /&(?:\w+|#\w+);|<!\[CDATA\[|\]\]>|\r|<\/?(?:command|edit|file|find|replace|input|tools)\b/i.test(value)
    ? `<![CDATA[${value.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`
    : value;

interface FileEdits {
  src: string;
  edits: { find: string; replace: string; all?: boolean }[];
}

/** A call as its built-in tag. */
export function writeBuiltIn(name: BuiltIn, input: Record<string, unknown>, raw: BodyWriter = rawBody): string {
  switch (name) {
    case "command": {
      const { script, timeoutMs, cwd } = input as { script: string; timeoutMs?: number; cwd?: string };
      const lines = raw(script.includes("\n") ? `\n${script.replaceAll(/^(?=.)/gm, "    ")}\n  ` : script);
      // Nothing is taken off what stands in CDATA.
      const text = lines.startsWith("<![CDATA[") ? raw(script) : lines;
      const timeout = timeoutMs === undefined ? undefined : timeoutMs / 1000;
      return `  <command${attributes({ timeout, cwd })}>${text}</command>\n`;
    }
    case "edit": {
      const files = (input as { files: FileEdits[] }).files.map(({ src, edits }) => {
        const pairs = edits.map(
          ({ find, replace, all }) =>
            `      <find${attributes({ all })}>${exact(find, raw)}</find>\n      <replace>${exact(replace, raw)}</replace>\n`,
        );
        return `    <file${attributes({ src })}>\n${pairs.join("")}    </file>\n`;
      });
      return `  <edit>\n${files.join("")}  </edit>\n`;
    }
    case "read": {
      const { files = [], searches = [] } = input as Record<"files" | "searches", Values[] | undefined>;
      const parts = [
        ...files.map((file) => `    <file${attributes(file)}/>\n`),
        ...searches.map((search) => `    <search${attributes(search)}/>\n`),
      ];
      return `  <read>\n${parts.join("")}  </read>\n`;
    }
    case "input":
      return `  <input>${raw(escaped((input as { data: string }).data))}</input>\n`;
    case "ctrl":
      return `  <ctrl>${(input as { key: string }).key}</ctrl>\n`;
  }
}

type Values = Record<string, string | number | boolean | undefined>;

function attributes(values: Values): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${attributeText(String(value))}"`)
    .join("");
}

function attributeText(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** One line break after the opening and before the closing tag does not count. */
function exact(text: string, raw: BodyWriter): string {
  return text.includes("\n") ? `\n${raw(text)}\n` : raw(text);
}

function escaped(data: string): string {
  const signs: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  return data.replaceAll(/[\\\n\r\t]/g, (sign) => signs[sign] ?? sign);
}
