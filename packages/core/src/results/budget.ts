/** The start of a text, `room` UTF-16 units at most; no character is cut in two. */
export function cutText(text: string, room: number): string {
  if (text.length <= room) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(room - 1)) ? room - 1 : room;
  return text.slice(0, Math.max(0, end));
}

/**
 * Texts cut so that together they take `budget` UTF-16 units at most: what is longer than an even share is cut, so that
 * short texts stay whole and long ones get what those leave. The order stays.
 */
export function fitBudget<Key>(texts: ReadonlyMap<Key, string>, budget: number): Map<Key, string> {
  const byLength = [...texts].sort((a, b) => a[1].length - b[1].length);
  const rooms = new Map<Key, number>();
  let left = budget;
  for (const [index, [key, text]] of byLength.entries()) {
    const room = Math.min(text.length, Math.max(0, Math.floor(left / (byLength.length - index))));
    rooms.set(key, room);
    left -= room;
  }
  return new Map([...texts].map(([key, text]) => [key, cutText(text, rooms.get(key) ?? 0)]));
}
