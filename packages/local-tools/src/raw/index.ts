/** Text files anywhere on this machine. */
export {};
