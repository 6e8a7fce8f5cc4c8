/** Notifications of one channel, as hints to look now: a loop that polls anyway needs no more. */
import type { HintSubscription } from "../../../protocol/hints.ts";
import type { Listening } from "./listener.ts";

/** Calls back at each notification, and after each connection, since hints may have been lost before. */
export function listenForHints(
  listener: Listening | undefined,
  channel: string,
  onHint: () => void,
): HintSubscription {
  if (listener === undefined) return { listening: false, close: () => {} };
  const unlisten = listener.listen(channel, { onNotification: onHint, onConnected: onHint });
  void listener.awaitChannel(channel);
  return {
    get listening() {
      return listener.connected;
    },
    close: () => {
      listener.forgetChannel(channel);
      unlisten();
    },
  };
}
