/** A part of a text that must not be shown. `end` is behind it. */
export interface HiddenPlace {
  readonly start: number;
  end: number;
  readonly name: string;
  /** It continues the place before it, under the same name. */
  readonly continued: boolean;
}

/** What is hidden in a stream, and what was shown of it. Places may overlap: all of them are hidden. */
export class HiddenPlaces {
  #places: HiddenPlace[] = [];
  /** Where the last place that was masked ends. */
  #maskedTo = -1;
  #lastName = "";
  /** What was given in clear, as far as a form may still reach it. */
  #shown: { start: number; end: number }[] = [];
  readonly #written: (name: string) => string;

  /** `written`: what stands in the masked text in the place of a value. */
  constructor(written: (name: string) => string) {
    this.#written = written;
  }

  /** `given`: everything before it was given already. */
  add(place: HiddenPlace, given: number): void {
    const last = this.#places.at(-1);
    const isSame = last !== undefined && last.name === place.name && last.start >= given;
    // A form that overlaps itself again and again is one place.
    if (isSame && place.start >= last.start && (place.continued ? place.start <= last.end : place.start < last.end)) {
      last.end = Math.max(last.end, place.end);
    } else this.#places.push(place);
  }

  /** Brings what the readers found into the order of the text: the leftmost first, and of those the longest. */
  sort(): void {
    if (this.#places.length > 1) {
      this.#places.sort(
        (one, other) => one.start - other.start || other.end - one.end || (one.name < other.name ? -1 : 1),
      );
    }
  }

  /**
   * The text from `given` up to `until`, masked. A place that begins before `until` is masked as a whole; `given` is where that ends.
   * `keepsLines`: line ends in what is hidden stay, so that lines keep their numbers.
   */
  mask(
    text: (start: number, end: number) => string,
    given: number,
    until: number,
    keepsLines: boolean,
  ): { text: string; given: number } {
    let masked = "";
    let at = given;
    const show = (to: number): void => {
      if (to <= at) return;
      masked += text(at, to);
      this.#shown.push({ start: at, end: to });
      at = to;
    };
    for (const { start, end, name, continued } of this.#places) {
      if (start >= until) break;
      if (end <= at) continue;
      show(start);
      const goesOn = continued ? start <= this.#maskedTo : start < this.#maskedTo && name === this.#lastName;
      if (!goesOn) masked += this.#written(name);
      if (keepsLines) masked += text(at, end).replace(/[^\n]+/g, "");
      at = end;
      this.#maskedTo = end;
      this.#lastName = name;
    }
    show(until);
    return { text: masked, given: at };
  }

  /** Returns how much of a part was shown, or would be if all of it were given now. */
  shownBetween(start: number, end: number, given: number): number {
    let shown = 0;
    for (const part of this.#shown) shown += Math.max(0, Math.min(part.end, end) - Math.max(part.start, start));
    let at = Math.max(start, given);
    for (const place of this.#places) {
      if (place.start > at) shown += Math.min(place.start, end) - at;
      at = Math.max(at, place.end);
      if (at >= end) return shown;
    }
    return shown + Math.max(0, end - at);
  }

  /** Drops what is before a place. */
  forget(before: number): void {
    if (this.#places.length > 0) this.#places = this.#places.filter(({ end }) => end > before);
    if (this.#shown.length > 0) this.#shown = this.#shown.filter(({ end }) => end > before);
  }
}
