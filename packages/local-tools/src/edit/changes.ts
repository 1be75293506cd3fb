/** A part of a text, by its UTF-16 units, and what takes its place. Of several, in order, none overlaps another's part. */
export interface TextChange {
  from: number;
  to: number;
  text: string;
}

/** Changes of a text, and then changes of what they made of it, as changes of the text. Those that touch become one. */
export function composeChanges(first: readonly TextChange[], second: readonly TextChange[]): TextChange[] {
  const made: TextChange[] = [];
  // How far a place of what the first made lies behind that place of the text.
  let shift = 0;
  let [one, two] = [0, 0];
  const next = (): [first: number, second: number] => [
    (first[one]?.from ?? Number.POSITIVE_INFINITY) + shift,
    second[two]?.from ?? Number.POSITIVE_INFINITY,
  ];
  while (one < first.length || two < second.length) {
    let at = Math.min(...next());
    let end = at;
    const from = at - shift;
    const parts: string[] = [];
    let written = { text: "", start: at };
    const copyTo = (place: number): void => {
      parts.push(written.text.slice(Math.max(0, at - written.start), Math.max(0, place - written.start)));
      at = Math.max(at, place);
    };
    for (let [mine, its] = next(); Math.min(mine, its) <= end; [mine, its] = next()) {
      if (mine <= its) {
        const change = first[one++] as TextChange;
        copyTo(mine);
        written = { text: change.text, start: mine };
        end = Math.max(end, mine + change.text.length);
        shift += change.text.length - (change.to - change.from);
      } else {
        const change = second[two++] as TextChange;
        copyTo(its);
        parts.push(change.text);
        at = Math.max(at, change.to);
        end = Math.max(end, change.to);
      }
    }
    copyTo(end);
    made.push({ from, to: end - shift, text: parts.join("") });
  }
  return made;
}
