export declare const makeLocale: () => Record<string, Record<string, unknown>>;
