/** Limits of bodies with values of users, which the database limits to 16 MiB each. Other routes accept 1 MiB. */

/** One value and its envelope. */
export const ONE_VALUE_BYTES = 17 * 1024 * 1024;
/** Several values. */
export const MANY_VALUES_BYTES = 64 * 1024 * 1024;
