/** Continues synchronously with a value, and later with a promise. */
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
