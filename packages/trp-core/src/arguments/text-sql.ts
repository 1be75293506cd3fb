/** Words that change something wherever they stand in a statement; `replace(` is a function. */
const changes = new Set([
  ..."insert update delete merge upsert into drop alter create truncate grant revoke".split(" "),
  ..."attach detach pragma vacuum reindex copy call exec execute load handler lock".split(" "),
]);
const beginnings = new Set(["select", "with", "values", "explain"]);
/** Functions of the common databases that read files, wait, or run something. */
const functions =
  /^(?:load_extension|readfile|writefile|edit|fts3_tokenizer|pg_read_\w*|pg_ls_\w*|pg_sleep\w*|lo_\w+|dblink\w*|query_to_xml\w*|load_file|sleep|benchmark|xp_\w+|set_config|nextval|setval|pg_terminate_\w*|pg_cancel_\w*)$/;

/**
 * What makes SQL more than one statement that reads. It reads words outside of quotes, and refuses what databases read
 * differently (comments, backslashes in quotes, dollar quotes), so that nothing hides there. Undefined for one statement
 * that begins with SELECT, WITH, VALUES or EXPLAIN. A net: the connection should be read-only by itself.
 */
export function sqlReadProblem(text: string): string | undefined {
  const words: string[] = [];
  let ended = false;
  // Each alternative eats at least one character, and none can eat the same text in two ways.
  const token =
    /\s+|'(?:[^'\\]|'')*'|"(?:[^"\\]|"")*"|`[^`\\]*`|\[[^\]'"\\]*\]|[\p{L}_][\p{L}\p{N}_]*|--|\/\*|\$\$|\$[\p{L}_]+\$|#[>-]|#|[\s\S]/gu;
  for (const [found] of text.matchAll(token)) {
    if (/^\s/.test(found)) continue;
    if (ended) return "has more than one statement";
    if (found === ";") {
      ended = true;
      continue;
    }
    if (found === "--" || found === "/*" || found === "#") return "has a comment: leave it out";
    if (found.startsWith("$") && found.endsWith("$") && found.length > 1)
      return "has a dollar-quoted text: use single quotes";
    if (found === "'" || found === '"' || found === "`")
      return "has a quote that is not closed, or a backslash in quotes";
    words.push(/^[\p{L}_]/u.test(found) ? found.toLowerCase() : found.length === 1 ? found : " ");
  }
  const first = words.find((word) => word !== "(");
  if (first === undefined) return "is empty";
  if (!beginnings.has(first)) return "must be one statement that begins with SELECT, WITH, VALUES or EXPLAIN";
  for (const [index, word] of words.entries()) {
    const called = words[index + 1] === "(";
    if (changes.has(word) && words[index - 1] !== ".") return `must only read, and has ${word.toUpperCase()}`;
    if (word === "replace" && !called) return "must only read, and has REPLACE";
    if (called && functions.test(word)) return `calls ${word}, which does more than read`;
  }
  return undefined;
}
