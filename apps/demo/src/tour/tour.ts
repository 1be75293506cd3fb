import type { ProtocolName, TourStop } from "toolglot";
import { withServer } from "./server.ts";
import table from "./stops.json" with { type: "json" };

/**
 * Returns the stops of the tour: both languages, all protocols, and slips that are repaired. Of one protocol: a request with one call, one
 * with calls side by side, and one whose calls depend on each other; of ToolsXML, its own tags at work in a project besides.
 */
export function tourStops(protocol: ProtocolName | undefined): readonly TourStop[] {
  const stops = protocol === undefined ? table.all : protocol === "toolsxml" ? table.toolsxml : table.one;
  return (stops as readonly TourStop[]).map((stop) => (stop.question.en.includes("{url}") ? withServer(stop) : stop));
}
