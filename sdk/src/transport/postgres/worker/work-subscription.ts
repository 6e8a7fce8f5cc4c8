/** Hints for a worker, from the channels of its workflows' queues. */
import type { WakeListener, WakeSubscription } from "../../../protocol/worker.ts";
import type { Listening } from "../connection/listener.ts";

const NOT_LISTENING: WakeSubscription = {
  listening: false,
  arm: async () => {},
  disarm: () => {},
  close: () => {},
};

/** `queue_<queue name>`; a notification without payload means work, one with a payload names a leased run. */
const channelOf = (workflow: string): string => `queue___wf_${workflow}`;

export function subscribeToWork(
  listener: Listening | undefined,
  workflows: readonly string[],
  wakeListener: WakeListener,
): WakeSubscription {
  if (listener === undefined) return NOT_LISTENING;
  const channels = workflows.map(channelOf);
  const unlisten = channels.map((channel) =>
    listener.listen(channel, {
      onNotification: (payload) => {
        if (payload === "") wakeListener.onReady();
        else wakeListener.onAttention(payload);
      },
      onConnected: () => wakeListener.onReady(),
    }),
  );
  let isArmed = false;
  return {
    get listening() {
      return listener.connected;
    },
    async arm() {
      if (isArmed) return;
      isArmed = true;
      await Promise.all(channels.map((channel) => listener.awaitChannel(channel)));
    },
    disarm() {
      if (!isArmed) return;
      isArmed = false;
      for (const channel of channels) listener.forgetChannel(channel);
    },
    close() {
      this.disarm();
      for (const stop of unlisten) stop();
    },
  };
}
