import { InvalidArgument } from "../core/errors.ts";
import { checkOptions } from "../core/options.ts";
import { MAP_OPTIONS, type MapOptions, type Step } from "../definition/step.ts";

type Callback = (item: unknown, at: { index: number; signal: AbortSignal }) => unknown;

/** `step.map`: a step for each item, a limited number at a time. Only the journal decides which item begins next. */
export async function mapSteps(
  run: Step["run"],
  name: string,
  items: readonly unknown[],
  callback: Callback,
  mapOptions: MapOptions<never>,
): Promise<unknown[]> {
  checkOptions(mapOptions, MAP_OPTIONS, `step "${name}"`);
  const { concurrency = 10, ...options } = mapOptions;
  if (!Array.isArray(items)) {
    throw new InvalidArgument(`Step "${name}" has no items to map: give it an array.`);
  }
  if (typeof callback !== "function") {
    throw new InvalidArgument(`Step "${name}" has no callback: give it a function.`);
  }
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new InvalidArgument(
      `Invalid concurrency ${concurrency} of step "${name}": give a whole number from 1.`,
    );
  }
  const values: unknown[] = Array.from({ length: items.length });
  let next = 0;
  let hasFailed = false;
  const work = async (): Promise<void> => {
    while (next < items.length && !hasFailed) {
      const index = next;
      next += 1;
      try {
        const call = (signal: AbortSignal): unknown => callback(items[index], { index, signal });
        values[index] = await run(`${name}-${index}`, call, options as never);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work));
  return values;
}
