/** Bodies that carry values of users, which the database limits to 16 MiB each. Other routes take 1 MiB. */

/** One value, and what is around it. */
export const ONE_VALUE_BYTES = 17 * 1024 * 1024;
/** Values that travel together. */
export const MANY_VALUES_BYTES = 64 * 1024 * 1024;
