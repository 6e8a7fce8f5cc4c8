/** Looks again and again while a view is shown and the tab can be seen. */
import { note } from "./dom.js";

export async function refresh(look, everyMs, signal) {
  await look();
  let hasFailed = false;
  const turn = async () => {
    if (signal.aborted) return;
    if (!document.hidden) {
      try {
        await look();
        hasFailed = false;
      } catch (error) {
        if (signal.aborted) return;
        if (!hasFailed) note(`Not up to date: ${error.message}`);
        hasFailed = true;
      }
    }
    setTimeout(() => void turn(), everyMs);
  };
  setTimeout(() => void turn(), everyMs);
}
