import { type Measure, together } from "../report.ts";
import { attp } from "./attp.ts";
import { oneShot } from "./one-shot.ts";
import type { Own } from "./parser.ts";
import { hostilePeers, streamingHostile, streamingPlain } from "./streaming.ts";
import { tam } from "./tam.ts";
import { toolsxml } from "./toolsxml.ts";

/** One of this project's parsers beside its peers. */
const measureOf =
  (own: Own): Measure =>
  async ({ progress }) =>
    together(
      await oneShot(own, progress),
      await streamingPlain(own, progress),
      await streamingHostile(own, progress),
      await hostilePeers(own, progress),
    );

export const measureAttp: Measure = measureOf(attp);
export const measureTam: Measure = measureOf(tam);
export const measureToolsXml: Measure = measureOf(toolsxml);
