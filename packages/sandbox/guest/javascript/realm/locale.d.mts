export declare const addLocale: (...given: never[]) => void;
