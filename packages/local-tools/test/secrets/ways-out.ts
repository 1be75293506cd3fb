/** What stands in files of the working directory when a model looks at it, and how it stands there. */
export interface Placed {
  /** A file with the text between other words: `~~ TEXT ~~`. */
  readonly file: string;
  /** The same file in pieces, in order: cut anywhere. */
  readonly pieces: readonly string[];
  /** A file with one line of thousands of characters that holds the text about where a line is cut. */
  readonly long: string;
  /** A folder with one folder in it, whose name holds the text, when a name can hold it. */
  readonly named: string | undefined;
}

/** A way out of the tools: what a model writes to bring a text there. One message after another. */
export interface WayOut {
  /** The ToolsXML calls of each message. */
  messages(placed: Placed): readonly string[];
  /** It shows lines apart from those around them. */
  isCut?: true;
  /** It needs a name that holds the text. */
  needsName?: true;
}

const command = (script: string, attributes = ""): string => `<command${attributes}><![CDATA[${script}]]></command>`;
const enter = "<input>\\n</input>";

/** Texts that programs print, or that stand in files: any form of a value. */
export const waysOfTexts: Readonly<Record<string, WayOut>> = {
  "command output": { messages: ({ file }) => [command(`cat ${file}`)] },
  "what is printed on standard error": { messages: ({ file }) => [command(`cat ${file} >&2; false`)] },
  "output in pieces, and progress": {
    messages: ({ pieces }) => [command(`for p in ${pieces.join(" ")}; do cat $p; sleep 0.01; done`)],
  },
  "results of a command that runs": {
    messages: ({ pieces }) => [
      command(`for p in ${pieces.join(" ")}; do cat $p; read -rs x; done`, ' timeout="5"'),
      ...pieces.map(() => enter),
    ],
  },
  "a question of a program": {
    messages: ({ file }) => [command(`cat ${file}; read -r x; echo "$x"`, ' timeout="5"'), enter],
  },
  "coloured output": {
    messages: ({ pieces }) => [
      command(`for p in ${pieces.join(" ")}; do printf '\\e[31m'; cat $p; printf '\\e[0m'; done`),
    ],
  },
  "a long output, and its artifact": {
    messages: ({ file }) => [command(`seq 10000 11000; cat ${file}; seq 20000 21000`)],
  },
  "a background job": { messages: ({ file }) => [command(`(sleep 0.02; cat ${file}) & sleep 0.1`)] },
  "a full-screen program": {
    messages: ({ file }) => [
      command(`printf '\\e[?1049h\\e[H'; cat ${file}; read -rs x; printf '\\e[?1049l'`, ' timeout="5"'),
      enter,
    ],
  },
  "a file that is read": { messages: ({ file }) => [`<read><file src="${file}"/></read>`] },
  "lines of a file": { isCut: true, messages: ({ file }) => [`<read><file src="${file}:2-9"/></read>`] },
  "a line that is cut": { isCut: true, messages: ({ long }) => [`<read><file src="${long}"/></read>`] },
  "a search": { isCut: true, messages: ({ file }) => [`<read><search pattern="." src="${file}"/></read>`] },
  "a search in a long line": {
    isCut: true,
    messages: ({ long }) => [
      `<read><search pattern="~~ ." src="${long}"/><search pattern="[^x] ~~" src="${long}"/><search pattern="[^x ~]{6}" src="${long}"/></read>`,
    ],
  },
  "the diff of an edit, and of its undoing": {
    isCut: true,
    messages: ({ file }) => [
      `<edit><file src="${file}"><find>the first line</find><replace>another</replace></file></edit>`,
    ],
  },
  "an edit that fails": {
    isCut: true,
    messages: ({ file }) => [
      `<edit><file src="${file}"><find>the very first line\n~~ what stands here ~~</find><replace>x</replace></file></edit>`,
    ],
  },
  "a copy of a protected file": {
    isCut: true,
    messages: ({ file }) => [
      `${command(`cp ${file} .env`)}<edit><file src=".env"><find>the first line</find><replace>another</replace></file></edit>`,
    ],
  },
  "names in a folder": {
    needsName: true,
    messages: ({ named }) => [`${command(`ls -N ${named}`)}<read><file src="${named}"/></read>`],
  },
  "the working directory": {
    needsName: true,
    messages: ({ named }) => [command(`cd ${named}/* && pwd; cat ./*`), command("cd - > /dev/null; cd .")],
  },
  "the path of a match": {
    needsName: true,
    messages: ({ named }) => [`<read><search pattern="^inside" src="${named}"/></read>`],
  },
};

/** What a model writes with a placeholder: the value as it is. */
export const waysOfPlaceholders: Readonly<Record<string, readonly string[]>> = {
  "a script that prints it": [command(`printf '%s' "$KARYI{TOKEN}"`)],
  "a script that prints each character": [
    command(`s="$KARYI{TOKEN}"; for ((i = 0; i < \${#s}; i++)); do printf '%s' "\${s:i:1}"; done; unset s`),
  ],
  "derived output": [
    command(
      `printf '%s' "$KARYI{TOKEN}" | base64; printf '%s' "$KARYI{TOKEN}" | od -An -tx1; printf '%q' "$KARYI{TOKEN}"`,
    ),
  ],
  "tracing of a script": [command(`set -x; : "$KARYI{TOKEN}"; { set +x; } 2>/dev/null`)],
  "a variable that is shown": [command(`x="$KARYI{TOKEN}"; declare -p x; unset x`)],
  "the shell's complaint": [command(`cd "$KARYI{TOKEN}"`)],
  "the complaint of a program": [command(`ls "./nowhere/$KARYI{TOKEN}"`)],
  "an edit of its own": [
    '<edit><file src="new.txt"><find><![CDATA[]]></find><replace>~~ $KARYI{TOKEN}</replace></file></edit>',
  ],
  "an edit that finds it": [
    `<edit><file src="new.txt"><find>$KARYI{TOKEN}</find><replace>gone</replace></file></edit>`,
    `<edit><file src="new.txt"><find>$KARYI{TOKEN}</find><replace>gone</replace></file></edit>`,
  ],
  "a path": [`<read><file src="no/$KARYI{TOKEN}.txt"/></read>`],
  "a pattern": [`<read><search pattern="$KARYI{TOKEN}"/><search pattern="none" src="no/$KARYI{TOKEN}"/></read>`],
  "input that is typed": [
    command("read -r x; printf '%s' \"$x\"; unset x", ' timeout="5"'),
    "<input>$KARYI{TOKEN}\\n</input>",
    enter,
  ],
  "variables after the script": [
    command(`: "$KARYI{TOKEN}"`),
    command(
      "set; declare -p; compgen -v; export -p; history; cat /proc/$$/environ /proc/$$/cmdline | tr '\\0' '\\n'; env",
    ),
  ],
};
