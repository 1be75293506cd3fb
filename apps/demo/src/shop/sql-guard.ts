import { ToolError } from "@toolglot/core";

/**
 * The functions a query may use. The engine also offers some that read and write the host's files (`readfile`,
 * `writefile`), so anything else is refused, by what the compiled statement would call rather than by its spelling.
 */
const allowedFunctions = new Set(
  (
    "abs avg ceil ceiling coalesce concat concat_ws count cume_dist date datetime dense_rank exp first_value floor glob group_concat iif ifnull " +
    "instr json json_array json_array_length json_extract json_group_array json_group_object json_object json_type json_valid " +
    "julianday lag last_value lead length like ln log log10 lower ltrim max median min mod nth_value ntile nullif percent_rank pi pow power " +
    "quote random rank replace round row_number rtrim sign sqrt stdev strftime string_agg substr substring sum time timediff " +
    "total trim trunc typeof unicode unixepoch upper variance ->> ->"
  ).split(/\s+/),
);

/** One instruction of a compiled statement, as `EXPLAIN` lists it. */
export interface Instruction {
  opcode: string;
  p2: number;
  p4: string | null;
}

const callingOpcodes = new Set(["Function", "PureFunc", "AggStep", "AggStep1", "AggValue", "AggInverse", "AggFinal"]);
// Virtual tables (fsdir lists host folders), writing, other files, and changes of the connection itself.
const refusedOpcodes =
  /^(?:V[A-Z]\w*|OpenWrite|Insert|Delete|IdxInsert|IdxDelete|Destroy|Clear|CreateBtree|ParseSchema|Vacuum|IncrVacuum|JournalMode|SetCookie|AutoCommit|Savepoint|Checkpoint|DropTable|DropIndex|DropTrigger|SqlExec|Expire)$/;
// Inserts into and deletions from tables the query makes for itself while it runs are how sorting and DISTINCT work.
const temporaryOpcodes = new Set(["Insert", "Delete", "IdxInsert", "IdxDelete", "Clear"]);

/** Throws `ToolError` unless the compiled statement only reads ordinary tables and calls harmless functions. */
export function checkInstructions(instructions: readonly Instruction[]): void {
  const writes = instructions.some(
    ({ opcode, p2 }) => opcode === "OpenWrite" || (opcode === "Transaction" && p2 !== 0),
  );
  for (const { opcode, p4 } of instructions) {
    if (callingOpcodes.has(opcode)) {
      const name = /^(.*?)\(/.exec(p4 ?? "")?.[1] ?? "";
      if (!allowedFunctions.has(name.toLowerCase())) {
        throw new ToolError(
          `The function ${name || "(unnamed)"}() may not be used here. Use plain SQL: sums, counts, dates, text.`,
        );
      }
    } else if (refusedOpcodes.test(opcode) && (writes || !temporaryOpcodes.has(opcode))) {
      throw new ToolError(
        "Only SELECT over the shop's own tables is allowed; nothing can be changed or opened with query_sql.",
      );
    }
  }
}

/** Of the host: no statement that calls them is ever compiled for a query. */
const hostFunctions = /^(?:readfile|writefile|fsdir|edit|load_extension|fts3_tokenizer)$/i;

/** What the text alone says against a query: known before anything is started. The compiled statement is checked as well. */
export function statementProblem(sql: string): string | undefined {
  try {
    singleStatement(sql);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * The statement without a closing semicolon. Throws `ToolError` when there is more than one statement, when it is no
 * SELECT or WITH, or when it calls a function of the host.
 */
export function singleStatement(sql: string): string {
  // Text literals, quoted names and comments are passed over whole; what is left are words and signs.
  const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|;|\w+|\s+|[\s\S]/g;
  let first = "";
  let before = "";
  let end = sql.length;
  let ended = false;
  for (const match of sql.matchAll(token)) {
    const text = match[0];
    if (/^(?:\s|--|\/\*)/.test(text)) continue;
    if (text === ";") {
      if (!ended) end = match.index;
      ended = true;
    } else if (ended) {
      throw new ToolError("One statement at a time: remove what follows the first semicolon.");
    } else if (first === "") first = text.toUpperCase();
    if (text === "(" && hostFunctions.test(before)) {
      throw new ToolError(`The function ${before}() may not be used here. Use plain SQL: sums, counts, dates, text.`);
    }
    before = text;
  }
  if (first !== "SELECT" && first !== "WITH" && first !== "VALUES") {
    throw new ToolError(
      first === "" ? "The query is empty." : `query_sql only reads: begin with SELECT or WITH, not with ${first}.`,
    );
  }
  return sql.slice(0, end);
}
