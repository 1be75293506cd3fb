const first = Math.floor(Math.random() * 2 ** 31) * 2 ** 21;
let count = 0;

/**
 * Returns a number that no other statement has. Each statement writes it into the rows that it changes. When the connection ends before
 * the statement's answer came, the rows show whether it was committed.
 */
export function newWriteId(): number {
  count = (count + 1) % 2 ** 21;
  return first + count;
}
