/** Minutes as a person says them: `50 min`, `1 h 05 min`, `12 h`. */
export function formatDuration(minutes) {
  const whole = Math.round(minutes);
  const hours = Math.floor(whole / 60);
  const rest = whole % 60;
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${String(rest).padStart(2, "0")} min`;
}

/** Kilometres as a person says them: metres below one kilometre, else one decimal where it is needed. */
export function formatDistance(km) {
  if (km < 1) return `${Math.round(km * 1000)} m`;
  return `${Number(km.toFixed(1))} km`;
}
