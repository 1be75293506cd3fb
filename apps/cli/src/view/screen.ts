import type { Style } from "./style.ts";

/** Where a view draws. */
export interface Screen {
  write(text: string): void;
  /** Columns; read again for every block, since windows change. */
  columns(): number;
  style: Style;
  /** Somebody watches: what commands print is drawn while they run. Default false: with their results. */
  live?: boolean;
  /** What a model says is Markdown, and is set as such. Default false: as it is. */
  markdown?: boolean;
}
