export declare const addUrl: (...given: never[]) => void;
