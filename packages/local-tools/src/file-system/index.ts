/** Logical file systems over real directories. */
export {};
