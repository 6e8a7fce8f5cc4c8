/** The web worker that checks the definition which is open. */
import "@oxbow/editor/check-worker";
