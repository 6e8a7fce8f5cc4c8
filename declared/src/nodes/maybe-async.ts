/** Continues synchronously with a value, and later with a promise. */
export function whenThere<Value, Result>(
  value: Value | PromiseLike<Value>,
  andThen: (value: Value) => Result | PromiseLike<Result>,
): Result | PromiseLike<Result> {
  return isPromise(value) ? value.then((there) => andThen(there)) : andThen(value);
}

/** Hands the error of an action to `fail`: immediately, or when its promise rejects. */
export function withFailure<Value>(action: () => Value, fail: (error: unknown) => never): Value {
  try {
    const value = action();
    return value instanceof Promise ? (value.catch(fail) as Value) : value;
  } catch (error) {
    return fail(error);
  }
}

const isPromise = <Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Partial<PromiseLike<Value>>).then === "function";
