/** Holds callbacks of workflows up until the test opens it, for good. */
export class Latch {
  open = (): void => {};
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
  readonly pass = (): Promise<void> => this.opened;
}
