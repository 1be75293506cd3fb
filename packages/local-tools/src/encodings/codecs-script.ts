/** The codecs for a thread, bundled to a text that is run when they are first needed: see `search-script.ts`. */
import * as chardet from "chardet";
import * as iconv from "iconv-lite";

export { chardet, iconv };
