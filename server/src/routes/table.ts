/** All routes, grouped as in the OpenAPI document. */
import type { App } from "../http/app.ts";
import type { Tag } from "../http/openapi.ts";
import type { Route, RouteContext } from "../http/route.ts";
import { checkAccess, listInvariants } from "./admin.ts";
import { listAudit } from "./audit.ts";
import { decideApproval, getApproval, linkApproval, listApprovals } from "./approvals/approvals.ts";
import { addApprovalPages } from "./approvals/pages.ts";
import { getCatalog, registerNodeTypes } from "./catalog.ts";
import { addDashboardRoutes } from "./dashboard.ts";
import {
  applyDefinitions,
  archiveDefinition,
  configureDefinition,
  createDefinition,
  deleteDefinition,
  getDefinition,
  listDefinitions,
  pauseDefinition,
  resumeDefinition,
} from "./definitions/definitions.ts";
import { deleteConfig, listConfig, readConfig, setConfig } from "./definitions/config.ts";
import {
  diffDefinition,
  getDraft,
  restoreDefinition,
  saveDraft,
  saveLayout,
  validateDefinition,
} from "./definitions/drafts.ts";
import { migrateDefinitionRun, rerunDefinitionRun } from "./definitions/migrations.ts";
import { followRunProgress, getRunProgress } from "./definitions/progress.ts";
import { captureRequest, readDefinitionEpoch, readServedDocuments } from "./definitions/served.ts";
import { deleteDefinitionTest, testDefinition, testDefinitionNode } from "./definitions/tests.ts";
import {
  getDefinitionVersion,
  listDefinitionVersions,
  publishDefinition,
  startDefinition,
} from "./definitions/versions.ts";
import {
  addEndpoint,
  getEndpoint,
  listEndpoints,
  pauseEndpoint,
  removeEndpoint,
  resumeEndpoint,
  syncEndpoint,
} from "./endpoints.ts";
import { chargeFlow, getFlowControl, setFlowControl } from "./flow-control.ts";
import { getIncarnation, listCapturedDeliveries, releaseIncarnation } from "./fork.ts";
import { getHealth, getMetrics, getOpenApi, getReadiness } from "./health.ts";
import { listQueueDepths } from "./queues/depths.ts";
import {
  alterQueue,
  createQueue,
  dropQueue,
  getQueue,
  listDeadLetterQueues,
  listQueues,
  moveMessages,
  purgeQueue,
  redriveQueue,
} from "./queues/queues.ts";
import {
  changeMessageVisibility,
  deleteMessage,
  deleteMessages,
  giveBackMessages,
  receiveMessages,
} from "./queues/receive.ts";
import { peekMessages, sendMessages } from "./queues/send.ts";
import { assertNoReferences, listReferences, setReferences } from "./resources/references.ts";
import { listResources } from "./resources/list.ts";
import { listResourceTypes, registerResourceTypes } from "./resources/types.ts";
import {
  cancelRun,
  deleteRun,
  pauseRun,
  rerunRun,
  resumeRun,
  retryRun,
  signalRun,
  updateRun,
} from "./runs/change.ts";
import { explainRun } from "./runs/explanation.ts";
import { countRuns, exportRuns, listRuns, searchRuns, sumRuns } from "./runs/list.ts";
import { changeRuns, sweepRuns } from "./runs/many.ts";
import {
  getRun,
  getRunState,
  listRunChildren,
  listRunGenerations,
  listRunSteps,
} from "./runs/one.ts";
import { signalWithStart, startRun, startRuns } from "./runs/start.ts";
import { followRun, streamRun } from "./runs/stream.ts";
import { issueRunToken } from "./runs/token.ts";
import { watchRun } from "./runs/watch.ts";
import { getSession } from "./session.ts";
import { addSignInPages, listSignInWays, signOut } from "./sign-in.ts";
import {
  deleteSchedule,
  getSchedule,
  listSchedules,
  listTicks,
  pauseSchedule,
  resumeSchedule,
  setSchedule,
  triggerSchedule,
} from "./schedules.ts";
import {
  deleteTopicDeadLetters,
  listTopicDeadLetters,
  redriveTopicDeadLetters,
} from "./topics/dead-letters.ts";
import { getDelivery, listDeliveries, resendDeliveries } from "./topics/deliveries.ts";
import { listTargets, publish } from "./topics/publish.ts";
import {
  enableSubscription,
  endSubscription,
  getSubscription,
  endTopicSubscription,
  getSubscriptionSecret,
  listSubscriptions,
  listTopicSubscriptions,
  subscribe,
} from "./topics/subscriptions.ts";
import {
  explainTriggerEvent,
  forgetOnce,
  getOnceHolder,
  getTriggerFacts,
  listTriggerEvents,
} from "./triggers/events.ts";
import { listHooks, receiveHook } from "./triggers/hooks.ts";
import { listTriggerTypes } from "./triggers/types.ts";
import {
  commitTriggerEvents,
  declareTriggerTypes,
  receiveTriggerEvents,
} from "./triggers/worker.ts";
import { commitSteps } from "./worker/commit.ts";
import { extendLeases, reportProgress } from "./worker/leases.ts";
import { removeWorker, reportWorker } from "./worker/presence.ts";
import { nextVisibleRun, readJournalPage, receiveRuns } from "./worker/receive.ts";
import { relayCalls } from "./worker/relay.ts";
import { registerVersions } from "./worker/versions.ts";
import { followWorkerHints } from "./worker/wake.ts";
import { followWorkflow } from "./workflows/events.ts";
import {
  listWorkflows,
  listWorkflowTools,
  listWorkflowVersions,
  unregisterWorkflowVersion,
} from "./workflows/workflows.ts";
import { listWorkers } from "./workflows/workers.ts";

