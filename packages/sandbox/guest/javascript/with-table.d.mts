export declare const tableName: string;
/** The engine's code with its table of functions among its exports. */
export declare function withTable(code: Uint8Array): Uint8Array<ArrayBuffer>;
