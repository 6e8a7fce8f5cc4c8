import { checkPlainName, toStorableText, txOf } from "@oxbow/sdk/internal/rooms";
import { InvalidArgument, type TransactionOptions } from "@oxbow/sdk";
import type { ConfigValue, DefinitionTransport } from "../protocol/definitions.ts";

/** `definitions.config`: values of the environment that definitions name, such as a channel. They are no secrets. */
export class Config {
  readonly #transport: DefinitionTransport;

  constructor(transport: DefinitionTransport) {
    this.#transport = transport;
  }

  /** Lists the values by name. */
  list(): Promise<ConfigValue[]> {
    return this.#transport.config();
  }

  /**
   * Sets a value. Runs that start after the commit have it; runs in progress keep the value with which they began.
   *
   * @param value - JSON of at most 64 KiB.
   * @returns False if it had this value.
   * @throws InvalidName, InvalidArgument, PayloadTooLarge, SerializationError
   */
  async set(name: string, value: unknown, options?: TransactionOptions): Promise<boolean> {
    checkPlainName("value", name);
    const text = toStorableText(value, `the value "${name}"`);
    if (text === undefined) {
      throw new InvalidArgument(`Invalid value "${name}" of config.set(): give JSON.`);
    }
    return this.#transport.setConfig(name, text, txOf(options, "config.set()"));
  }

  /**
   * Deletes a value. Runs in progress keep it.
   *
   * @returns False if there is no such value.
   * @throws ResourceInUse while a published version names it
   */
  async delete(name: string, options?: TransactionOptions): Promise<boolean> {
    checkPlainName("value", name);
    return this.#transport.deleteConfig(name, txOf(options, "config.delete()"));
  }
}
