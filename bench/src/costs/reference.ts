// What times are compared with: work of the kinds that ours is made of (texts searched and cut, JSON, small objects, maps, promises),
// by nothing that this repository has. It must not change: every recorded time is a ratio to it.

const text = 'The <page> says: "nothing", and [more] of it. '.repeat(40);
const record = { id: "r1", list: Array.from({ length: 20 }, (_, n) => ({ n, name: `row ${n}`, share: n / 7 })) };

async function once(): Promise<number> {
  let sum = 0;
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at + 1)) {
    const end = text.indexOf(">", at);
    sum += text.slice(at + 1, end).length;
  }
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === 34) sum += 1;
  const copy = JSON.parse(JSON.stringify(record)) as typeof record;
  const byName = new Map(copy.list.map((row) => [row.name, row]));
  for (const { name } of record.list) sum += byName.get(name)?.n ?? 0;
  sum += await Promise.resolve(text.split(" ").length);
  return sum;
}

const expected = await once();

export const reference = {
  /** So many take some milliseconds. */
  perRound: 100,
  async repeat(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) if ((await once()) !== expected) throw new Error("the reference is broken");
  },
};