/** Their names are those of the operations. */
const ROUTES: Readonly<Record<Tag, Readonly<Record<string, Route>>>> = {
  Runs: {
    startRun,
    startRuns,
    signalWithStart,
    listRuns,
    searchRuns,
    countRuns,
    sumRuns,
    exportRuns,
    getRun,
    explainRun,
    listRunSteps,
    listRunChildren,
    listRunGenerations,
    getRunState,
    cancelRun,
    signalRun,
    rerunRun,
    pauseRun,
    resumeRun,
    retryRun,
    deleteRun,
    updateRun,
    changeRuns,
    sweepRuns,
    followRun,
    streamRun,
    issueRunToken,
    watchRun,
  },
  Workflows: {
    listWorkflows,
    listWorkflowTools,
    listWorkflowVersions,
    unregisterWorkflowVersion,
    getFlowControl,
    setFlowControl,
    chargeFlow,
    followWorkflow,
    listWorkers,
  },
  Queues: {
    createQueue,
    alterQueue,
    listDeadLetterQueues,
    listQueues,
    getQueue,
    listQueueDepths,
    dropQueue,
    purgeQueue,
    redriveQueue,
    moveMessages,
    sendMessages,
    peekMessages,
    receiveMessages,
    deleteMessage,
    deleteMessages,
    giveBackMessages,
    changeMessageVisibility,
  },
  Topics: {
    publish,
    listTargets,
    subscribe,
    listTopicSubscriptions,
    endTopicSubscription,
    listSubscriptions,
    getSubscription,
    endSubscription,
    enableSubscription,
    getSubscriptionSecret,
    listDeliveries,
    getDelivery,
    resendDeliveries,
    listTopicDeadLetters,
    redriveTopicDeadLetters,
    deleteTopicDeadLetters,
    listCapturedDeliveries,
  },
  Schedules: {
    listSchedules,
    listTicks,
    getSchedule,
    setSchedule,
    deleteSchedule,
    pauseSchedule,
    resumeSchedule,
    triggerSchedule,
  },
  Definitions: {
    listDefinitions,
    createDefinition,
    applyDefinitions,
    getDefinition,
    configureDefinition,
    testDefinition,
    testDefinitionNode,
    deleteDefinitionTest,
    deleteDefinition,
    getDraft,
    saveDraft,
    validateDefinition,
    publishDefinition,
    restoreDefinition,
    pauseDefinition,
    resumeDefinition,
    archiveDefinition,
    listDefinitionVersions,
    getDefinitionVersion,
    diffDefinition,
    saveLayout,
    startDefinition,
    migrateDefinitionRun,
    rerunDefinitionRun,
    getRunProgress,
    followRunProgress,
    listConfig,
    setConfig,
    deleteConfig,
    listResourceTypes,
    listResources,
    listReferences,
    assertNoReferences,
    setReferences,
    explainTriggerEvent,
    listTriggerEvents,
    getTriggerFacts,
    getOnceHolder,
    forgetOnce,
    listHooks,
    receiveHook,
    getCatalog,
    listTriggerTypes,
  },
  Approvals: { listApprovals, getApproval, decideApproval, linkApproval },
  Endpoints: {
    listEndpoints,
    addEndpoint,
    getEndpoint,
    removeEndpoint,
    syncEndpoint,
    pauseEndpoint,
    resumeEndpoint,
  },
  Worker: {
    readDefinitionEpoch,
    readServedDocuments,
    captureRequest,
    declareTriggerTypes,
    receiveTriggerEvents,
    commitTriggerEvents,
    readConfig,
    registerNodeTypes,
    registerVersions,
    registerResourceTypes,
    receiveRuns,
    readJournalPage,
    nextVisibleRun,
    commitSteps,
    relayCalls,
    extendLeases,
    reportProgress,
    followWorkerHints,
    reportWorker,
    removeWorker,
  },
  Server: {
    getIncarnation,
    releaseIncarnation,
    getHealth,
    getReadiness,
    getMetrics,
    getOpenApi,
    getSession,
    signOut,
    listSignInWays,
    checkAccess,
    listAudit,
    listInvariants,
  },
};

export function addRoutes(app: App, context: RouteContext): void {
  for (const [tag, routes] of Object.entries(ROUTES)) {
    for (const [name, route] of Object.entries(routes)) {
      route.addTo(app, context, name, tag as Tag);
    }
  }
  addDashboardRoutes(app);
  addSignInPages(app, context.sessions);
  addApprovalPages(app, context);
}
