import { end, type Started } from "./process.ts";

/** Breaks things until all is over. What it did how often, by names. */
export type Unrest = (isOver: () => boolean) => Promise<Record<string, number>>;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Every `every` ms, kills one of the routers, which comes back, or stops one for longer than a lease; not the first `spared` ones. */
export function killing(
  routers: Started[],
  another: () => Promise<Started>,
  { every, lease, spared }: { every: number; lease: number; spared: number },
): Unrest {
  return async (isOver) => {
    let kills = 0;
    let stops = 0;
    const waking: Promise<void>[] = [];
    const busy = new Set<number>();
    while (!isOver()) {
      await pause(every);
      const index = spared + Math.floor(Math.random() * (routers.length - spared));
      // Half of them stay up, or nobody could tell what the others do.
      if (busy.has(index) || busy.size >= routers.length / 2) continue;
      busy.add(index);
      const victim = routers[index] as Started;
      // The first two are one of each.
      if (kills + stops === 1 ? stops === 1 : Math.random() < 0.5) {
        kills += 1;
        waking.push(
          end(victim).then(async () => {
            routers[index] = await another();
            busy.delete(index);
          }),
        );
      } else {
        stops += 1;
        victim.child.kill("SIGSTOP");
        waking.push(
          pause(lease * 2.25).then(() => {
            victim.child.kill("SIGCONT");
            busy.delete(index);
          }),
        );
      }
    }
    await Promise.all(waking);
    return { kills, stops };
  };
}
