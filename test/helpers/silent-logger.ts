/** For tests whose troubles are meant: nothing of them is printed. */
import type { Logger } from "@oxbow/sdk";

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };
