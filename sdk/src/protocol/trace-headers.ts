/** Headers that identify a trace, by name in lower case: `traceparent` and others, as W3C has them. */
export type TraceHeaders = Readonly<Record<string, string>>;
