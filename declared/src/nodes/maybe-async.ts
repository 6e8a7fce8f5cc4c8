/** Continues with a value at once if it is there, and later if it is a promise. */
export function whenThere<Value, Result>(
  value: Value | PromiseLike<Value>,
  andThen: (value: Value) => Result | PromiseLike<Result>,
): Result | PromiseLike<Result> {
  return isPromise(value) ? value.then((there) => andThen(there)) : andThen(value);
}

const isPromise = <Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Partial<PromiseLike<Value>>).then === "function";
