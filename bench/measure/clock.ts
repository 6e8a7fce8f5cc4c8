/** Milliseconds, with fractions, that mean the same in every process of this machine. */
export const clock = (): number => performance.timeOrigin + performance.now();
