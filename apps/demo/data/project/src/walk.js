import { formatDistance, formatDuration } from "./format.js";
import { gradeOf } from "./grade.js";

const minutesPerKm = 12;
const minutesPerHundredMetresUp = 10;

/** How long a walk takes, breaks not counted. */
export function walkingMinutes({ km, climb }) {
  return km * minutesPerKm + (climb / 100) * minutesPerHundredMetresUp;
}

/** A walk in one line. */
export function describeWalk(walk) {
  const time = formatDuration(walkingMinutes(walk));
  return `${formatDistance(walk.km)}, ${walk.climb} m up: ${time}, ${gradeOf(walk)}`;
}
