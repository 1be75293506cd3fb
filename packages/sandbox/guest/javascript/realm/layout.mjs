/**
 * Makes the functions that lay printed values out as Node does. Runs inside the engine: its text is taken, so it must not
 * speak of anything outside itself.
 *
 * @param {number} mostItems Of a list, before the text that says how many more there are.
 * @param {number} compact Levels that may share a line.
 */
export function makeLayout(mostItems, compact) {
  const lineWidth = 80;

  const escapes = /** @type {Record<string, string>} */ ({
    "\n": "\\n",
    "\t": "\\t",
    "\r": "\\r",
    "\b": "\\b",
    "\f": "\\f",
  });
  /** A text as a literal. @param {string} text @param {number} most Characters. */
  const quoted = (text, most) => {
    const cut = text.length > most ? text.slice(0, most) : text;
    const mark = !cut.includes("'") ? "'" : !cut.includes('"') ? '"' : !/[`]|\$\{/.test(cut) ? "`" : "'";
    let inside = "";
    for (let index = 0; index < cut.length; index++) {
      const character = /** @type {string} */ (cut[index]);
      const code = cut.charCodeAt(index);
      if (character === mark || character === "\\") inside += `\\${character}`;
      else if (code >= 32 && code !== 127) inside += character;
      else inside += escapes[character] ?? `\\x${code < 16 ? "0" : ""}${code.toString(16).toUpperCase()}`;
    }
    const more = text.length - cut.length;
    return `${mark}${inside}${mark}${more > 0 ? `... ${more} more characters` : ""}`;
  };

  /** Many short items side by side, as a table. @param {string[]} output @param {any} value @param {number} indent */
  const inColumns = (output, value, indent) => {
    const listed = output.length - (value.length > mostItems ? 1 : 0);
    const lengths = output.slice(0, listed).map((text) => text.length);
    const longest = Math.max(...lengths);
    const total = lengths.reduce((sum, length) => sum + length + 2, 0);
    const cell = longest + 2;
    if (cell * 3 + indent >= lineWidth || (total / cell <= 5 && longest > 6)) return output;
    const biased = Math.max(cell - 3 - Math.sqrt(cell - total / output.length), 1);
    const square = Math.round(Math.sqrt(2.5 * biased * listed) / biased);
    const columns = Math.min(square, Math.floor((lineWidth - indent) / cell), compact * 4, 15);
    if (columns <= 1) return output;
    const widths = Array.from({ length: columns }, (_, column) => {
      let widest = 0;
      for (let index = column; index < listed; index += columns) widest = Math.max(widest, lengths[index] ?? 0);
      return widest + 2;
    });
    const numbers = output.every((_, index) => typeof value[index] === "number" || typeof value[index] === "bigint");
    const rows = [];
    for (let start = 0; start < listed; start += columns) {
      const cells = output.slice(start, Math.min(start + columns, listed));
      const row = cells.map((text, column) => {
        const last = column === cells.length - 1;
        const width = widths[column] ?? 0;
        if (numbers) return (last ? text : `${text}, `).padStart(last ? width - 2 : width);
        return last ? text : `${text}, `.padEnd(width);
      });
      rows.push(row.join(""));
    }
    if (listed < output.length) rows.push(/** @type {string} */ (output[listed]));
    return rows;
  };

  /**
   * Parts between brackets, on one line when they fit.
   * @param {string[]} output @param {string} opening @param {string} closing
   * @param {{ indent: number, list: any, flat: boolean }} how `list`: the array they come from. `flat`: one line is allowed.
   */
  const together = (output, opening, closing, { indent, list, flat }) => {
    const lines = list !== undefined && output.length > 6 ? inColumns(output, list, indent) : output;
    if (flat && lines.length === output.length) {
      const length = lines.reduce((sum, text) => sum + text.length, 0);
      const fits = length + 2 * lines.length + indent + opening.length + 10 <= lineWidth;
      if (fits && !lines.some((text) => text.includes("\n"))) return `${opening} ${lines.join(", ")} ${closing}`;
    }
    const margin = `\n${" ".repeat(indent)}`;
    return `${opening}${margin}  ${lines.join(`,${margin}  `)}${margin}${closing}`;
  };

  return { quoted, together };
}
