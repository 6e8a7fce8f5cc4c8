/** The web worker that checks the workflow which is open. */
import "@oxbow/editor/check-worker";
