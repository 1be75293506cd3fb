import type { Marker, VariableMarker } from "../table/types.ts";

/** Returns what a writer writes for a marker; nothing for none, and for one that is only read. A variable part is empty. */
export function markerText(marker: Marker | VariableMarker | undefined): string {
  if (marker === undefined || marker.unwritten) return "";
  return "text" in marker ? marker.text : marker.prefix + marker.suffix;
}

/** Returns the beginnings of a marker and its look-alikes that show a reader what stands there: up to its first `>` before a `<`. */
export function beginningsOf(marker: Marker | VariableMarker | undefined): string[] {
  if (marker === undefined) return [];
  const texts = "text" in marker ? [marker.text, ...(marker.lookAlikes ?? [])] : [marker.prefix + marker.suffix];
  return texts.map((text) => {
    const bare = text.trim();
    const border = bare.search(/>\s*</);
    return border < 0 ? bare : bare.slice(0, border + 1);
  });
}
