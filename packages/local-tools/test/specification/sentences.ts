/** A sentence of the ToolsXML specification, or of its rules of execution, and where it is tested. */
export interface Sentence {
  /** `1 <command>`, `principle 3`, `Execution`. */
  section: string;
  /** In English. */
  text: string;
  /** Test file, and what a test's name there says. */
  tests: readonly (readonly [file: string, name: string])[];
}

/** What has no test here, and why. */
export interface Exception {
  section: string;
  text: string;
  reason: string;
}

/** All that says something about running. What is said of secrets (4, "Security and variables") has only the tests of its refusal. */
export const sentences: readonly Sentence[] = [
  {
    section: "introduction",
    text: "By a ToolsXML block in the `tools` field of its response the AI asks the system to run concrete operations: changing files, running commands, talking with the user.",
    tests: [["principles", "by a block in the `tools` field of its response"]],
  },
  {
    section: "principle 1",
    text: "XML describes what is to be done, not how.",
    tests: [["principles", "XML says what is to be done, not how"]],
  },
  {
    section: "principle 2",
    text: "All operations and parameters have a strict hierarchy and types, which makes them easy to parse and validate.",
    tests: [
      ["principles", "every operation and parameter has its place and type"],
      ["principles", "every operation and parameter has a type"],
    ],
  },
  {
    section: "principle 3",
    text: "<tools> may hold several different tool tags.",
    tests: [["principles", "<tools> may hold several different tool tags"]],
  },
  {
    section: "principle 3",
    text: "These tools may be run in parallel by the system.",
    tests: [
      ["principles", "several tools of one block may run in parallel"],
      ["principles", "reads of one block are under way at one time"],
    ],
  },
  {
    section: "principle 4",
    text: "A single block is stateless.",
    tests: [["principles", "a block is stateless"]],
  },
  {
    section: "principle 4",
    text: "All state is kept by the AI, by studying the results of the last round.",
    tests: [
      ["principles", "state is kept by the model's study of the last results"],
      ["agent", "reads the error, edits rightly"],
    ],
  },
  {
    section: "root element",
    text: "All tool calls must be wrapped in one <tools> root element.",
    tests: [
      ["principles", "every call must be wrapped in a <tools> element"],
      ["principles", "example: a block that holds only a comment"],
    ],
  },
  {
    section: "1 <command>",
    text: "Runs one or more shell commands.",
    tests: [
      ["command", "runs a shell command"],
      ["command", "runs several shell commands, in order"],
    ],
  },
  {
    section: "1 <command>",
    text: "Content: the shell script, which is run in the session's interactive pseudo-terminal (pty).",
    tests: [
      ["command", "the content is a shell script"],
      ["command", "runs in the session's interactive pseudo-terminal"],
    ],
  },
  {
    section: "1 <command>",
    text: "Commands run in a persistent pty of the session: they have the environment variables and the working directory that earlier commands set.",
    tests: [
      ["command", "a command finds the environment variables that earlier ones set"],
      ["command", "a command finds the working directory where earlier ones went"],
    ],
  },
  { section: "1 <command>", text: "Example.", tests: [["command", "example: npm install and npm run build"]] },
  {
    section: "2 <edit>",
    text: "Changes one or more files by find and replace.",
    tests: [["edit", "example: one replacement in a file, and several in another"]],
  },
  {
    section: "2 <edit>",
    text: "This is a safer and more structured way to change files than sed or awk.",
    tests: [
      ["edit", "is safer than sed or awk"],
      ["edit", "is more structured than sed or awk"],
    ],
  },
  {
    section: "2 <edit>",
    text: "src (required): relative or absolute path of the file to edit.",
    tests: [
      ["edit", "is a relative path"],
      ["edit", "is an absolute path"],
      ["edit", "is required"],
    ],
  },
  {
    section: "2 <edit>",
    text: "<find> (required): the text to find.",
    tests: [
      ["edit", "%s is required"],
      ["edit", "find is the text to be found"],
    ],
  },
  {
    section: "2 <edit>",
    text: "<replace> (required): the text afterwards.",
    tests: [
      ["edit", "%s is required"],
      ["edit", "replace is the text that stands there afterwards"],
    ],
  },
  {
    section: "2 <edit>",
    text: "A <file> may have several pairs of <find> and <replace>, which are made on the file in order.",
    tests: [
      ["edit", "each finds what those before it left"],
      ["edit", "one that finds only what is no longer there undoes them all"],
    ],
  },
  { section: "2 <edit>", text: "Example.", tests: [["edit", "example: one replacement in a file"]] },
  {
    section: "3 <read>",
    text: "Reads the content of a file, or lists the files in a directory, so that the AI gets information.",
    tests: [
      ["read", "reads the content of a file, so that the model learns it"],
      ["read", "lists the files in a directory"],
    ],
  },
  {
    section: "3 <read>",
    text: "src (required): path of the file or directory to read.",
    tests: [
      ["read", "is a file or a directory, by a relative or an absolute path"],
      ["read", "is required"],
    ],
  },
  {
    section: "3 <read>",
    text: "<search>: planned. (The rules of execution have it: pattern, src, glob.)",
    tests: [
      ["read", "finds a pattern, with file and line"],
      ["read", "takes a folder and a glob"],
    ],
  },
  {
    section: "3 <read>",
    text: "Example.",
    tests: [["read", "example: reads package.json, and lists files and subdirectories of src/"]],
  },
  { section: "4 <get_value>", text: "Example.", tests: [["variables", "example: is answered by an error"]] },
  {
    section: "5",
    text: "These tools interact with the interactive pty shell that <command> made.",
    tests: [["interaction", "works with the interactive shell that <command> made"]],
  },
  {
    section: "5 <input>",
    text: "Writes to the standard input of the pty shell, mostly to answer an interactive prompt.",
    tests: [
      ["interaction", 'example: answers the prompt "Are you sure? (y/n)"'],
      ["interaction", "goes on from where the command stands"],
    ],
  },
  {
    section: "5 <input>",
    text: "Content: the string to write. It does not append a line break (\\n) by itself.",
    tests: [
      ["interaction", "a line end is not appended"],
      ["interaction", "escapes of control characters are decoded"],
    ],
  },
  {
    section: "5 <input>",
    text: 'Example: answering a prompt "Are you sure? (y/n)".',
    tests: [["interaction", 'example: answers the prompt "Are you sure? (y/n)"']],
  },
  {
    section: "5 <ctrl>",
    text: "Sends a control character to the pty shell.",
    tests: [
      ["interaction", "sends the control character to the terminal"],
      ["interaction", "other characters are sent, too"],
    ],
  },
  {
    section: "5 <ctrl>",
    text: "Content: the name of the control character, not case-sensitive.",
    tests: [
      ["interaction", "the name of the character doesn't care for case"],
      ["interaction", "takes the name of a control character, nothing else"],
    ],
  },
  {
    section: "5 <ctrl>",
    text: "Example: ending a foreground process that runs (SIGINT, Ctrl+C).",
    tests: [["interaction", "example: c ends a foreground process that runs, by SIGINT"]],
  },
  {
    section: "security and variables",
    text: "In any text or attribute of any tool $KARYI{VAR_NAME} may stand for a variable.",
    tests: [
      ["values", "may stand for a value"],
      ["values", "the value is in nothing that comes back"],
      ["variables", "a name that is not known is an error before anything of the block runs"],
      ["variables", "is the literal text $KARYI{NAME}"],
    ],
  },
  {
    section: "Execution",
    text: "command, input and ctrl of one session share one persistent pty shell and run in document order.",
    tests: [
      ["execution-shell", "and run in document order"],
      ["execution-shell", "whose environment, directory and shell state last"],
    ],
  },
  {
    section: "Execution",
    text: "reads run in parallel; edits of one file are serial; the rest of a block runs in parallel up to a bound.",
    tests: [
      ["principles", "reads of one block are under way at one time"],
      ["execution-blocks", "edits of one file are serial"],
      ["execution-blocks", "the rest of a block runs in parallel up to a bound"],
    ],
  },
  {
    section: "Execution",
    text: "Results come back in document order.",
    tests: [["execution-blocks", "results come back in document order"]],
  },
  {
    section: "Execution",
    text: "A command's end and exit status are known from marks that the output cannot forge, not from a prompt guess or silence.",
    tests: [
      ["execution-shell", "from marks that the output cannot forge"],
      ["execution-shell", "not from a guess at a prompt"],
      ["execution-shell", "not from silence"],
    ],
  },
  {
    section: "Execution",
    text: "A command that waits for input, or outlives its timeout, returns what it printed with status running; the next input, ctrl or command (queued) goes on from there.",
    tests: [
      ["execution-shell", "when it waits for input"],
      ["execution-shell", "when it outlives its timeout"],
      ["execution-shell", "the next input goes on from there"],
      ["execution-shell", "the next ctrl goes on from there"],
      ["execution-shell", "the next command is queued, and goes on from there"],
    ],
  },
  {
    section: "Execution",
    text: "The ladder Ctrl-C, TERM, KILL on the foreground group is for a hard limit, close() and abort.",
    tests: [
      ["execution-shell", "is for a hard limit"],
      ["execution-shell", "is for close()"],
      ["execution-shell", "is for abort"],
      ["execution-shell", "is not for the timeout"],
    ],
  },
  {
    section: "Execution",
    text: "Waiting for input needs silence and nothing pending as well: a writer blocked on a full terminal looks the same.",
    tests: [["execution-shell", "not when it is only silent"]],
  },
  {
    section: "Execution",
    text: "Output has its control sequences removed, progress folded to its last state, and a cap with head and tail kept and the cut size named. The full output goes to an artifact.",
    tests: [
      ["execution-shell", "has its terminal control sequences removed"],
      ["execution-shell", "has carriage-return progress folded to its last state"],
      ["execution-shell", "has a cap with head and tail kept and the cut size named"],
      ["execution-shell", "keeps the tails of several long outputs of one block"],
    ],
  },
  {
    section: "Execution",
    text: "edit is all or nothing per block and file set: every find must occur (exactly once, unless all); otherwise nothing is written and the error names the file, the count, and shows the nearest passage.",
    tests: [
      ["execution-edits", "a find that does not occur: nothing is written"],
      ["execution-edits", "a find must occur exactly once"],
      ["execution-edits", 'all="true" replaces every occurrence'],
      ["execution-edits", "the error shows the nearest passage"],
    ],
  },
  {
    section: "Execution",
    text: "When the find does not occur exactly, common indentation is removed and tried again (reported).",
    tests: [["execution-edits", "common indentation is removed and tried again, and reported"]],
  },
  {
    section: "Execution",
    text: "Writes are atomic, keep mode, BOM, line endings and final newline, refuse binary files and a file that changed since it was read in this block.",
    tests: [
      ["execution-edits", "are atomic"],
      ["execution-edits", "keep the mode"],
      ["execution-edits", "keep %s"],
      ["execution-edits", "refuse %s"],
      ["execution-edits", "refuse a file that changed since it was read in this block"],
    ],
  },
  {
    section: "Execution",
    text: "Every changed file is recoverable: the previous content is kept in a journal, and undo restores it.",
    tests: [
      ["execution-edits", "undo restores the previous content of all files of a change"],
      ["execution-edits", "undo goes back change by change"],
    ],
  },
  {
    section: "Execution",
    text: "Paths stay inside the declared roots after resolving links; anything else is refused.",
    tests: [
      ["execution-paths", "read by %s"],
      ["execution-paths", "edited by %s"],
      ["execution-paths", "made by an edit"],
      ["execution-paths", "listed, searched, or taken as a command's directory"],
    ],
  },
  {
    section: "Execution",
    text: "Risky files (.env, keys, databases) need a policy decision and get a time-stamped backup first.",
    tests: [
      ["execution-paths", "the host is asked; without its yes nothing is read or written"],
      ["execution-paths", "a time-stamped copy of the old content is kept"],
    ],
  },
  {
    section: "Results, encoding, streaming",
    text: "<results> with one <result tool index status exit ms> per call, raw text in CDATA (a ]]> inside is split).",
    tests: [
      ["results", "<results> has one <result tool index status ms> per call"],
      ["results", "the text is raw in CDATA"],
    ],
  },
  {
    section: "Results, encoding, streaming",
    text: "serialize(block) writes canonical ToolsXML that parses back to the same calls.",
    tests: [["results", "a block that was serialized does the same"]],
  },
  {
    section: "Results, encoding, streaming",
    text: "A <tools> with only comments is a complete block with no calls.",
    tests: [["principles", "a block that holds only a comment is complete, and does nothing"]],
  },
  {
    section: "4 <get_value>",
    text: "The system pauses and asks the user; from the next turn on $KARYI{key} works.",
    tests: [
      ["values", "the user is asked for it, with the reason and the note"],
      ["values", "from the next turn on $KARYI{key} stands for it"],
      ["values", "in the turn that asks for it, it does not stand for anything yet"],
    ],
  },
];

/** What says nothing about running, or is tested elsewhere. */
export const exceptions: readonly Exception[] = [
  {
    section: "introduction",
    text: "ToolsXML is the only protocol between the AI and the system's core.",
    reason: "Here every protocol can call the same tools: every-protocol.test.ts.",
  },
  {
    section: "Results, encoding, streaming",
    text: "Streaming rules, events, and the envelope that is held until it is closed.",
    reason: "The parser's: packages/toolsxml/test.",
  },
];
