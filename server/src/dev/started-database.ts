/** A database of `oxbow dev`, as it is started. */

export interface DevDatabase {
  readonly url: string;
  /** Urls of shards by name, if the database has several. The first is that of the url. */
  readonly shards: Readonly<Record<string, string>> | undefined;
  /** Describes where its data is. */
  readonly place: string;
  stop(): Promise<void>;
}
