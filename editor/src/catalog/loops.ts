/** Types whose nodes contain others. */
export const isLoop = (type: string): boolean => /^(?:for_each|repeat)@/.test(type);
