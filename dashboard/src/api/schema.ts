/* Made by `make docs` from the schemas in server/src/routes: change them there. */
export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the liveness of the server
         * @description Answers 200 while the process runs.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the readiness of the server
         * @description Answers 200 if the database answers and has the tables of this version; over shards, if one of them does. Only tokens with the scope read see the details.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List requests for approval
         * @description Returns requests, newest first. A caller without the scope read gets the requests that it may decide: none without the scope approve.
         */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approval_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a request for approval
         * @description Requires the scope read or approve. Without read, the caller gets the requests that it may decide.
         */
        get: operations["getApproval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approval_id}/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide a request for approval
         * @description Approves or rejects in the name of the caller, who may decide once. The values must fit the form of the request; a rejection may leave them out.
         */
        post: operations["decideApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approval_id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link to decide a request
         * @description Creates a link by which one person decides without signing in. Send it to that person alone: with it, anyone decides in that name. It works until the request ends. Requires the scope act as well.
         */
        post: operations["linkApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit
         * @description Returns who changed what by hand, newest first. Changes by the clock, by workers and by the sweep are not in it, and neither are starts, signals and messages of applications.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/captured-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List captured deliveries
         * @description Returns deliveries to urls, and requests of definitions, that a sandbox has captured instead of sending them.
         */
        get: operations["listCapturedDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/catalog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the catalog
         * @description Returns what definitions may use: the node types that workers have registered, the built-in ones included, by pool, type and version. A pool without any has never had a worker that registers. Types that no worker serves any longer remain.
         */
        get: operations["getCatalog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/catalog/resources/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List resources of a type
         * @description Asks a worker that knows the type, whose application lists its resources, and answers within 5 seconds. Fails with RESOURCES_NOT_LISTED (424) if no worker answers or the list of the application fails: people may enter an id nevertheless. A caller may wait for 10 lists at once and begin 20 a second, else 429.
         */
        get: operations["listResources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the token and the database
         * @description Answers 200 if the token is valid and the database can be used.
         */
        get: operations["checkAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the values of the environment
         * @description Returns the values that definitions may name, in the order of their names.
         */
        get: operations["listConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/config/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set a value of the environment
         * @description Runs that start after the commit have it; runs in progress keep the value with which they began. It is no secret: tokens with the scope read see it.
         */
        put: operations["setConfig"];
        post?: never;
        /**
         * Delete a value of the environment
         * @description It is refused while a published version names it.
         */
        delete: operations["deleteConfig"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letter-queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List queues that hold dead letters
         * @description Returns the queues that hold dead letters of other queues, by name. Pass the last name as after for the next page.
         */
        get: operations["listDeadLetterQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List definitions
         * @description Returns definitions in the order of their names.
         */
        get: operations["listDefinitions"];
        /**
         * Apply definitions
         * @description Creates or changes definitions by their documents: all of them, or none. Publishing them requires the scope publish as well.
         */
        put: operations["applyDefinitions"];
        /**
         * Create a definition
         * @description Creates a definition, as a draft. Nothing runs until it is published.
         */
        post: operations["createDefinition"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a definition
         * @description Returns a definition with its draft.
         */
        get: operations["getDefinition"];
        put?: never;
        post?: never;
        /**
         * Delete a definition
         * @description Deletes a definition with its versions. It is refused while the definition has runs, in progress or ended, or something starts it. A protected definition requires the scope admin.
         */
        delete: operations["deleteDefinition"];
        options?: never;
        head?: never;
        /**
         * Change the folder, scope, protection or pool of a definition
         * @description Change the folder, scope, protection or pool of a definition.
         */
        patch: operations["configureDefinition"];
        trace?: never;
    };
    "/v1/definitions/{name}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a definition
         * @description It starts no runs until it is published again. Runs in progress continue, and its versions stay.
         */
        post: operations["archiveDefinition"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two documents of a definition
         * @description Returns the differences by node and pointer.
         */
        get: operations["diffDefinition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the draft of a definition
         * @description The ETag is the revision, which a change of the draft names in If-Match.
         */
        get: operations["getDraft"];
        /**
         * Save the draft of a definition
         * @description Replaces the draft, if it still has the revision in If-Match: without the header the answer is 428, with another revision 412, with the author of the draft and what the document would change in it. Nothing is published.
         */
        put: operations["saveDraft"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain what an event came to
         * @description Returns for each trigger whether the event started a run, and if not, why: its topic, what the guard and the scope require of the message, each condition of the guard with the values that it read, and the run that holds the values of once_for.
         */
        post: operations["explainTriggerEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/hooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks of a definition
         * @description Returns the webhook triggers of the published version, with their secrets.
         */
        get: operations["listHooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/layout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Store the positions of nodes
         * @description Positions belong to no document: neither the revision nor a version changes, and the last request wins.
         */
        put: operations["saveLayout"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/nodes/{node}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a node of a definition
         * @description Executes one node alone, with those before it as they are pinned, and answers when it has ended. After the wait (at most a minute), the answer is 202 with the run.
         */
        post: operations["testDefinitionNode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/once": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the run of values of once_for
         * @description Get the run of values of once_for.
         */
        get: operations["getOnceHolder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/once/forget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forget values of once_for
         * @description The next event that has these values starts another run. changed is false if no event has had them.
         */
        post: operations["forgetOnce"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a definition
         * @description It starts no runs until it is resumed. Runs in progress continue.
         */
        post: operations["pauseDefinition"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish the draft of a definition
         * @description Publishes the draft as a new version, which starts take from now on; runs in progress stay with their versions. A draft with errors is refused with 422 and its problems; warnings are in the answer.
         */
        post: operations["publishDefinition"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a version as the draft
         * @description Makes the document of a version the draft. Publish it to make it effective.
         */
        post: operations["restoreDefinition"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused definition
         * @description Resume a paused definition.
         */
        post: operations["resumeDefinition"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a run of a definition
         * @description Starts a run of the published version, or of the one in the body. It stays with that version, whatever is published later. An input that does not match the schema of the document is refused with 400.
         */
        post: operations["startDefinition"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/runs/{run_id}/migrate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a run to another version
         * @description Replays the journal of a run in progress by another version of its definition, and moves the run if that repeats all that was done. Otherwise the answer is 409 with the node that differs. While a worker executes the run, the request waits.
         */
        post: operations["migrateDefinitionRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/runs/{run_id}/rerun": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Repeat a run from a node
         * @description Starts a run with the journal up to where the node began. Another version must repeat that journal; otherwise the answer is 409 with the node that differs.
         */
        post: operations["rerunDefinitionRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/tests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a test run of a definition
         * @description Executes the draft, or the document in the body. Lists and counts of runs leave the run out, flow control does not apply to it, and it is deleted a day after its end.
         */
        post: operations["testDefinition"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/tests/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a test run
         * @description Ends it, if it is in progress, and deletes it with all that belongs to it.
         */
        delete: operations["deleteDefinitionTest"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/trigger-events/{eventId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what decides about an event
         * @description Returns an event with the triggers of a definition, for clients that evaluate guards themselves.
         */
        get: operations["getTriggerFacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a definition
         * @description Checks the document in the body, which need not be saved, nor its definition exist; without one, the draft. Only errors prevent publishing.
         */
        post: operations["validateDefinition"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a definition
         * @description Returns versions, newest first.
         */
        get: operations["listDefinitionVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a version of a definition
         * @description Returns the version with its document.
         */
        get: operations["getDefinitionVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries to urls
         * @description Returns deliveries with an attempt, newest first. Servers keep ended ones for `OXBOW_WEBHOOK_LOG_HOURS`.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery to a url
         * @description Returns a delivery with its message and its attempts.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend deliveries to urls
         * @description Sends deliveries again, with the same webhook id, by which their receivers recognize them. A waiting delivery becomes due at once. A failed one is sent again once, and its dead letter is deleted.
         */
        post: operations["resendDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hooks/{hook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver to a webhook trigger
         * @description The body is any JSON of at most 1 MiB. Its signature or token proves where it comes from, as verify of the trigger requires; no token of the server is needed. Workers evaluate the guard of the trigger after the answer. A second delivery with the same id, or with the same body if no id is signed, within 7 days is the same event.
         */
        post: operations["receiveHook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/incarnation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the identity of the database
         * @description Returns whether the database is live, a sandbox, or a copy that is held; null without tables.
         */
        get: operations["getIncarnation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/incarnation/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release a held copy
         * @description Releases the database as a sandbox, which captures deliveries to urls, or as the live database.
         */
        post: operations["releaseIncarnation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invariants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List broken invariants
         * @description Always empty in a healthy database.
         */
        get: operations["listInvariants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List queues
         * @description List queues.
         */
        get: operations["listQueues"];
        put?: never;
        /**
         * Create a queue
         * @description Answers 200 if the queue exists with the same settings.
         */
        post: operations["createQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a queue
         * @description Returns the settings of the queue and the counts of its messages.
         */
        get: operations["getQueue"];
        put?: never;
        post?: never;
        /**
         * Drop a queue with its messages
         * @description Drop a queue with its messages.
         */
        delete: operations["dropQueue"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues/{name}/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete received messages
         * @description Delete received messages.
         */
        post: operations["deleteMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues/{name}/depths": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the depths of a queue over time
         * @description Returns how many messages the queue has held in the last 24 hours, oldest first. A server looks once a minute, and keeps what has changed: a depth holds until the next one. One without numbers begins a time of which nothing is known, because no server looked, or so many queues were deeper that this one was not sampled.
         */
        get: operations["listQueueDepths"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues/{name}/give-back": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give received messages back
         * @description Makes messages visible again, as if they had not been received.
         */
        post: operations["giveBackMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues/{name}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Peek at messages
         * @description Returns messages without receiving them, oldest first.
         */
        get: operations["peekMessages"];
        put?: never;
        /**
         * Send messages
         * @description Sends one message, or an array of messages: all of them, or none. Messages to a FIFO queue require a messageGroupId.
         */
        post: operations["sendMessages"];
        /**
         * Delete all messages of a queue
         * @description Delete all messages of a queue.
         */
        delete: operations["purgeQueue"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues/{name}/messages/{receipt}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a received message
         * @description Acknowledges the message: it is not delivered again.
         */
        delete: operations["deleteMessage"];
        options?: never;
        head?: never;
        /**
         * Change the visibility timeout of a message
         * @description The message is in flight for this many seconds from now.
         */
        patch: operations["changeMessageVisibility"];
        trace?: never;
    };
    "/v1/queues/{name}/receive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive messages
         * @description With waitSeconds, answers as soon as a message is visible.
         */
        post: operations["receiveMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues/{name}/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redrive a dead letter queue
         * @description Sends dead letters back to the queues they came from, oldest first.
         */
        post: operations["redriveQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reference-owners/{owner_type}/{owner_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the references of an object
         * @description Replaces the references of an object of the application, such as a policy, which then keeps the resources that it names from being deleted.
         */
        put: operations["setReferences"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/references/{type}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what names a resource
         * @description Returns each place at which a definition or another owner names the resource; first the places that keep it from being deleted.
         */
        get: operations["listReferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/references/{type}/{id}/assert-none": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Assert that nothing names a resource
         * @description Fails with 409 and the owners if something names the resource that must not be deleted then. It keeps nothing from being published afterwards: for that, the owner of a table protects it by SQL.
         */
        post: operations["assertNoReferences"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List types of resources
         * @description Returns the types that workers have registered or that are protected, in the order of their names.
         */
        get: operations["listResourceTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a run
         * @description With wait, answers when the run ends, or with its current state after the wait (at most a minute).
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        /**
         * Cancel a run
         * @description Cancel a run.
         */
        delete: operations["cancelRun"];
        options?: never;
        head?: never;
        /**
         * Change the tags or the retention of a run
         * @description Change the tags or the retention of a run.
         */
        patch: operations["updateRun"];
        trace?: never;
    };
    "/v1/runs/{run_id}/children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the child runs of a run
         * @description Returns the runs that steps of this run have started, oldest first.
         */
        get: operations["listRunChildren"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete a run
         * @description Deletes an ended run for good, with the runs that its steps invoked and waited for. Changes nothing if one of them is in progress, or if the parent of the run has yet to take its result. The method DELETE cancels a run.
         */
        post: operations["deleteRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain why a run does not advance
         * @description Returns one cause, and the action to take.
         */
        get: operations["explainRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/generations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the generations of a run
         * @description Returns what a run that continues as new has executed, oldest first: the first generation, the latest 99 that have ended, and the current one.
         */
        get: operations["listRunGenerations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a run
         * @description Steps that are executing finish; no further step starts until the run is resumed. Deadlines still apply.
         */
        post: operations["pauseRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the states of all nodes and edges of a run
         * @description Returns how far a run of a definition is, computed from its document and its journal.
         */
        get: operations["getRunProgress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/progress/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the nodes and edges of a run
         * @description Server-sent events of a run of a definition: changes (which nodes and edges a row of the journal changed, the first one with the states at the beginning; its id is the position: continue after it with Last-Event-ID), state (the run, and the nodes that wait, are retried or execute), reset (the run was migrated to another version or retried: its states begin again), and end, after which the stream closes.
         */
        get: operations["followRunProgress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/rerun": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rerun a run
         * @description Starts a new run with the journal of this run up to a step. Without fromStep, the new run starts over.
         */
        post: operations["rerunRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused run
         * @description Resume a paused run.
         */
        post: operations["resumeRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a failed or cancelled run
         * @description The run continues with its journal. The failed step gets new attempts, and steps that started after the failure are repeated.
         */
        post: operations["retryRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/signals/{event}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signal a run
         * @description Sends an event to the run. The body is the payload of the event.
         */
        post: operations["signalRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the published state of a run
         * @description Returns the last value of each key that the run has published.
         */
        get: operations["getRunState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the steps of a run
         * @description Returns the journal in order, with the timing and the attempts of each step.
         */
        get: operations["listRunSteps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream the output chunks of a run
         * @description Server-sent events: chunk (its id is the position; continue after it with Last-Event-ID or ?after=), reset (a step was interrupted and is repeated: discard its chunks from position since on), and end, after the run has ended and all chunks were sent.
         */
        get: operations["streamRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change runs that match
         * @description Cancels, pauses, resumes, retries, reruns or deletes one batch of matching runs. Repeat with the returned before until it is null.
         */
        post: operations["changeRuns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count runs
         * @description Counts the runs that match, up to atMost.
         */
        post: operations["countRuns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export runs
         * @description Streams all matching runs with their inputs and outputs, one JSON object per line.
         */
        post: operations["exportRuns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search runs
         * @description Returns the runs of any workflow that match, newest first.
         */
        post: operations["searchRuns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/sweep": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete expired runs
         * @description Deletes one batch of ended runs that are past their retention.
         */
        post: operations["sweepRuns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List schedules
         * @description Returns schedules, ordered by name.
         */
        get: operations["listSchedules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a schedule
         * @description Get a schedule.
         */
        get: operations["getSchedule"];
        /**
         * Create or replace a schedule
         * @description Create or replace a schedule.
         */
        put: operations["setSchedule"];
        post?: never;
        /**
         * Delete a schedule
         * @description Runs that the schedule has started are not affected.
         */
        delete: operations["deleteSchedule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a schedule
         * @description Pause a schedule.
         */
        post: operations["pauseSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused schedule
         * @description Resume a paused schedule.
         */
        post: operations["resumeSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{name}/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a run of a schedule now
         * @description Works for paused schedules too, and doesn't change the ticks.
         */
        post: operations["triggerSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the session
         * @description Returns who the caller is and what it may do, and refreshes the session of a user. Doesn't need the database.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        /**
         * Sign out
         * @description Ends the session of a user in this browser, also one that has expired, and returns where the browser signs out at the provider.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the ways to sign in
         * @description Returns how a user can sign in. Requires no token.
         */
        get: operations["listSignInWays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List subscriptions
         * @description List subscriptions.
         */
        get: operations["listSubscriptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{subscription_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a subscription
         * @description Get a subscription.
         */
        get: operations["getSubscription"];
        put?: never;
        post?: never;
        /**
         * End a subscription
         * @description End a subscription.
         */
        delete: operations["endSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{subscription_id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable a disabled subscription
         * @description Resumes deliveries to a url that failed for too long.
         */
        post: operations["enableSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{subscription_id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the signing secrets of a subscription
         * @description The receiver of a url verifies signatures with them.
         */
        get: operations["getSubscriptionSecret"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ticks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the next ticks of a cron expression or an interval
         * @description Returns when a schedule with this rule ticks next, without jitter, by the server's clock. Give either cron or everySeconds.
         */
        get: operations["listTicks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topic-dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the dead letters of topics
         * @description Returns messages that could not be delivered to a subscription, oldest first.
         */
        get: operations["listTopicDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topic-dead-letters/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete dead letters of topics
         * @description Delete dead letters of topics.
         */
        post: operations["deleteTopicDeadLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topic-dead-letters/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redrive the dead letters of topics
         * @description Publishes each dead letter again, to its subscription only.
         */
        post: operations["redriveTopicDeadLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics/{pattern}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish a message to a topic
         * @description Publish a message to a topic.
         */
        post: operations["publish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics/{pattern}/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the subscriptions of a pattern
         * @description List the subscriptions of a pattern.
         */
        get: operations["listTopicSubscriptions"];
        put?: never;
        /**
         * Subscribe a queue, a url or a workflow
         * @description Subscribe a queue, a url or a workflow.
         */
        post: operations["subscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics/{pattern}/subscriptions/{subscription_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a subscription of a pattern
         * @description End a subscription of a pattern.
         */
        delete: operations["endTopicSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/topics/{pattern}/targets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the targets of a message
         * @description Returns what a message of a topic would go to, and publishes nothing.
         */
        post: operations["listTargets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trigger-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events of triggers
         * @description Returns events that triggers were evaluated for, the newest first. They are kept for 7 days, failed ones for 30.
         */
        get: operations["listTriggerEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trigger-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List trigger types
         * @description Returns the trigger types that workers have declared, by pool and name. A name that no type of the pool has stands for a topic.
         */
        get: operations["listTriggerTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/captures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List a request that a sandbox did not send
         * @description Lists it among captured deliveries, once for its key. Does nothing if the database is no sandbox.
         */
        post: operations["captureRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/commit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Commit steps and transitions of runs
         * @description Commit steps and transitions of runs.
         */
        post: operations["commitSteps"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read the values of the environment
         * @description Returns the values that definitions name, for workers that run them.
         */
        post: operations["readConfig"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/definitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the epoch of definitions
         * @description Returns a counter that rises with each change of what is published, paused, archived or configured, and whether the database is a sandbox, in which nodes send no requests.
         */
        get: operations["readDefinitionEpoch"];
        put?: never;
        /**
         * Read documents of versions
         * @description Returns the documents of existing versions, in the order of the request.
         */
        post: operations["readServedDocuments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Extend leases
         * @description Returns the runs that need attention: lost, cancelled, paused or signalled.
         */
        post: operations["extendLeases"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/journal-page": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read a page of a journal
         * @description For runs that were delivered without their journal.
         */
        post: operations["readJournalPage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/next-visible": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the time until the next run is ready
         * @description Get the time until the next run is ready.
         */
        post: operations["nextVisibleRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/node-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Register node types
         * @description Registers the node types that a worker serves. Known types that were seen within 10 minutes are not written. A worker does this when it starts, and every 5 minutes with replace false.
         */
        put: operations["registerNodeTypes"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/presence/{worker_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Report a worker
         * @description Reports that a worker is there and what it serves, for the list of workers. Workers do this every 20 seconds.
         */
        put: operations["reportWorker"];
        post?: never;
        /**
         * Remove a worker from the list of workers
         * @description A worker does this when it stops.
         */
        delete: operations["removeWorker"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report the steps that are executing
         * @description Shown as inProgress of their runs.
         */
        post: operations["reportProgress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/receive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive runs
         * @description Leases ready runs and returns each with its journal. With waitSeconds, answers as soon as a run is ready.
         */
        post: operations["receiveRuns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/resource-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Register types of resources
         * @description Registers the types that a worker knows, so that checkers and editors know their schemas. A worker calls it when it starts and every 5 minutes.
         */
        put: operations["registerResourceTypes"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/triggers/commit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Commit what events came to
         * @description Starts runs, records events and matches, and acknowledges, in one transaction. Nothing is done for events whose lease is lost.
         */
        post: operations["commitTriggerEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/triggers/receive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive events of triggers
         * @description Leases events, with the triggers that have changed since the epoch that the worker knows. Waits until there is one.
         */
        post: operations["receiveTriggerEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/triggers/types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Declare trigger types
         * @description Definitions that use a type whose topic has changed are subscribed again. A worker does this when it starts, and every 5 minutes with replace false.
         */
        post: operations["declareTriggerTypes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Register versions of workflows
         * @description Registers the versions that a worker serves, with the defaults of their runs. Starts without a version use the latest.
         */
        put: operations["registerVersions"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/worker/wake": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow hints for a worker
         * @description Server-sent events: ready (runs of these workflows may be ready), and attention (a leased run was cancelled, paused or signalled). Hints may be lost; workers that only poll are correct.
         */
        get: operations["followWorkerHints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workers
         * @description Returns the workers that have reported themselves within the last hour, by host and process.
         */
        get: operations["listWorkers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workflows
         * @description Returns each workflow with the number of its runs by status.
         */
        get: operations["listWorkflows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the runs of a workflow
         * @description Server-sent events: run, when a run starts or ends, with its status from then on. A client that reconnects with Last-Event-ID within a day continues exactly after that event. After more than 128 changes in five seconds, the earlier of them may be repeated.
         */
        get: operations["followWorkflow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/flow-control": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the flow control of a workflow
         * @description Returns the settings and the current counts, or null without flow control.
         */
        get: operations["getFlowControl"];
        /**
         * Set the flow control of a workflow
         * @description Replaces all settings; null removes them. Settings of an earlier version of the workflow are ignored, and the outcome is kept.
         */
        put: operations["setFlowControl"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the runs of a workflow
         * @description Returns runs, newest first. `input.<path>=<value>` and `tags.<path>=<value>` match runs whose input or tags contain the value, which is parsed as JSON if it is valid JSON, and is text otherwise.
         */
        get: operations["listRuns"];
        put?: never;
        /**
         * Start a run
         * @description With wait, answers when the run ends, with its output or error; after the wait (at most a minute) with its status. To wait longer, repeat the request with the same idempotency key and input. A request with the same key and another input gets the status only.
         */
        post: operations["startRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a run
         * @description With wait, answers when the run ends, or with its current state after the wait (at most a minute).
         */
        get: operations["getWorkflowRun"];
        put?: never;
        post?: never;
        /**
         * Cancel a run
         * @description Cancel a run.
         */
        delete: operations["cancelWorkflowRun"];
        options?: never;
        head?: never;
        /**
         * Change the tags or the retention of a run
         * @description Change the tags or the retention of a run.
         */
        patch: operations["updateWorkflowRun"];
        trace?: never;
    };
    "/v1/workflows/{name}/runs/{run_id}/children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the child runs of a run
         * @description Returns the runs that steps of this run have started, oldest first.
         */
        get: operations["listWorkflowRunChildren"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/runs/{run_id}/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete a run
         * @description Deletes an ended run for good, with the runs that its steps invoked and waited for. Changes nothing if one of them is in progress, or if the parent of the run has yet to take its result. The method DELETE cancels a run.
         */
        post: operations["deleteWorkflowRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/runs/{run_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a run
         * @description Server-sent events: step (continue after it with its id as Last-Event-ID), status (when it changes, and before the steps of the next generation of a run that continues as new), and end, after which the stream closes.
         */
        get: operations["followRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/runs/{run_id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain why a run does not advance
         * @description Returns one cause, and the action to take.
         */
        get: operations["explainWorkflowRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/runs/{run_id}/generations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the generations of a run
         * @description Returns what a run that continues as new has executed, oldest first: the first generation, the latest 99 that have ended, and the current one.
         */
        get: operations["listWorkflowRunGenerations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/runs/{run_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a run
         * @description Steps that are executing finish; no further step starts until the run is resumed. Deadlines still apply.
         */
        post: operations["pauseWorkflowRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/runs/{run_id}/rerun": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rerun a run
         * @description Starts a new run with the journal of this run up to a step. Without fromStep, the new run starts over.
         */
        post: operations["rerunWorkflowRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/runs/{run_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused run
         * @description Resume a paused run.
         */
        post: operations["resumeWorkflowRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/runs/{run_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a failed or cancelled run
         * @description The run continues with its journal. The failed step gets new attempts, and steps that started after the failure are repeated.
         */
        post: operations["retryWorkflowRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/runs/{run_id}/signals/{event}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signal a run
         * @description Sends an event to the run. The body is the payload of the event.
         */
        post: operations["signalWorkflowRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/runs/{run_id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the published state of a run
         * @description Returns the last value of each key that the run has published.
         */
        get: operations["getWorkflowRunState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/runs/{run_id}/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the steps of a run
         * @description Returns the journal in order, with the timing and the attempts of each step.
         */
        get: operations["listWorkflowRunSteps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/runs/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start many runs of a workflow
         * @description Starts all runs in one statement: all of them, or none.
         */
        post: operations["startRuns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/runs/signal-with-start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a run and signal it
         * @description Starts the run, unless one with its idempotency key exists, and signals it, in one transaction.
         */
        post: operations["signalWithStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a workflow
         * @description Returns the versions that workers have registered, latest first.
         */
        get: operations["listWorkflowVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unregister a version of a workflow
         * @description Starts without a version then use the latest version that is still registered.
         */
        delete: operations["unregisterWorkflowVersion"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description RFC 9457, application/problem+json. */
        Problem: {
            /** @description Changes to the draft that were refused. */
            changes?: {
                kind: string;
                pointer: string;
            }[];
            /** @description Stable code, for programs. */
            code: string;
            detail: string;
            errors?: {
                message: string;
                path: string;
            }[];
            instance: string;
            /** @description Places that name a resource which can't be deleted. */
            owners?: {
                ownerId: string;
                ownerType: string;
                pointer: string;
            }[];
            /** @description Of a document that can't be published. */
            problems?: {
                code: string;
                message: string;
                pointer: string;
            }[];
            /** @description Of the draft, if it has another one. */
            revision?: number;
            /** @description When the draft was saved. */
            savedAt?: string;
            /** @description Author of the draft. */
            savedBy?: string;
            status: number;
            title: string;
            type: string;
            /** @description Users of a definition that can't be deleted. */
            users?: string[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                    };
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description live; sandbox for a released copy, held for a copy that is not released. */
                        incarnation?: string;
                        oldestReadyRun?: {
                            ageSeconds: number;
                            workflow: string;
                        } | null;
                        readAgeSeconds?: number | null;
                        reason?: string;
                        /** @description Version of the tables and functions. */
                        schema?: string;
                        /** @description The same of each shard, if there are several. */
                        shards?: {
                            [key: string]: {
                                /** @description live; sandbox for a released copy, held for a copy that is not released. */
                                incarnation?: string;
                                oldestReadyRun?: {
                                    ageSeconds: number;
                                    workflow: string;
                                } | null;
                                readAgeSeconds?: number | null;
                                reason?: string;
                                /** @description Version of the tables and functions. */
                                schema?: string;
                                status: string;
                            };
                        };
                        status: string;
                    };
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description live; sandbox for a released copy, held for a copy that is not released. */
                        incarnation?: string;
                        oldestReadyRun?: {
                            ageSeconds: number;
                            workflow: string;
                        } | null;
                        readAgeSeconds?: number | null;
                        reason?: string;
                        /** @description Version of the tables and functions. */
                        schema?: string;
                        /** @description The same of each shard, if there are several. */
                        shards?: {
                            [key: string]: {
                                /** @description live; sandbox for a released copy, held for a copy that is not released. */
                                incarnation?: string;
                                oldestReadyRun?: {
                                    ageSeconds: number;
                                    workflow: string;
                                } | null;
                                readAgeSeconds?: number | null;
                                reason?: string;
                                /** @description Version of the tables and functions. */
                                schema?: string;
                                status: string;
                            };
                        };
                        status: string;
                    };
                };
            };
        };
    };
    listApprovals: {
        parameters: {
            query: {
                /** @description Requests that this person may decide. */
                approver?: string;
                /** @description Cursor of the page before. */
                cursor?: string;
                /** @description A group of the approver; may be repeated. */
                group?: string | string[];
                limit: number;
                /** @description Requests that the caller may decide, by name or by role. */
                mine?: boolean;
                /** @description A 64-bit id, as text. */
                runId?: string;
                /** @description decided: approved or rejected. */
                status?: "waiting" | "approved" | "rejected" | "expired" | "withdrawn" | "decided";
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                workflow?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        approvals: {
                            approvers: string[] | null;
                            /** @description In the order of time. */
                            decisions: {
                                actor: string;
                                /**
                                 * Format: date-time
                                 * @description ISO 8601.
                                 */
                                at: string;
                                decision: "approved" | "rejected";
                                /** @description The fields that the person filled in. */
                                values: {
                                    [key: string]: unknown;
                                };
                            }[];
                            description: string | null;
                            endedAt: string | null;
                            /** @description Whether the people who started the run can't decide. */
                            excludesStarter: boolean;
                            expiresAt: string | null;
                            form: unknown | null;
                            /** @description A 64-bit id, as text. */
                            id: string;
                            /** @description How many must approve. */
                            quorum: number;
                            /** @description How many must reject. */
                            rejections: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            requestedAt: string;
                            /** @description A 64-bit id, as text. */
                            runId: string;
                            /** @description withdrawn: the run has ended, or no longer waits. */
                            status: "waiting" | "approved" | "rejected" | "expired" | "withdrawn";
                            /** @description The step that waits; of a declared workflow, the path of the node. */
                            step: string;
                            /** @description The question. */
                            title: string;
                            workflow: string;
                        }[];
                        cursor: string | null;
                    };
                };
            };
        };
    };
    getApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                approval_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        approvers: string[] | null;
                        /** @description In the order of time. */
                        decisions: {
                            actor: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            at: string;
                            decision: "approved" | "rejected";
                            /** @description The fields that the person filled in. */
                            values: {
                                [key: string]: unknown;
                            };
                        }[];
                        description: string | null;
                        endedAt: string | null;
                        /** @description Whether the people who started the run can't decide. */
                        excludesStarter: boolean;
                        expiresAt: string | null;
                        form: unknown | null;
                        /** @description A 64-bit id, as text. */
                        id: string;
                        /** @description How many must approve. */
                        quorum: number;
                        /** @description How many must reject. */
                        rejections: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        requestedAt: string;
                        /** @description A 64-bit id, as text. */
                        runId: string;
                        /** @description withdrawn: the run has ended, or no longer waits. */
                        status: "waiting" | "approved" | "rejected" | "expired" | "withdrawn";
                        /** @description The step that waits; of a declared workflow, the path of the node. */
                        step: string;
                        /** @description The question. */
                        title: string;
                        workflow: string;
                    };
                };
            };
        };
    };
    decideApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                approval_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    decision: "approved" | "rejected";
                    /** @description Groups of the person whom Oxbow-Actor names. Those of a signed-in user are the user's roles. */
                    groups?: string[];
                    /** @description The fields that the person filled in. */
                    values?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description delivered: the request ended with this decision, and the run continues. counted: others must decide too. decided: this person, or enough others, decided before. expired: the request timed out or was withdrawn. */
                        outcome: "delivered" | "counted" | "decided" | "expired";
                    };
                };
            };
        };
    };
    linkApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                approval_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The person. */
                    actor: string;
                    /** @description Groups of the person. */
                    groups?: string[];
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Of the page, on this server. */
                        path: string;
                        token: string;
                    };
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query: {
                /** @description object.verb, for example run.cancel. */
                action?: string;
                /** @description Name of a token, a user or a role. */
                actor?: string;
                /** @description At or after this time. */
                after?: string;
                /** @description Before this time. */
                before?: string;
                /** @description An opaque cursor from an earlier response. */
                cursor?: string;
                limit: number;
                /** @description Id or name of the object. */
                subject?: string;
                /** @description Kind of the object, for example run. */
                subjectType?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        cursor: string | null;
                        entries: {
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            actedAt: string;
                            /** @description object.verb, for example run.cancel. */
                            action: string;
                            actor: string;
                            /** @description How the actor is known: token; user, signed in by OpenID Connect; delegate, named by a token or a role that may act for others; role of the database. */
                            actorKind: "token" | "user" | "delegate" | "role";
                            address: string | null;
                            /** @description An opaque cursor from an earlier response. */
                            cursor: string;
                            /** @description Facts of the action by name, or null. */
                            detail: unknown;
                            id: string;
                            outcome: "changed" | "unchanged";
                            /** @description The role that logged in to the database, which SET ROLE does not change. */
                            role: string;
                            /** @description Id or name of the object. */
                            subject: string;
                            subjectType: string;
                            token: string | null;
                        }[];
                    };
                };
            };
        };
    };
    listCapturedDeliveries: {
        parameters: {
            query?: {
                /** @description A 64-bit id, as text. */
                after?: string;
                max?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: {
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            capturedAt: string;
                            /** @description Any JSON. */
                            headers: unknown;
                            /** @description A 64-bit id, as text. */
                            id: string;
                            /** @description The body of a request. */
                            message: unknown;
                            /** @description The run that made the request; null for a delivery. */
                            runId: string | null;
                            /** @description Null for a request. */
                            subscriptionId: string | null;
                            /** @description Null for a request. */
                            topic: string | null;
                            url: string | null;
                        }[];
                    };
                };
            };
        };
    };
    getCatalog: {
        parameters: {
            query?: {
                /** @description Only those of the pool in which this definition is published. It counts more than pool if the definition was configured with one. */
                definition?: string;
                /** @description Default: all pools. */
                pool?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        nodeTypes: {
                            /** @description Schemas, handles, title and documentation. */
                            descriptor: unknown;
                            /** @description Whether a worker has reported it within the last hour. */
                            isServed: boolean;
                            /**
                             * Format: date-time
                             * @description When a worker that serves it reported it last; up to 15 minutes less than the truth.
                             */
                            lastSeenAt: string;
                            pool: string;
                            /**
                             * Format: date-time
                             * @description When the descriptor was stored or changed.
                             */
                            registeredAt: string;
                            /** @description Without the version: slack.post of slack.post@2. */
                            type: string;
                            version: number;
                        }[];
                    };
                };
            };
        };
    };
    listResources: {
        parameters: {
            query?: {
                /** @description next of the page before. */
                after?: string;
                /** @description A definition, whose scope the application receives. */
                definition?: string;
                limit?: number;
                /** @description Text that the title or the id contains. Default: all. */
                q?: string;
            };
            header?: never;
            path: {
                /** @description 1 to 256 characters without control characters. */
                type: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: string | null;
                        resources: {
                            id: string;
                            /** @description The text that people see. */
                            title: string;
                        }[];
                    };
                };
            };
        };
    };
    checkAccess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                    };
                };
            };
        };
    };
    listConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        values: {
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            changedAt: string;
                            /** @description Actor that set it. */
                            changedBy: string;
                            name: string;
                            /** @description Any JSON. */
                            value: unknown;
                        }[];
                    };
                };
            };
        };
    };
    setConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As documents use it. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Any JSON. */
                    value: unknown;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changed: boolean;
                    };
                };
            };
        };
    };
    deleteConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As documents use it. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                    };
                };
            };
        };
    };
    listDeadLetterQueues: {
        parameters: {
            query?: {
                after?: string;
                max?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        queues: {
                            /** @description Whether it holds more. */
                            hasMore: boolean;
                            /** @description At most 10,000 are counted in a shard. */
                            messages: number;
                            name: string;
                        }[];
                    };
                };
            };
        };
    };
    listDefinitions: {
        parameters: {
            query?: {
                /** @description Name of the last one of the page before. */
                after?: string;
                /** @description Where lists show it. */
                folder?: string;
                limit?: number;
                /** @description Exactly this one. */
                name?: string;
                /** @description Text in the name or title. */
                search?: string;
                /** @description `draft` until it is first published. */
                state?: "draft" | "published" | "paused" | "archived";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        definitions: {
                            archivedAt: string | null;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            createdAt: string;
                            /** @description Author of the draft. */
                            draftBy: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            draftedAt: string;
                            folder: string | null;
                            /** @description Whether the draft differs from what is published. */
                            hasChanges: boolean;
                            /** @description Whether the authors of a draft since the last version may not publish it. */
                            isProtected: boolean;
                            name: string;
                            pausedAt: string | null;
                            pauseReason: string | null;
                            pool: string;
                            publishedAt: string | null;
                            publishedBy: string | null;
                            publishedVersion: number | null;
                            /** @description Number of the draft. */
                            revision: number;
                            /** @description Any JSON. */
                            scope: unknown;
                            /** @description `draft` until it is first published. */
                            state: "draft" | "published" | "paused" | "archived";
                            title: string | null;
                        }[];
                        /** @description Rises with each change of what is published, paused or archived. */
                        epoch: string;
                    };
                };
            };
        };
    };
    applyDefinitions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    documents: {
                        [key: string]: unknown;
                    }[];
                    /** @description Shown with the version. */
                    note?: string;
                    /**
                     * @description Replaces drafts that were changed and not published.
                     * @default false
                     */
                    overwrite?: boolean;
                    /**
                     * @description Publishes the drafts as well.
                     * @default false
                     */
                    publish?: boolean;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        definitions: {
                            name: string;
                            outcome: "created" | "changed" | "unchanged";
                            /** @description Number of the draft. */
                            revision: number;
                            version: number | null;
                        }[];
                    };
                };
            };
        };
    };
    createDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The document: a graph of nodes. */
                    document?: {
                        [key: string]: unknown;
                    };
                    /** @description Where lists show it. */
                    folder?: string;
                    /** @default false */
                    isProtected?: boolean;
                    /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                    name: string;
                    /** @description Members that the events which start its runs must contain. */
                    scope?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of the draft. */
                        revision: number;
                    };
                };
            };
        };
    };
    getDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        archivedAt: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        createdAt: string;
                        /** @description Any JSON. */
                        draft: unknown;
                        /** @description Author of the draft. */
                        draftBy: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        draftedAt: string;
                        folder: string | null;
                        /** @description Whether the draft differs from what is published. */
                        hasChanges: boolean;
                        /** @description Whether the authors of a draft since the last version may not publish it. */
                        isProtected: boolean;
                        /** @description Any JSON. */
                        layout: unknown;
                        name: string;
                        pausedAt: string | null;
                        pauseReason: string | null;
                        pool: string;
                        publishedAt: string | null;
                        publishedBy: string | null;
                        publishedVersion: number | null;
                        /** @description Number of the draft. */
                        revision: number;
                        /** @description Any JSON. */
                        scope: unknown;
                        /** @description `draft` until it is first published. */
                        state: "draft" | "published" | "paused" | "archived";
                        title: string | null;
                    };
                };
            };
        };
    };
    deleteDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                    };
                };
            };
        };
    };
    configureDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description An empty text means none. */
                    folder?: string;
                    isProtected?: boolean;
                    /** @description Whose workers receive its runs from now on; an empty text means the pool that its document names. */
                    pool?: string;
                    scope?: {
                        [key: string]: unknown;
                    } | null;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changed: boolean;
                    };
                };
            };
        };
    };
    archiveDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changed: boolean;
                    };
                };
            };
        };
    };
    diffDefinition: {
        parameters: {
            query?: {
                /** @description A version, draft or published. */
                from?: string;
                /** @description A version, draft or published. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changes: {
                            /** @description Any JSON. */
                            from?: unknown;
                            kind: "added" | "removed" | "changed";
                            /** @description Id of the node, if it belongs to one. */
                            node?: string;
                            /** @description JSON Pointer: into the old document if removed, else into the new one. */
                            pointer: string;
                            /** @description Any JSON. */
                            to?: unknown;
                        }[];
                    };
                };
            };
        };
    };
    getDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Any JSON. */
                        document: unknown;
                        /** @description Any JSON. */
                        layout: unknown;
                        /** @description Number of the draft. */
                        revision: number;
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        savedAt: string;
                        savedBy: string;
                    };
                };
            };
        };
    };
    saveDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description Required: the ETag of the draft, such as "7". The request is refused if the draft has another one. */
                "if-match"?: string;
            };
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        /** @description The document: a graph of nodes. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of the draft. */
                        revision: number;
                    };
                };
            };
        };
    };
    explainTriggerEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A 64-bit id, as text. */
                    eventId: string;
                    /** @description Version of the workflow. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        definitionState: "draft" | "published" | "paused" | "archived";
                        /** @description How many runs that triggers started led to it. */
                        depth: number;
                        error: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        evaluatedAt: string;
                        eventId: string;
                        /** @description Any JSON. */
                        message: unknown;
                        pauseReason: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        publishedAt: string;
                        /** @description `retrying` after a failed load, `failed` for the last time, `refused` because too many runs led to it. */
                        state: "evaluated" | "retrying" | "failed" | "refused";
                        topic: string;
                        triggers: {
                            /** @description The conditions that the guard joins by &&. */
                            conditions: {
                                error?: string;
                                holds: boolean | null;
                                text: string;
                                /** @description The values that it read, by path. */
                                values: {
                                    [key: string]: string;
                                };
                            }[];
                            /** @description Any JSON. */
                            filter: unknown;
                            guardError?: string;
                            guardHolds: boolean | null;
                            name: string;
                            on: string;
                            onceHolder: {
                                eventId: string;
                                runId: string | null;
                                /**
                                 * Format: date-time
                                 * @description ISO 8601.
                                 */
                                startedAt: string;
                                trigger: string;
                            } | null;
                            onceKey: string | null;
                            pattern: string | null;
                            /** @description A sentence. */
                            reason: string;
                            runId: string | null;
                            /** @description The outcome, or the first reason for which nothing happened. */
                            verdict: "started" | "once" | "delayed" | "withdrawn" | "paused" | "failed" | "other-topic" | "filtered" | "refused" | "not-listening" | "guard" | "waiting" | "matches";
                        }[];
                        version: number | null;
                    };
                };
            };
        };
    };
    listHooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        hooks: {
                            /** @description To which deliveries are posted. */
                            path: string;
                            /** @description For the sender, as whsec_…; the current secret comes first. Empty without OXBOW_WEBHOOK_SECRETS, and in a sandbox. */
                            secrets: string[];
                            trigger: string;
                            verify: "signature" | "github" | "token";
                        }[];
                    };
                };
            };
        };
    };
    saveLayout: {
        parameters: {
            query?: {
                /** @description Version of the workflow. */
                version?: number;
            };
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        /** @description {"nodes": {"<id>": [x, y]}, "notes": …} */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    testDefinitionNode: {
        parameters: {
            query?: {
                /** @description How long to wait for the end of the run: "30s", at most "60s". Default: no wait. */
                wait?: string;
            };
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The document: a graph of nodes. */
                    document?: {
                        [key: string]: unknown;
                    };
                    /**
                     * @description mock: nodes that read or write anything outside of the run take their pin, or a sample of their output. real requires the scope publish, and of a protected definition a document that is published or a draft that the caller has not saved.
                     * @default mock
                     */
                    effects?: "mock" | "real";
                    /** @description A kept event: the input is what a trigger of the document makes of it, unless there is one. The guard is not asked. Requires the scope read. */
                    eventId?: string;
                    /** @description A past run of the definition: its input is taken, unless there is one. Requires the scope read. */
                    fromRun?: string;
                    /** @description Any JSON. */
                    input?: unknown;
                    /** @description Any JSON. */
                    item?: unknown;
                    /** @description Gives each node the result that it had in that run, unless pins have one. */
                    pinResults?: boolean;
                    /** @description By node, what it does instead of its work. */
                    pins?: {
                        [key: string]: {
                            /** @description The node fails. */
                            error?: {
                                code?: string;
                                message?: string;
                            };
                            /** @description The handle that the node takes. */
                            handle?: string;
                            /** @description Any JSON. */
                            output?: unknown;
                        };
                    };
                    /** @description Name of that trigger. Default: the only one that wants the topic of the event. */
                    trigger?: string;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attempts: number;
                        durationMs: number;
                        error?: {
                            code: string;
                            message: string;
                        };
                        /** @description The handle that it took; error if it failed. */
                        handle: string;
                        /** @description Any JSON. */
                        input: unknown;
                        log: {
                            level: string;
                            message: string;
                        }[];
                        /** @description Any JSON. */
                        output?: unknown;
                        /** @description A 64-bit id, as text. */
                        runId: string;
                    };
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A 64-bit id, as text. */
                        runId: string;
                    };
                };
            };
        };
    };
    getOnceHolder: {
        parameters: {
            query: {
                /** @description The values, as canonical JSON. */
                key: string;
            };
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        holder: {
                            eventId: string;
                            runId: string | null;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            startedAt: string;
                            trigger: string;
                        } | null;
                    };
                };
            };
        };
    };
    forgetOnce: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description In the order of once_for. */
                    values: unknown[];
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changed: boolean;
                    };
                };
            };
        };
    };
    pauseDefinition: {
        parameters: {
            query?: {
                /** @description Shown with the change. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changed: boolean;
                    };
                };
            };
        };
    };
    publishDefinition: {
        parameters: {
            query?: never;
            header?: {
                /** @description Required: the ETag of the draft, such as "7". The request is refused if the draft has another one. */
                "if-match"?: string;
            };
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Shown with the version. */
                    note?: string;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if the draft was published before. */
                        created: boolean;
                        version: number;
                        warnings: {
                            code: string;
                            /** @description The remedy. */
                            hint: string;
                            message: string;
                            /** @description Id of the node, if it belongs to one. */
                            node?: string;
                            /** @description Where it is in the document, as a JSON Pointer. */
                            pointer: string;
                            range?: {
                                end: number;
                                start: number;
                            };
                            severity: "error" | "warning";
                        }[];
                    };
                };
            };
        };
    };
    restoreDefinition: {
        parameters: {
            query?: never;
            header?: {
                /** @description Required: the ETag of the draft, such as "7". The request is refused if the draft has another one. */
                "if-match"?: string;
            };
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Version of the workflow. */
                    version: number;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of the draft. */
                        revision: number;
                    };
                };
            };
        };
    };
    resumeDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changed: boolean;
                    };
                };
            };
        };
    };
    startDefinition: {
        parameters: {
            query?: {
                /** @description A codec has encoded the input: the run compares it with the schema. */
                hasEncodedInput?: boolean;
            };
            header?: {
                /** @description Equivalent to the key in the request. Surrounding quotes are removed. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The run fails if it has not ended by then: an instant, or a duration from its earliest start ("1h", or seconds). */
                    deadline?: string | number;
                    /** @description Duration until the run may start: seconds, or "30s", "5m", "7d". */
                    delay?: number | string;
                    /** @description Key of flow control. Default: the value at the workflow's key path. */
                    flowKey?: string;
                    /** @description A later start with the same key returns the same run. */
                    idempotencyKey?: string;
                    /** @description Any JSON. */
                    input?: unknown;
                    /** @description Rule for an ended run with the same idempotency key. */
                    onEnded?: "use-existing" | "start-new" | "start-new-if-failed";
                    /** @description Rule for a running run with the same idempotency key. */
                    onRunning?: "use-existing" | "fail" | "cancel-existing";
                    /** @description Runs with a higher priority start first. */
                    priority?: number;
                    /** @description Days until a run that has ended may be deleted. */
                    retentionDays?: number;
                    /** @description What the run belongs with, such as a tenant, over several shards: all runs of a route are in one. The idempotency key begins with it and a slash. */
                    route?: string;
                    /** @description Earliest start of the run, as an alternative to delay. */
                    startAt?: string;
                    /** @description An object, by which runs can be found. */
                    tags?: {
                        [key: string]: unknown;
                    };
                    /** @description Trace context of the run, as headers: {"traceparent": …}. Default: the headers of the request. */
                    trace?: {
                        [key: string]: string;
                    };
                    /** @description Default: the latest version that a worker has registered. If none has, the first registration decides it. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if a run with this idempotency key existed. */
                        created: boolean;
                        /** @description A 64-bit id, as text. */
                        runId: string;
                        status: "running" | "completed" | "failed" | "cancelled";
                    };
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if a run with this idempotency key existed. */
                        created: boolean;
                        /** @description A 64-bit id, as text. */
                        runId: string;
                        status: "running" | "completed" | "failed" | "cancelled";
                    };
                };
            };
        };
    };
    migrateDefinitionRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Version of the workflow. */
                    version?: number;
                    /**
                     * @description How long to wait while a worker executes the run.
                     * @default 10
                     */
                    waitSeconds?: number;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        from: number;
                        /** @description False if the run had the version. */
                        migrated: boolean;
                        /** @description A 64-bit id, as text. */
                        runId: string;
                        to: number;
                    };
                };
            };
        };
    };
    rerunDefinitionRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Its path: page, or pack.17.reserve in a loop. */
                    node: string;
                    /** @description Version of the workflow. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        fromStep: string;
                        /** @description A 64-bit id, as text. */
                        runId: string;
                        version: number;
                    };
                };
            };
        };
    };
    testDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The document: a graph of nodes. */
                    document?: {
                        [key: string]: unknown;
                    };
                    /**
                     * @description mock: nodes that read or write anything outside of the run take their pin, or a sample of their output. real requires the scope publish, and of a protected definition a document that is published or a draft that the caller has not saved.
                     * @default mock
                     */
                    effects?: "mock" | "real";
                    /** @description A kept event: the input is what a trigger of the document makes of it, unless there is one. The guard is not asked. Requires the scope read. */
                    eventId?: string;
                    /** @description A past run of the definition: its input is taken, unless there is one. Requires the scope read. */
                    fromRun?: string;
                    /** @description Any JSON. */
                    input?: unknown;
                    /** @description Any JSON. */
                    item?: unknown;
                    /** @description This node is executed alone. */
                    only?: string;
                    /** @description Gives each node the result that it had in that run, unless pins have one. */
                    pinResults?: boolean;
                    /** @description By node, what it does instead of its work. */
                    pins?: {
                        [key: string]: {
                            /** @description The node fails. */
                            error?: {
                                code?: string;
                                message?: string;
                            };
                            /** @description The handle that the node takes. */
                            handle?: string;
                            /** @description Any JSON. */
                            output?: unknown;
                        };
                    };
                    /** @description Name of that trigger. Default: the only one that wants the topic of the event. */
                    trigger?: string;
                    /** @description The run ends after this node. */
                    until?: string;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A 64-bit id, as text. */
                        runId: string;
                    };
                };
            };
        };
    };
    deleteDefinitionTest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                    };
                };
            };
        };
    };
    getTriggerFacts: {
        parameters: {
            query?: {
                /** @description Version of the workflow. */
                version?: number;
            };
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                eventId: string;
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        definitionState: "draft" | "published" | "paused" | "archived";
                        /** @description How many runs that triggers started led to it. */
                        depth: number;
                        error: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        evaluatedAt: string;
                        eventId: string;
                        /** @description Any JSON. */
                        loaded: unknown;
                        /** @description Any JSON. */
                        message: unknown;
                        pauseReason: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        publishedAt: string;
                        /** @description `retrying` after a failed load, `failed` for the last time, `refused` because too many runs led to it. */
                        state: "evaluated" | "retrying" | "failed" | "refused";
                        topic: string;
                        triggers: unknown[];
                        version: number | null;
                    };
                };
            };
        };
    };
    validateDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The document: a graph of nodes. */
                    document?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        problems: {
                            code: string;
                            /** @description The remedy. */
                            hint: string;
                            message: string;
                            /** @description Id of the node, if it belongs to one. */
                            node?: string;
                            /** @description Where it is in the document, as a JSON Pointer. */
                            pointer: string;
                            range?: {
                                end: number;
                                start: number;
                            };
                            severity: "error" | "warning";
                        }[];
                    };
                };
            };
        };
    };
    listDefinitionVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        versions: {
                            /** @description Equal for equal documents. */
                            hash: string;
                            note: string | null;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            publishedAt: string;
                            publishedBy: string;
                            state: "published" | "archived";
                            version: number;
                        }[];
                    };
                };
            };
        };
    };
    getDefinitionVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A number, also that of a test run, or published. */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Any JSON. */
                        compiled: unknown;
                        /** @description Any JSON. */
                        document: unknown;
                        hash: string;
                        /** @description Any JSON. */
                        layout: unknown;
                        name: string;
                        pool: string;
                        /** @description test: the version of a test run. */
                        state: "published" | "archived" | "test";
                        version: number;
                    };
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description A 64-bit id, as text. */
                before?: string;
                max?: number;
                /** @description waiting: for another attempt. failed: for good. */
                status?: "waiting" | "delivered" | "failed";
                /** @description A 64-bit id, as text. */
                subscriptionId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: {
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            attemptedAt: string;
                            attempts: number;
                            durationMs: number | null;
                            failure: string | null;
                            /** @description A 64-bit id, as text. */
                            id: string;
                            nextAttemptAt: string | null;
                            pattern: string | null;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            publishedAt: string;
                            /** @description waiting: for another attempt. failed: for good. */
                            status: "waiting" | "delivered" | "failed";
                            statusCode: number | null;
                            /** @description A 64-bit id, as text. */
                            subscriptionId: string;
                            topic: string;
                            url: string | null;
                            /** @description The header by which receivers recognize a repeated delivery. */
                            webhookId: string;
                        }[];
                    };
                };
            };
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        attemptedAt: string;
                        attempts: number;
                        durationMs: number | null;
                        /** @description Before the last, oldest first; at most 20. */
                        earlierAttempts: {
                            attempt: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            attemptedAt: string;
                            durationMs: number | null;
                            failure: string | null;
                            response: string | null;
                            statusCode: number | null;
                        }[];
                        failure: string | null;
                        /** @description Any JSON. */
                        headers: unknown;
                        /** @description A 64-bit id, as text. */
                        id: string;
                        /** @description Any JSON value. Null also if it has more than 64 KiB and does not wait any more: the log keeps no larger ones. */
                        message: unknown;
                        nextAttemptAt: string | null;
                        pattern: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        publishedAt: string;
                        response: string | null;
                        /** @description waiting: for another attempt. failed: for good. */
                        status: "waiting" | "delivered" | "failed";
                        statusCode: number | null;
                        /** @description A 64-bit id, as text. */
                        subscriptionId: string;
                        topic: string;
                        url: string | null;
                        /** @description The header by which receivers recognize a repeated delivery. */
                        webhookId: string;
                    };
                };
            };
        };
    };
    resendDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    ids: string[];
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: {
                            /** @description A 64-bit id, as text. */
                            id: string;
                            problem: string | null;
                        }[];
                    };
                };
            };
        };
    };
    receiveHook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                hook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description With which explain answers what it came to. */
                        eventId: string;
                        /** @description False for a second delivery. */
                        isNew: boolean;
                    };
                };
            };
        };
    };
    getIncarnation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        incarnation: {
                            copiedAt: string | null;
                            /** @description Whether a promotion, or a recovery from an archive, holds it. */
                            guarded: boolean;
                            id: string;
                            origin: string | null;
                            parentId: string | null;
                            since: string | null;
                            state: "live" | "sandbox" | "held";
                        } | null;
                    };
                };
            };
        };
    };
    releaseIncarnation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    as: "sandbox" | "live";
                    /** @description Timers fire at their time (default), shift by the time since the copy, or are held: their runs and all schedules are paused. */
                    timers?: "fire" | "shift" | "hold";
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Deliveries that came with the copy. */
                        captured: number;
                        id: string | null;
                        /** @description Runs whose worker was in the source. */
                        leases: number;
                        /** @description False if the database was not held. */
                        released: boolean;
                        /** @description Timers that were shifted or paused. */
                        timers: number;
                    };
                };
            };
        };
    };
    listInvariants: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        violations: {
                            detail: string;
                            invariant: string;
                            subject: string;
                        }[];
                    };
                };
            };
        };
    };
    listQueues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        queues: {
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            createdAt: string;
                            deadLetterQueue: string | null;
                            fifo: boolean;
                            maxReceives: number | null;
                            name: string;
                            retentionSeconds: number | null;
                            /** @description Seconds. */
                            visibilityTimeout: number;
                        }[];
                    };
                };
            };
        };
    };
    createQueue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description 1 to 48 characters of a-z, 0-9, _ and -. */
                    deadLetterQueue?: string;
                    /**
                     * @description Whether messages of a group are delivered in order, one at a time.
                     * @default false
                     */
                    fifo: boolean;
                    /** @description Deliveries before a message moves to the dead letter queue. */
                    maxReceives?: number;
                    /** @description 1 to 48 characters of a-z, 0-9, _ and -. */
                    name: string;
                    /** @description Messages that are not received within this time are dropped. Default: never. */
                    retentionSeconds?: number;
                    /**
                     * @description Seconds for which a received message is in flight.
                     * @default 30
                     */
                    visibilityTimeout: number;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        createdAt: string;
                        deadLetterQueue: string | null;
                        fifo: boolean;
                        maxReceives: number | null;
                        name: string;
                        retentionSeconds: number | null;
                        /** @description Seconds. */
                        visibilityTimeout: number;
                    };
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        createdAt: string;
                        deadLetterQueue: string | null;
                        fifo: boolean;
                        maxReceives: number | null;
                        name: string;
                        retentionSeconds: number | null;
                        /** @description Seconds. */
                        visibilityTimeout: number;
                    };
                };
            };
        };
    };
    getQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 48 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        createdAt: string;
                        deadLetterQueue: string | null;
                        delayed: number;
                        fifo: boolean;
                        groups: number | null;
                        inFlight: number;
                        maxReceives: number | null;
                        name: string;
                        oldestMessageAge: number | null;
                        retentionSeconds: number | null;
                        totalSent: number;
                        /** @description Seconds. */
                        visibilityTimeout: number;
                        visible: number;
                    };
                };
            };
        };
    };
    dropQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 48 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deleteMessages: {
        parameters: {
            query?: {
                /** @description Whether the items come from independent callers. If another transaction has locked one of them for long, several items fail together instead of waiting, and can be sent again one by one. */
                independent?: boolean;
            };
            header?: never;
            path: {
                /** @description 1 to 48 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    receipts: string[];
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The receipts that were alive. */
                        deleted: string[];
                    };
                };
            };
        };
    };
    listQueueDepths: {
        parameters: {
            query?: {
                /** @description The first depth may be older: it is that of this instant. Default: 24 hours ago. */
                since?: string;
            };
            header?: never;
            path: {
                /** @description 1 to 48 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        depths: {
                            delayed: number | null;
                            inFlight: number | null;
                            /** @description The queue was too large to count. */
                            isEstimate: boolean;
                            oldestAt: string | null;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            sampledAt: string;
                            visible: number | null;
                        }[];
                    };
                };
            };
        };
    };
    giveBackMessages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 48 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Time until the messages are visible.
                     * @default 0
                     */
                    delaySeconds: number;
                    receipts: string[];
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The receipts that were alive. */
                        givenBack: string[];
                    };
                };
            };
        };
    };
    peekMessages: {
        parameters: {
            query: {
                /** @description A 64-bit id, as text. */
                after?: string;
                limit: number;
                /** @description JSON that the messages must contain. */
                matching?: string;
            };
            header?: never;
            path: {
                /** @description 1 to 48 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        after: string | null;
                        messages: {
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            enqueuedAt: string;
                            /** @description Any JSON. */
                            headers: unknown;
                            /** @description Any JSON. */
                            message: unknown;
                            messageGroupId: string | null;
                            /** @description A 64-bit id, as text. */
                            messageId: string;
                            receiveCount: number;
                            /** @description blocked: an earlier message of the same group must be deleted first. */
                            state: "ready" | "delayed" | "in-flight" | "blocked";
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            visibleAt: string;
                        }[];
                    };
                };
            };
        };
    };
    sendMessages: {
        parameters: {
            query?: never;
            header?: {
                /** @description Equivalent to the key in the request. Surrounding quotes are removed. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description 1 to 48 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A FIFO queue drops a later message with the same id. */
                    deduplicationId?: string;
                    /** @description Time until the message is visible. */
                    delaySeconds?: number;
                    /** @description Headers of the message. */
                    headers?: {
                        [key: string]: unknown;
                    };
                    /** @description Any JSON. */
                    message: unknown;
                    /** @description Messages of a group are delivered in order. Required in FIFO queues. */
                    messageGroupId?: string;
                } | {
                    messages: {
                        /** @description A FIFO queue drops a later message with the same id. */
                        deduplicationId?: string;
                        /** @description Time until the message is visible. */
                        delaySeconds?: number;
                        /** @description Headers of the message. */
                        headers?: {
                            [key: string]: unknown;
                        };
                        /** @description Any JSON. */
                        message: unknown;
                        /** @description Messages of a group are delivered in order. Required in FIFO queues. */
                        messageGroupId?: string;
                    }[];
                } | {
                    /** @description A FIFO queue drops a later message with the same id. */
                    deduplicationId?: string;
                    /** @description Time until the message is visible. */
                    delaySeconds?: number;
                    /** @description Headers of the message. */
                    headers?: {
                        [key: string]: unknown;
                    };
                    /** @description Any JSON. */
                    message: unknown;
                    /** @description Messages of a group are delivered in order. Required in FIFO queues. */
                    messageGroupId?: string;
                }[];
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A 64-bit id, as text. */
                        messageId: string;
                    } | {
                        messageIds: string[];
                    };
                };
            };
        };
    };
    purgeQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 48 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        purged: number;
                    };
                };
            };
        };
    };
    deleteMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 48 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                receipt: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if the receipt is dead. */
                        deleted: boolean;
                    };
                };
            };
        };
    };
    changeMessageVisibility: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 48 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                receipt: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description True if the consumer is still handling the message. Otherwise the delivery counts towards maxReceives.
                     * @default false
                     */
                    heartbeat: boolean;
                    /** @description Seconds. */
                    visibilityTimeout: number;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if the receipt is dead. */
                        changed: boolean;
                    };
                };
            };
        };
    };
    receiveMessages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 48 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description JSON that the messages must contain. */
                    matching?: unknown;
                    /** @default 1 */
                    maxMessages: number;
                    /** @description How many messages that may have ended their consumers to return. Absent: one, for consumers that don't keep track. */
                    suspects?: 0 | 1;
                    /** @description Seconds for which the messages are in flight. Default: that of the queue. */
                    visibilityTimeout?: number;
                    /**
                     * @description How long to wait if there is nothing to return.
                     * @default 0
                     */
                    waitSeconds: number;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        messages: {
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            enqueuedAt: string;
                            /** @description Any JSON. */
                            headers: unknown;
                            /** @description Any JSON. */
                            message: unknown;
                            messageGroupId: string | null;
                            /** @description A 64-bit id, as text. */
                            messageId: string;
                            /** @description A 64-bit id, as text. */
                            receipt: string;
                            receiveCount: number;
                            /** @description The message may have ended its last consumers. */
                            suspect: boolean;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            visibleAt: string;
                        }[];
                    };
                };
            };
        };
    };
    redriveQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 48 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default 1000 */
                    maxMessages: number;
                    /** @description Only these letters. In a FIFO queue, one that is not among them holds back those behind it in its group. */
                    messageIds?: string[];
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        redriven: number;
                    };
                };
            };
        };
    };
    setReferences: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 256 characters without control characters. */
                owner_id: string;
                /** @description 1 to 256 characters without control characters. */
                owner_type: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description An empty array removes all references. */
                    resources: {
                        /** @description 1 to 256 characters without control characters. */
                        id: string;
                        /** @description Where the object names it, as a JSON Pointer. */
                        pointer?: string;
                        /** @description 1 to 256 characters without control characters. */
                        type: string;
                    }[];
                    /** @description Title in lists. */
                    title?: string;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changed: boolean;
                    };
                };
            };
        };
    };
    listReferences: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 256 characters without control characters. */
                id: string;
                /** @description 1 to 256 characters without control characters. */
                type: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        owners: {
                            /** @description Name of the definition, or id of the object. */
                            ownerId: string;
                            /** @description definition, or a kind of object of the application. */
                            ownerType: string;
                            /** @description Where it is in the owner, as a JSON Pointer. */
                            pointer: string;
                            /** @description Whether the resource must not be deleted for its sake: false for drafts. */
                            protects: boolean;
                            /** @description archived: with runs in progress. current: of an owner without versions. */
                            state: "draft" | "published" | "archived" | "current";
                            title: string | null;
                            version: number | null;
                        }[];
                    };
                };
            };
        };
    };
    assertNoReferences: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 256 characters without control characters. */
                id: string;
                /** @description 1 to 256 characters without control characters. */
                type: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many drafts name it, which do not keep it. */
                        drafts: number;
                    };
                };
            };
        };
    };
    listResourceTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        types: {
                            idColumn: string | null;
                            /** @description Whether a worker that lists its resources has reported within 20 minutes. */
                            isListed: boolean;
                            name: string;
                            /** @description Pool of the workers that know it. */
                            pool: string;
                            protectedColumn: string | null;
                            protectedTable: string | null;
                            registeredAt: string | null;
                            /** @description JSON Schema of a resource; null: any value. */
                            schema: unknown;
                            tableName: string | null;
                            title: string | null;
                        }[];
                    };
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: {
                /** @description How long to wait for the end of the run: "30s", at most "60s". Default: no wait. */
                wait?: string;
            };
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        activity: string | null;
                        attempt: number | null;
                        completedAt: string | null;
                        deadline: string | null;
                        /** @description Any JSON. */
                        error: unknown;
                        failureOf: string | null;
                        /** @description Errors of earlier attempts, without the last one, which is the error; of a step, the first 10 and the last 90. */
                        failures: {
                            attempt: number;
                            /** @description Any JSON. */
                            error: unknown;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            failedAt: string;
                        }[];
                        /** @description The number of the current generation: 1 until the run continues as new by `ctx.continueAsNew`. */
                        generation: number;
                        /** @description False if the run was started without an input; null is an input. */
                        hasInput: boolean;
                        /** @description False if there is no output, or not yet; null is an output. */
                        hasOutput: boolean;
                        idempotencyKey: string | null;
                        /** @description Steps whose current call has taken longer than a second, as workers report them. */
                        inProgress: {
                            attempt: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            since: string;
                            step: string;
                            /** @description Host and process id of the worker. */
                            worker: string;
                        }[];
                        /** @description Any JSON. */
                        input: unknown;
                        /** @description Whether the run executes the body of a loop once, as an item of another run of its definition or as a rerun of one. */
                        isItem: boolean;
                        name: string;
                        /** @description Any JSON. */
                        output: unknown;
                        parent: string | null;
                        pausedAt: string | null;
                        pauseReason: string | null;
                        rerunOf: string | null;
                        resumesAt: string | null;
                        /** @description The number of retries by the `runRetry` policy of its workflow. */
                        retried: number;
                        /** @description Failed steps that will be retried: attempts so far, the time of the next one, the last error, and all errors (`failures`). */
                        retries: unknown;
                        /** @description A 64-bit id, as text. */
                        runId: string;
                        scheduledAt: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        startedAt: string;
                        status: "running" | "completed" | "failed" | "cancelled";
                        supersededBy: string | null;
                        /** @description Any JSON. */
                        tags: unknown;
                        version: number;
                        /** @description Sleeps and events that the run waits for, with their deadlines. */
                        waits: unknown;
                    };
                };
            };
        };
    };
    cancelRun: {
        parameters: {
            query: {
                /** @description Shown with the change. */
                reason?: string;
                /** @description Whether to execute the rollbacks of completed steps before the run ends. */
                rollback: boolean;
            };
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if the run had ended. */
                        cancelled: boolean;
                    };
                };
            };
        };
    };
    updateRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description How many days the run is kept after its end. */
                    retentionDays?: number;
                    /** @description Instead of all tags of the run. */
                    tags?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if there was nothing to change. */
                        changed: boolean;
                    };
                };
            };
        };
    };
    listRunChildren: {
        parameters: {
            query: {
                /** @description An opaque cursor from an earlier response. */
                after?: string;
                limit: number;
                /** @description Only the run that this step has started, such as pack.17 for an item of a loop. */
                step?: string;
            };
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        after: string | null;
                        children: {
                            completedAt: string | null;
                            /** @description An opaque cursor from an earlier response. */
                            cursor: string;
                            /** @description Whether the parent does not wait for the end of the run. */
                            isDetached: boolean;
                            name: string;
                            /** @description A 64-bit id, as text. */
                            runId: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            startedAt: string;
                            status: "running" | "completed" | "failed" | "cancelled";
                            /** @description The step of the parent that started the run. */
                            step: string;
                            version: number;
                        }[];
                    };
                };
            };
        };
    };
    deleteRun: {
        parameters: {
            query?: {
                /** @description Shown with the change. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if there was nothing to change. */
                        changed: boolean;
                    };
                };
            };
        };
    };
    explainRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        cause: "ended" | "held" | "paused" | "pausing" | "executing" | "suspect" | "no_worker" | "ready" | "delayed" | "key_limit" | "key_rate" | "concurrency_limit" | "rate_limit" | "step_retry" | "run_retry" | "approval" | "event" | "child" | "sleep";
                        /** @description Any JSON. */
                        details: unknown;
                        /** @description The action to take, for people. */
                        remedy: string;
                        /** @description A 64-bit id, as text. */
                        runId: string;
                        since: string | null;
                        /** @description A sentence for people. */
                        summary: string;
                        until: string | null;
                    };
                };
            };
        };
    };
    listRunGenerations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        generations: {
                            endedAt: string | null;
                            /** @description The number of the current generation: 1 until the run continues as new by `ctx.continueAsNew`. */
                            generation: number;
                            /** @description Only if the list was requested with values. */
                            input: unknown;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            startedAt: string;
                            /** @description The number of rows of its journal. Those of an ended generation are deleted, unless the run ended with it. */
                            steps: number;
                            version: number;
                        }[];
                    };
                };
            };
        };
    };
    pauseRun: {
        parameters: {
            query?: {
                /** @description Shown with the change. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if there was nothing to change. */
                        changed: boolean;
                    };
                };
            };
        };
    };
    getRunProgress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        activity: string | null;
                        edges: {
                            /** @description In the document. */
                            index: number;
                            /** @description Of the path in a loop, such as pack.17.; empty outside of loops. */
                            prefix: string;
                            /** @description open, taken, skipped or failed. */
                            status: string;
                        }[];
                        /** @description All of them, by path, such as tell or pack.17.reserve: idle, ready, running, executing, waiting, retrying, succeeded, failed, skipped or abandoned. Iterations that have not begun are absent. */
                        nodes: {
                            [key: string]: string;
                        };
                        /** @description Of the last row of the journal: events continue after it with Last-Event-ID. */
                        position: string;
                        status: "running" | "completed" | "failed" | "cancelled";
                        /** @description Of the definition. */
                        version: number;
                    };
                };
            };
        };
    };
    followRunProgress: {
        parameters: {
            query?: never;
            header?: {
                "last-event-id"?: string;
            };
            path: {
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A stream of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    rerunRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description First step to repeat. Default: the first step of the run. */
                    fromStep?: string;
                    /** @description Any JSON. */
                    input?: unknown;
                    /** @description Version of the workflow. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A 64-bit id, as text. */
                        runId: string;
                    };
                };
            };
        };
    };
    resumeRun: {
        parameters: {
            query?: {
                /** @description Shown with the change. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if there was nothing to change. */
                        changed: boolean;
                    };
                };
            };
        };
    };
    retryRun: {
        parameters: {
            query?: {
                /** @description Shown with the change. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if there was nothing to change. */
                        changed: boolean;
                    };
                };
            };
        };
    };
    signalRun: {
        parameters: {
            query?: {
                /** @description A later signal with the same id has no effect. */
                deduplicationId?: string;
            };
            header?: {
                /** @description Equivalent to the key in the request. Surrounding quotes are removed. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Name of the event. */
                event: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        /** @description Any JSON. */
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        outcome: "delivered" | "buffered" | "ignored" | "sent";
                    };
                };
            };
        };
    };
    getRunState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Any JSON. */
                        state: unknown;
                    };
                };
            };
        };
    };
    listRunSteps: {
        parameters: {
            query: {
                /** @description Position of the last step of the page before. */
                after: number;
                limit: number;
            };
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        after: number | null;
                        steps: {
                            attempts: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            completedAt: string;
                            /** @description Decisions of the body of a declared workflow around this row, in order. */
                            decisions?: {
                                /**
                                 * @description The body decided before it got the outcome of the journal row, rather than after.
                                 * @enum {boolean}
                                 */
                                before?: true;
                                name: string;
                                /** @description Any JSON. */
                                output?: unknown;
                            }[];
                            durationMs: number;
                            /** @description Any JSON. */
                            error?: unknown;
                            /** @description Errors of earlier attempts, without the last one, which is the error; of a step, the first 10 and the last 90. */
                            failures?: {
                                attempt: number;
                                /** @description Any JSON. */
                                error: unknown;
                                /**
                                 * Format: date-time
                                 * @description ISO 8601.
                                 */
                                failedAt: string;
                            }[];
                            kind: string;
                            name: string;
                            /** @description Any JSON. */
                            output?: unknown;
                            position: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            startedAt: string;
                        }[];
                    };
                };
            };
        };
    };
    streamRun: {
        parameters: {
            query?: {
                /** @description A 64-bit id, as text. */
                after?: string;
            };
            header?: {
                /** @description A 64-bit id, as text. */
                "last-event-id"?: string;
            };
            path: {
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A stream of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    changeRuns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description An opaque cursor from an earlier response. */
                    before?: string;
                    change: "cancel" | "pause" | "resume" | "retry" | "rerun" | "delete";
                    /** @description A run matches if it meets all conditions. */
                    conditions: {
                        /** @description The current activity of a running run; ended runs do not match. */
                        activity?: ("queued" | "ready" | "executing" | "sleeping" | "waiting" | "retrying" | "delayed" | "pausing" | "paused")[];
                        /** Format: date-time */
                        completedAfter?: string;
                        /** Format: date-time */
                        completedBefore?: string;
                        /** @description Code of the error that the run failed with. */
                        errorCode?: string;
                        /** @description A part of the name or message of the run's error, or of its cause, in upper or lower case. */
                        errorText?: string;
                        idempotencyKey?: string;
                        /** @description JSON that the input must contain. */
                        input?: unknown;
                        /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                        name?: string;
                        /** @description The run whose step started the run. */
                        parent?: string;
                        /** @description Whether the run is paused. */
                        paused?: boolean;
                        /** Format: date-time */
                        startedAfter?: string;
                        /** Format: date-time */
                        startedBefore?: string;
                        status?: ("running" | "completed" | "failed" | "cancelled")[];
                        /** @description JSON that the tags must contain. */
                        tags?: unknown;
                        /** @description Version of the workflow. */
                        version?: number;
                    };
                    /**
                     * @deprecated
                     * @description As reason, or as fromStep of a rerun.
                     */
                    detail?: string;
                    /** @description First step that a rerun repeats. */
                    fromStep?: string;
                    /**
                     * @description Most runs of a page.
                     * @default 100
                     */
                    maxRuns: number;
                    /** @description Reason of a cancellation or a pause. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        before: string | null;
                        changed: number;
                    };
                };
            };
        };
    };
    countRuns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Counting stops here.
                     * @default 10000
                     */
                    atMost: number;
                    /** @description A run matches if it meets all conditions. */
                    conditions: {
                        /** @description The current activity of a running run; ended runs do not match. */
                        activity?: ("queued" | "ready" | "executing" | "sleeping" | "waiting" | "retrying" | "delayed" | "pausing" | "paused")[];
                        /** Format: date-time */
                        completedAfter?: string;
                        /** Format: date-time */
                        completedBefore?: string;
                        /** @description Code of the error that the run failed with. */
                        errorCode?: string;
                        /** @description A part of the name or message of the run's error, or of its cause, in upper or lower case. */
                        errorText?: string;
                        idempotencyKey?: string;
                        /** @description JSON that the input must contain. */
                        input?: unknown;
                        /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                        name?: string;
                        /** @description The run whose step started the run. */
                        parent?: string;
                        /** @description Whether the run is paused. */
                        paused?: boolean;
                        /** Format: date-time */
                        startedAfter?: string;
                        /** Format: date-time */
                        startedBefore?: string;
                        status?: ("running" | "completed" | "failed" | "cancelled")[];
                        /** @description JSON that the tags must contain. */
                        tags?: unknown;
                        /** @description Version of the workflow. */
                        version?: number;
                    };
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                    };
                };
            };
        };
    };
    exportRuns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A run matches if it meets all conditions. */
                    conditions: {
                        /** @description The current activity of a running run; ended runs do not match. */
                        activity?: ("queued" | "ready" | "executing" | "sleeping" | "waiting" | "retrying" | "delayed" | "pausing" | "paused")[];
                        /** Format: date-time */
                        completedAfter?: string;
                        /** Format: date-time */
                        completedBefore?: string;
                        /** @description Code of the error that the run failed with. */
                        errorCode?: string;
                        /** @description A part of the name or message of the run's error, or of its cause, in upper or lower case. */
                        errorText?: string;
                        idempotencyKey?: string;
                        /** @description JSON that the input must contain. */
                        input?: unknown;
                        /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                        name?: string;
                        /** @description The run whose step started the run. */
                        parent?: string;
                        /** @description Whether the run is paused. */
                        paused?: boolean;
                        /** Format: date-time */
                        startedAfter?: string;
                        /** Format: date-time */
                        startedBefore?: string;
                        status?: ("running" | "completed" | "failed" | "cancelled")[];
                        /** @description JSON that the tags must contain. */
                        tags?: unknown;
                        /** @description Version of the workflow. */
                        version?: number;
                    };
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    searchRuns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description An opaque cursor from an earlier response. */
                    before?: string;
                    /** @description A run matches if it meets all conditions. */
                    conditions: {
                        /** @description The current activity of a running run; ended runs do not match. */
                        activity?: ("queued" | "ready" | "executing" | "sleeping" | "waiting" | "retrying" | "delayed" | "pausing" | "paused")[];
                        /** Format: date-time */
                        completedAfter?: string;
                        /** Format: date-time */
                        completedBefore?: string;
                        /** @description Code of the error that the run failed with. */
                        errorCode?: string;
                        /** @description A part of the name or message of the run's error, or of its cause, in upper or lower case. */
                        errorText?: string;
                        idempotencyKey?: string;
                        /** @description JSON that the input must contain. */
                        input?: unknown;
                        /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                        name?: string;
                        /** @description The run whose step started the run. */
                        parent?: string;
                        /** @description Whether the run is paused. */
                        paused?: boolean;
                        /** Format: date-time */
                        startedAfter?: string;
                        /** Format: date-time */
                        startedBefore?: string;
                        status?: ("running" | "completed" | "failed" | "cancelled")[];
                        /** @description JSON that the tags must contain. */
                        tags?: unknown;
                        /** @description Version of the workflow. */
                        version?: number;
                    };
                    /**
                     * @description Most runs of a page.
                     * @default 100
                     */
                    maxRuns: number;
                    /**
                     * @description Whether to return inputs and outputs.
                     * @default false
                     */
                    withValues: boolean;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        runs: {
                            activity: string | null;
                            completedAt: string | null;
                            /** @description An opaque cursor from an earlier response. */
                            cursor: string;
                            deadline: string | null;
                            /** @description Any JSON. */
                            error: unknown;
                            failureOf: string | null;
                            idempotencyKey: string | null;
                            /** @description Any JSON. */
                            input?: unknown;
                            name: string;
                            /** @description Any JSON. */
                            output?: unknown;
                            parent: string | null;
                            pausedAt: string | null;
                            rerunOf: string | null;
                            /** @description A 64-bit id, as text. */
                            runId: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            startedAt: string;
                            status: "running" | "completed" | "failed" | "cancelled";
                            supersededBy: string | null;
                            /** @description Any JSON. */
                            tags: unknown;
                            version: number;
                        }[];
                    };
                };
            };
        };
    };
    sweepRuns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    maxRetentionDays?: number;
                    /** @default 1000 */
                    maxRuns: number;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        swept: number;
                    };
                };
            };
        };
    };
    listSchedules: {
        parameters: {
            query?: {
                /** @description 1 to 256 characters, without control characters, and without spaces at either end. */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        schedules: {
                            catchUp: "skip" | "latest" | "backfill";
                            catchUpLimit: number | null;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            changedAt: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            createdAt: string;
                            cron: string | null;
                            everySeconds: number | null;
                            graceSeconds: number;
                            /** @description Any JSON. */
                            input: unknown;
                            jitterSeconds: number;
                            lastRunId: string | null;
                            lastTickAt: string | null;
                            name: string;
                            nextTickAt: string | null;
                            overlap: "allow" | "skip";
                            pausedAt: string | null;
                            pauseReason: string | null;
                            retentionDays: number | null;
                            /** @description Any JSON. */
                            tags: unknown;
                            timeZone: string;
                            version: number | null;
                            workflow: string;
                        }[];
                    };
                };
            };
        };
    };
    getSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 256 characters, without control characters, and without spaces at either end. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        catchUp: "skip" | "latest" | "backfill";
                        catchUpLimit: number | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        changedAt: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        createdAt: string;
                        cron: string | null;
                        everySeconds: number | null;
                        graceSeconds: number;
                        /** @description Any JSON. */
                        input: unknown;
                        jitterSeconds: number;
                        lastRunId: string | null;
                        lastTickAt: string | null;
                        name: string;
                        nextTickAt: string | null;
                        overlap: "allow" | "skip";
                        pausedAt: string | null;
                        pauseReason: string | null;
                        retentionDays: number | null;
                        /** @description Any JSON. */
                        tags: unknown;
                        timeZone: string;
                        version: number | null;
                        workflow: string;
                    };
                };
            };
        };
    };
    setSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 256 characters, without control characters, and without spaces at either end. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Ticks that were missed while no ticker ran: skip them, start a run for the latest, or for each. */
                    catchUp?: "skip" | "latest" | "backfill";
                    /** @description Most missed ticks to backfill. */
                    catchUpLimit?: number;
                    /** @description Five fields; six with seconds. */
                    cron?: string;
                    /** @description Alternative to cron. */
                    everySeconds?: number;
                    /** @description A tick that is later than this counts as missed. */
                    grace?: number | string;
                    /** @description Any JSON. */
                    input?: unknown;
                    /** @description Longest delay of the runs after their ticks; the name of the schedule decides the delay. */
                    jitter?: number | string;
                    /** @description Whether a tick starts a run while the run of an earlier tick is running. */
                    overlap?: "allow" | "skip";
                    /** @description Days until a run that has ended may be deleted. */
                    retentionDays?: number;
                    /** @description An object, by which runs can be found. */
                    tags?: {
                        [key: string]: unknown;
                    };
                    /** @description IANA name. */
                    timeZone?: string;
                    /** @description Default: at each tick, the latest registered version. */
                    version?: number;
                    /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                    workflow: string;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        outcome: "created" | "changed" | "unchanged";
                    };
                };
            };
        };
    };
    deleteSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 256 characters, without control characters, and without spaces at either end. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: boolean;
                    };
                };
            };
        };
    };
    pauseSchedule: {
        parameters: {
            query?: {
                /** @description Shown with the change. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description 1 to 256 characters, without control characters, and without spaces at either end. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changed: boolean;
                    };
                };
            };
        };
    };
    resumeSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 256 characters, without control characters, and without spaces at either end. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changed: boolean;
                    };
                };
            };
        };
    };
    triggerSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 256 characters, without control characters, and without spaces at either end. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        created: boolean;
                        /** @description A 64-bit id, as text. */
                        runId: string;
                        status: "running" | "completed" | "failed" | "cancelled";
                    };
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        actor: string | null;
                        csrfToken: string | null;
                        expiresAt: string | null;
                        /** @description anyone on a server without tokens; token; user, signed in by OpenID Connect; delegate for an actor that a token with the scope act names. */
                        kind: "anyone" | "token" | "user" | "delegate";
                        /** @description All that the caller may do: admin includes all but act. */
                        scopes: ("read" | "produce" | "work" | "define" | "publish" | "approve" | "admin" | "act")[];
                    };
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        signOutUrl: string | null;
                    };
                };
            };
        };
    };
    listSignInWays: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openIdConnect: {
                            /** @description Name of the provider. */
                            name: string;
                            /** @description Where a browser signs in. */
                            url: string;
                        } | null;
                        /** @description Whether the server has tokens. */
                        token: boolean;
                    };
                };
            };
        };
    };
    listSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        subscriptions: {
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            createdAt: string;
                            disabledAt: string | null;
                            disabledReason: string | null;
                            failingSince: string | null;
                            /** @description Any JSON. */
                            filter: unknown;
                            /** @description Any JSON. */
                            options: unknown;
                            pattern: string;
                            /** @description A 64-bit id, as text. */
                            subscriptionId: string;
                            target: string;
                            type: "queue" | "http" | "workflow";
                        }[];
                    };
                };
            };
        };
    };
    getSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        createdAt: string;
                        disabledAt: string | null;
                        disabledReason: string | null;
                        failingSince: string | null;
                        /** @description Any JSON. */
                        filter: unknown;
                        /** @description Any JSON. */
                        options: unknown;
                        pattern: string;
                        /** @description A 64-bit id, as text. */
                        subscriptionId: string;
                        target: string;
                        type: "queue" | "http" | "workflow";
                    };
                };
            };
        };
    };
    endSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if the subscription doesn't exist. */
                        ended: boolean;
                    };
                };
            };
        };
    };
    enableSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if the subscription doesn't exist. */
                        enabled: boolean;
                    };
                };
            };
        };
    };
    getSubscriptionSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A 64-bit id, as text. */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description As whsec_…; the current secret comes first. */
                        secrets: string[];
                    };
                };
            };
        };
    };
    listTicks: {
        parameters: {
            query: {
                count: number;
                /** @description Five fields; six with seconds. */
                cron?: string;
                /** @description Alternative to cron. */
                everySeconds?: number;
                /** @description IANA name. */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Fewer if there are no more. */
                        ticks: string[];
                    };
                };
            };
        };
    };
    listTopicDeadLetters: {
        parameters: {
            query?: {
                /** @description A 64-bit id, as text. */
                after?: string;
                max?: number;
                /** @description A 64-bit id, as text. */
                subscriptionId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        letters: {
                            attempts: number | null;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            deadLetteredAt: string;
                            /** @description Any JSON. */
                            headers: unknown;
                            /** @description A 64-bit id, as text. */
                            id: string;
                            /** @description Any JSON. */
                            message: unknown;
                            reason: string | null;
                            subscriptionId: string | null;
                            target: string | null;
                            targetType: ("queue" | "http" | "workflow") | null;
                            topic: string | null;
                        }[];
                    };
                };
            };
        };
    };
    deleteTopicDeadLetters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    ids: string[];
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deleted: string[];
                    };
                };
            };
        };
    };
    redriveTopicDeadLetters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Only these letters. */
                    ids?: string[];
                    /** @default 1000 */
                    maxMessages?: number;
                    /** @description A 64-bit id, as text. */
                    subscriptionId?: string;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        redriven: number;
                    };
                };
            };
        };
    };
    publish: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Words separated by dots. * matches one word; # (in a url %23) matches any number of words. */
                pattern: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    headers?: {
                        [key: string]: unknown;
                    };
                    /** @description Any JSON. */
                    message: unknown;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many subscriptions received the message. */
                        targets: number;
                    };
                };
            };
        };
    };
    listTopicSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Words separated by dots. * matches one word; # (in a url %23) matches any number of words. */
                pattern: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        subscriptions: {
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            createdAt: string;
                            disabledAt: string | null;
                            disabledReason: string | null;
                            failingSince: string | null;
                            /** @description Any JSON. */
                            filter: unknown;
                            /** @description Any JSON. */
                            options: unknown;
                            pattern: string;
                            /** @description A 64-bit id, as text. */
                            subscriptionId: string;
                            target: string;
                            type: "queue" | "http" | "workflow";
                        }[];
                    };
                };
            };
        };
    };
    subscribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Words separated by dots. * matches one word; # (in a url %23) matches any number of words. */
                pattern: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Any JSON. */
                    filter?: unknown;
                    /** @description Alias of target, for a queue or a workflow. */
                    name?: string;
                    /** @description Any JSON. */
                    options?: unknown;
                    target?: string;
                    type: "queue" | "http" | "workflow";
                    /** @description Alias of target, for http. */
                    url?: string;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A 64-bit id, as text. */
                        subscriptionId: string;
                    };
                };
            };
        };
    };
    endTopicSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Words separated by dots. * matches one word; # (in a url %23) matches any number of words. */
                pattern: string;
                /** @description A 64-bit id, as text. */
                subscription_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listTargets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Words separated by dots. * matches one word; # (in a url %23) matches any number of words. */
                pattern: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Any JSON. */
                    message: unknown;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        targets: {
                            /** @description The value for the target: the message, or the result of the options. */
                            input: unknown;
                            /** @description With a problem, publishing fails instead. */
                            isStrict: boolean;
                            key: string | null;
                            pattern: string;
                            problem: string | null;
                            /** @description A 64-bit id, as text. */
                            subscriptionId: string;
                            /** @description Name of the queue or workflow, the url, id of the run, or the pool. */
                            target: string;
                            /** @description run: a step of a run waits for the topic. definition: triggers of a pool of definitions want it. */
                            targetType: "queue" | "http" | "workflow" | "run" | "definition";
                        }[];
                    };
                };
            };
        };
    };
    listTriggerEvents: {
        parameters: {
            query?: {
                /** @description A 64-bit id, as text. */
                before?: string;
                /** @description Events that reach its triggers, whether they match or not. */
                definition?: string;
                limit?: number;
                /** @description `retrying` after a failed load, `failed` for the last time, `refused` because too many runs led to it. */
                state?: "evaluated" | "retrying" | "failed" | "refused";
                topic?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        events: {
                            attempts: number;
                            /** @description How many runs that triggers started led to it. */
                            depth: number;
                            error: string | null;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            evaluatedAt: string;
                            eventId: string;
                            /** @description Up to 100. */
                            matches: {
                                definition: string;
                                dueAt: string | null;
                                error: string | null;
                                onceKey: string | null;
                                outcome: "started" | "once" | "delayed" | "withdrawn" | "paused" | "failed";
                                runId: string | null;
                                /** @description Id of the trigger in the document. */
                                trigger: string;
                                version: number;
                            }[];
                            /** @description Any JSON. */
                            message: unknown;
                            pool: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            publishedAt: string;
                            /** @description `retrying` after a failed load, `failed` for the last time, `refused` because too many runs led to it. */
                            state: "evaluated" | "retrying" | "failed" | "refused";
                            topic: string;
                        }[];
                    };
                };
            };
        };
    };
    listTriggerTypes: {
        parameters: {
            query?: {
                /** @description Only those of the pool in which this definition is published. It counts more than pool if the definition was configured with one. */
                definition?: string;
                /** @description Default: all pools. */
                pool?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        types: {
                            /**
                             * Format: date-time
                             * @description When a worker declared it last with another content.
                             */
                            declaredAt: string;
                            /** @description JSON Schema of the event with what is loaded; null: any. */
                            eventSchema: unknown;
                            /** @description Members of the event that workers load: topics can't filter by them. */
                            loaded: string[];
                            /** @description By which triggers refer to it. */
                            name: string;
                            pool: string;
                            /** @description Pattern of the topics of its events. */
                            topic: string;
                        }[];
                    };
                };
            };
        };
    };
    captureRequest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Any JSON. */
                    body?: unknown;
                    headers: {
                        [key: string]: string;
                    };
                    /** @description Its idempotency key. */
                    key: string;
                    method: string;
                    /** @description A 64-bit id, as text. */
                    runId: string;
                    url: string;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        captured: boolean;
                    };
                };
            };
        };
    };
    commitSteps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    items: {
                        effects?: {
                            event?: string;
                            /** @description A JSON text. */
                            input?: string;
                            kind: "invoke" | "item" | "detach" | "cancel" | "signal" | "subscribe" | "publish" | "approval" | "withdraw";
                            /** @description A JSON text. */
                            match?: string;
                            /** @description A JSON text. */
                            message?: string;
                            /** @description A JSON text. */
                            payload?: string;
                            /** @description A JSON text. */
                            request?: string;
                            retentionDays?: number;
                            route?: string;
                            /** @description A 64-bit id, as text. */
                            runId?: string;
                            step: string;
                            topic?: string;
                            /** @description Trace context of the run, as headers: {"traceparent": …}. Default: the headers of the request. */
                            trace?: {
                                [key: string]: string;
                            };
                            version?: number;
                            /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                            workflow?: string;
                        }[];
                        journaled: number;
                        /** @description Something that the last commit of this delivery with the outcome ok has written; empty before the first. If the database doesn't have it, the outcome is lost, and the run is replayed from the journal. */
                        known?: {
                            chunk?: {
                                attempt: number;
                                number: number;
                                step: string;
                            };
                            revision?: number;
                            step?: string;
                        };
                        /** @description A 64-bit id, as text. */
                        receipt: string;
                        /** @default false */
                        restartsCount: boolean;
                        revision?: number;
                        /** @description A 64-bit id, as text. */
                        runId: string;
                        state?: {
                            key: string;
                            /** @description A JSON text. */
                            value?: string;
                        }[];
                        steps: {
                            attempts: number;
                            /** @description A JSON text. */
                            decisions?: string;
                            durationMs: number;
                            effect?: {
                                event?: string;
                                /** @description A JSON text. */
                                input?: string;
                                kind: "invoke" | "item" | "detach" | "cancel" | "signal" | "subscribe" | "publish" | "approval" | "withdraw";
                                /** @description A JSON text. */
                                match?: string;
                                /** @description A JSON text. */
                                message?: string;
                                /** @description A JSON text. */
                                payload?: string;
                                /** @description A JSON text. */
                                request?: string;
                                retentionDays?: number;
                                route?: string;
                                /** @description A 64-bit id, as text. */
                                runId?: string;
                                step: string;
                                topic?: string;
                                /** @description Trace context of the run, as headers: {"traceparent": …}. Default: the headers of the request. */
                                trace?: {
                                    [key: string]: string;
                                };
                                version?: number;
                                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                                workflow?: string;
                            };
                            error?: {
                                message: string;
                                name: string;
                            } & {
                                [key: string]: unknown;
                            };
                            kind: string;
                            name: string;
                            /** @description A JSON text. */
                            output?: string;
                        }[];
                        stream?: {
                            attempt: number;
                            number: number;
                            step: string;
                            /** @description A JSON text. */
                            value?: string;
                        }[];
                        transition: {
                            continuation?: {
                                retries: {
                                    [key: string]: unknown;
                                }[];
                                waits: {
                                    [key: string]: unknown;
                                }[];
                            } & {
                                [key: string]: unknown;
                            };
                            /** @enum {string} */
                            kind: "keep";
                        } | {
                            continuation: {
                                retries: {
                                    [key: string]: unknown;
                                }[];
                                waits: {
                                    [key: string]: unknown;
                                }[];
                            } & {
                                [key: string]: unknown;
                            };
                            /** @enum {string} */
                            kind: "suspend";
                            resumeAt?: number;
                        } | {
                            /** @enum {string} */
                            kind: "complete";
                            /** @description A JSON text. */
                            output?: string;
                        } | {
                            error: {
                                message: string;
                                name: string;
                            } & {
                                [key: string]: unknown;
                            };
                            /** @enum {string} */
                            kind: "fail";
                        } | {
                            error: {
                                message: string;
                                name: string;
                            } & {
                                [key: string]: unknown;
                            };
                            /** @enum {string} */
                            kind: "retry";
                            resumeAt: number;
                        } | {
                            error: {
                                message: string;
                                name: string;
                            } & {
                                [key: string]: unknown;
                            };
                            /** @enum {string} */
                            kind: "cancel";
                        } | {
                            /** @description A JSON text. */
                            input?: string;
                            /** @enum {string} */
                            kind: "continue";
                            version?: number;
                        } | {
                            /** @enum {string} */
                            kind: "release";
                            /** @description Why this worker can't execute the run. */
                            reason?: string;
                            resumeAt?: number;
                        };
                        /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                        workflow: string;
                    }[];
                    /**
                     * @description With several items, return the outcome busy for runs that another transaction has locked, instead of waiting.
                     * @default false
                     */
                    skipLocked: boolean;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: {
                            outcome: string;
                            /** @description A 64-bit id, as text. */
                            receipt: string;
                            resolved: {
                                [key: string]: unknown;
                            }[];
                            /** @description A 64-bit id, as text. */
                            runId: string;
                        }[];
                    };
                };
            };
        };
    };
    readConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Only these. Default: all. */
                    names?: string[];
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        values: {
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            changedAt: string;
                            /** @description Actor that set it. */
                            changedBy: string;
                            name: string;
                            /** @description Any JSON. */
                            value: unknown;
                        }[];
                    };
                };
            };
        };
    };
    readDefinitionEpoch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        epoch: string;
                        isSandbox: boolean;
                    };
                };
            };
        };
    };
    readServedDocuments: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    versions: {
                        /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                        name: string;
                        /** @description Version of the workflow. */
                        version: number;
                    }[];
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        documents: {
                            /** @description Any JSON. */
                            document: unknown;
                            name: string;
                            /** @description Any JSON. */
                            test?: unknown;
                            version: number;
                        }[];
                    };
                };
            };
        };
    };
    extendLeases: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description One element per receipt. */
                    known?: {
                        chunk?: {
                            attempt: number;
                            number: number;
                            step: string;
                        };
                        revision?: number;
                        step?: string;
                    }[];
                    leaseMs?: number | null;
                    receipts: string[];
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        notices: {
                            outcome: string;
                            /** @description A 64-bit id, as text. */
                            receipt: string;
                            /** @description A 64-bit id, as text. */
                            runId: string;
                        }[];
                    };
                };
            };
        };
    };
    readJournalPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    after: number;
                    /** @description A 64-bit id, as text. */
                    runId: string;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The rows after the first `after` rows, in order; empty at the end. */
                        journal: {
                            [key: string]: unknown;
                        }[];
                    };
                };
            };
        };
    };
    nextVisibleRun: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Workflows that the worker serves, with their versions. A name that begins with @ is a pool, whose version is 1; version 2 of a pool are the runs that a worker has given back because it can't execute them. */
                    versions: {
                        [key: string]: number[];
                    };
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        inMs: number | null;
                    };
                };
            };
        };
    };
    registerNodeTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Workers that serve the same definitions. */
                    pool: string;
                    /**
                     * @description Replaces stored descriptors.
                     * @default true
                     */
                    replace?: boolean;
                    types: ({
                        /** @description With its version: slack.post@2. */
                        type: string;
                    } & {
                        [key: string]: unknown;
                    })[];
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many types were written. */
                        written: number;
                    };
                };
            };
        };
    };
    reportWorker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID that the worker draws when it starts. */
                worker_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    busySlots: number;
                    host: string;
                    processId: number;
                    sdkVersion: string;
                    /** @description Workflows that the worker serves, with their versions. A name that begins with @ is a pool, whose version is 1; version 2 of a pool are the runs that a worker has given back because it can't execute them. */
                    serves: {
                        [key: string]: number[];
                    };
                    slots: number;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    removeWorker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID that the worker draws when it starts. */
                worker_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    reportProgress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reports: {
                        /** @description A 64-bit id, as text. */
                        receipt: string;
                        steps: {
                            attempt: number;
                            forMs: number;
                            step: string;
                        }[];
                    }[];
                    worker: string;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveRuns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default 30000 */
                    leaseMs: number;
                    /** @description Most bytes of inputs and journals together; one run is returned in any case. Absent: 64 MiB, and the worker doesn't read journals by pages. */
                    maxBytes?: number;
                    /** @default 1 */
                    maxRuns: number;
                    /** @description How many runs to return that may have crashed earlier workers. Absent: the worker doesn't distinguish them. */
                    suspects?: number;
                    /** @description Workflows that the worker serves, with their versions. A name that begins with @ is a pool, whose version is 1; version 2 of a pool are the runs that a worker has given back because it can't execute them. */
                    versions: {
                        [key: string]: number[];
                    };
                    /**
                     * @description How long to wait if there is nothing to return.
                     * @default 0
                     */
                    waitSeconds: number;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: {
                            attempt: number;
                            /** @description Approximate size of input and journal. */
                            bytes?: number;
                            continuation: {
                                [key: string]: unknown;
                            };
                            /** @description The run fails at this time: milliseconds since 1970, by the database's clock. */
                            deadline?: number;
                            /** @description A 64-bit id, as text. */
                            failureOf?: string;
                            /** @description Number of the generation of the run; absent in the first one. */
                            generation?: number;
                            /** @description Any JSON. */
                            input?: unknown;
                            journal: {
                                [key: string]: unknown;
                            }[];
                            /**
                             * @description The journal is omitted because it is too large: read it with /v1/worker/journal-page.
                             * @enum {boolean}
                             */
                            journalFollows?: true;
                            name: string;
                            /** @description A 64-bit id, as text. */
                            receipt: string;
                            /** @description Milliseconds since 1970, by the database's clock. */
                            receivedAt: number;
                            retried?: number;
                            /** @description A 64-bit id, as text. */
                            runId: string;
                            /** @description The tick that started the run. */
                            schedule?: {
                                name: string;
                                scheduledAt: number;
                            };
                            /** @description Milliseconds since 1970. */
                            startedAt: number;
                            /** @description Trace context of the run, as headers: {"traceparent": …}. Default: the headers of the request. */
                            trace?: {
                                [key: string]: string;
                            };
                            version: number;
                        }[];
                    };
                };
            };
        };
    };
    registerResourceTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description 1 to 256 characters without control characters. */
                    pool: string;
                    /** @description Whether to replace what is registered. False replaces it only if no worker has reported it for 20 minutes. Default: true. */
                    replace?: boolean;
                    types: {
                        /** @description Whether the worker lists its resources. */
                        isListed?: boolean;
                        /** @description 1 to 256 characters without control characters. */
                        name: string;
                        /** @description A JSON Schema. */
                        schema?: unknown;
                        /** @description Where the application stores them. */
                        table?: {
                            /** @description 1 to 256 characters without control characters. */
                            id: string;
                            /** @description 1 to 256 characters without control characters. */
                            name: string;
                        };
                        /** @description Title in editors. */
                        title?: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many types were written. */
                        changed: number;
                    };
                };
            };
        };
    };
    commitTriggerEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    events: {
                        delaySeconds?: number;
                        error?: string;
                        loaded?: {
                            [key: string]: unknown;
                        };
                        receipt: string;
                        state: "evaluated" | "failed" | "retry" | "release" | "more";
                    }[];
                    matches: {
                        /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                        definition: string;
                        delaySeconds?: number;
                        error?: string;
                        /** @description Any JSON. */
                        input?: unknown;
                        onceKey?: string;
                        outcome: "start" | "failed" | "withdrawn";
                        receipt: string;
                        recheck?: boolean;
                        trigger: string;
                        version: number;
                    }[];
                    /** @description As in the settings of documents. */
                    pool: string;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Receipts whose leases were alive. */
                        held: string[];
                    };
                };
            };
        };
    };
    receiveTriggerEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A 64-bit id, as text. */
                    knownEpoch?: string;
                    leaseMs: number;
                    /** @default 1 */
                    maxEvents: number;
                    /** @description As in the settings of documents. */
                    pool: string;
                    /**
                     * @description How long to wait if there is nothing to return.
                     * @default 0
                     */
                    waitSeconds: number;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        epoch: string;
                        events: {
                            attempts: number;
                            eventId: string;
                            /** @description Any JSON. */
                            message: unknown;
                            /** @description Any JSON. */
                            only: unknown;
                            /** @description Milliseconds since 1970. */
                            publishedAt: number;
                            receipt: string;
                            subscriptionIds: string[];
                            topic: string;
                        }[];
                        triggers: {
                            definition: string;
                            /** @description Its definition has moved to another pool. */
                            isGone?: boolean;
                            loads: string[];
                            name: string;
                            /** @description Any JSON. */
                            spec: unknown;
                            subscriptionId: string | null;
                            version: number;
                        }[];
                    };
                };
            };
        };
    };
    declareTriggerTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description As in the settings of documents. */
                    pool: string;
                    /** @description Whether to replace what is declared. False replaces it only if no worker has reported it for 20 minutes. Default: true. */
                    replace?: boolean;
                    types: {
                        loaded: string[];
                        name: string;
                        /** @description Any JSON. */
                        schema: unknown;
                        topic: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many types are new or have changed. */
                        changed: number;
                    };
                };
            };
        };
    };
    registerVersions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    versions: {
                        deadlineMs?: number;
                        /** @description JSON Schema of the input, at most 65,536 bytes, from which forms are made. Absent: the one that is registered stays. */
                        inputSchema?: {
                            [key: string]: unknown;
                        };
                        /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                        name: string;
                        /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                        onFailure?: string;
                        retentionDays?: number;
                        version: number;
                    }[];
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many versions are new or have changed. */
                        changed: number;
                    };
                };
            };
        };
    };
    followWorkerHints: {
        parameters: {
            query: {
                /** @description Names of workflows, and of pools after @, separated by commas. */
                workflows: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A stream of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    listWorkers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        workers: {
                            /** @description How many runs it executed at its last report. */
                            busySlots: number;
                            host: string;
                            /** @description Whether it has reported itself within the last minute. */
                            isLive: boolean;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            lastSeenAt: string;
                            processId: number;
                            sdkVersion: string;
                            /** @description The versions that it serves, by workflow. */
                            serves: {
                                [key: string]: number[];
                            };
                            /** @description How many runs it executes at once at most. */
                            slots: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            startedAt: string;
                            /** @description Drawn when the worker started. */
                            workerId: string;
                        }[];
                    };
                };
            };
        };
    };
    listWorkflows: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        workflows: {
                            cancelled: number;
                            completed: number;
                            failed: number;
                            name: string;
                            running: number;
                        }[];
                    };
                };
            };
        };
    };
    followWorkflow: {
        parameters: {
            query?: never;
            header?: {
                "last-event-id"?: string;
            };
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A stream of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    getFlowControl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        flowControl: {
                            admitted: number;
                            opensAt: string | null;
                            queued: number;
                            /** @description key, concurrency, concurrency_per_key, rate_limit, rate_limit_per_key, debounce and priority, as in queue.workflow_set_flow_control(). */
                            settings: {
                                [key: string]: unknown;
                            };
                            version: number;
                        } | null;
                    };
                };
            };
        };
    };
    setFlowControl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    settings: {
                        [key: string]: unknown;
                    } | null;
                    /** @default 1 */
                    version: number;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        outcome: "created" | "changed" | "unchanged" | "kept";
                    };
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query: {
                /** @description An opaque cursor from an earlier response. */
                cursor?: string;
                idempotencyKey?: string;
                limit: number;
                /** @description Started at or after this time. */
                since?: string;
                /** @description One or more statuses, separated by commas. */
                status?: string;
                /** @description Started before this time. */
                until?: string;
                /** @description Version of the workflow. */
                version?: number;
            };
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        cursor: string | null;
                        runs: {
                            activity: string | null;
                            completedAt: string | null;
                            /** @description An opaque cursor from an earlier response. */
                            cursor: string;
                            deadline: string | null;
                            /** @description Any JSON. */
                            error: unknown;
                            failureOf: string | null;
                            idempotencyKey: string | null;
                            name: string;
                            parent: string | null;
                            pausedAt: string | null;
                            rerunOf: string | null;
                            /** @description A 64-bit id, as text. */
                            runId: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            startedAt: string;
                            status: "running" | "completed" | "failed" | "cancelled";
                            supersededBy: string | null;
                            /** @description Any JSON. */
                            tags: unknown;
                            version: number;
                        }[];
                    };
                };
            };
        };
    };
    startRun: {
        parameters: {
            query?: {
                /** @description How long to wait for the end of the run: "30s", at most "60s". Default: no wait. */
                wait?: string;
            };
            header?: {
                /** @description Equivalent to the key in the request. Surrounding quotes are removed. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The run fails if it has not ended by then: an instant, or a duration from its earliest start ("1h", or seconds). */
                    deadline?: string | number;
                    /** @description Duration until the run may start: seconds, or "30s", "5m", "7d". */
                    delay?: number | string;
                    /** @description Key of flow control. Default: the value at the workflow's key path. */
                    flowKey?: string;
                    /** @description A later start with the same key returns the same run. */
                    idempotencyKey?: string;
                    /** @description Any JSON. */
                    input?: unknown;
                    /** @description Rule for an ended run with the same idempotency key. */
                    onEnded?: "use-existing" | "start-new" | "start-new-if-failed";
                    /** @description Rule for a running run with the same idempotency key. */
                    onRunning?: "use-existing" | "fail" | "cancel-existing";
                    /** @description Runs with a higher priority start first. */
                    priority?: number;
                    /** @description Days until a run that has ended may be deleted. */
                    retentionDays?: number;
                    /** @description What the run belongs with, such as a tenant, over several shards: all runs of a route are in one. The idempotency key begins with it and a slash. */
                    route?: string;
                    /** @description Earliest start of the run, as an alternative to delay. */
                    startAt?: string;
                    /** @description An object, by which runs can be found. */
                    tags?: {
                        [key: string]: unknown;
                    };
                    /** @description Trace context of the run, as headers: {"traceparent": …}. Default: the headers of the request. */
                    trace?: {
                        [key: string]: string;
                    };
                    /** @description Default: the latest version that a worker has registered. If none has, the first registration decides it. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if a run with this idempotency key existed. */
                        created: boolean;
                        /** @description Any JSON. */
                        error?: unknown;
                        /** @description Any JSON. */
                        output?: unknown;
                        /** @description A 64-bit id, as text. */
                        runId: string;
                        status: "running" | "completed" | "failed" | "cancelled";
                    };
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if a run with this idempotency key existed. */
                        created: boolean;
                        /** @description Any JSON. */
                        error?: unknown;
                        /** @description Any JSON. */
                        output?: unknown;
                        /** @description A 64-bit id, as text. */
                        runId: string;
                        status: "running" | "completed" | "failed" | "cancelled";
                    };
                };
            };
        };
    };
    getWorkflowRun: {
        parameters: {
            query?: {
                /** @description How long to wait for the end of the run: "30s", at most "60s". Default: no wait. */
                wait?: string;
            };
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        activity: string | null;
                        attempt: number | null;
                        completedAt: string | null;
                        deadline: string | null;
                        /** @description Any JSON. */
                        error: unknown;
                        failureOf: string | null;
                        /** @description Errors of earlier attempts, without the last one, which is the error; of a step, the first 10 and the last 90. */
                        failures: {
                            attempt: number;
                            /** @description Any JSON. */
                            error: unknown;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            failedAt: string;
                        }[];
                        /** @description The number of the current generation: 1 until the run continues as new by `ctx.continueAsNew`. */
                        generation: number;
                        /** @description False if the run was started without an input; null is an input. */
                        hasInput: boolean;
                        /** @description False if there is no output, or not yet; null is an output. */
                        hasOutput: boolean;
                        idempotencyKey: string | null;
                        /** @description Steps whose current call has taken longer than a second, as workers report them. */
                        inProgress: {
                            attempt: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            since: string;
                            step: string;
                            /** @description Host and process id of the worker. */
                            worker: string;
                        }[];
                        /** @description Any JSON. */
                        input: unknown;
                        /** @description Whether the run executes the body of a loop once, as an item of another run of its definition or as a rerun of one. */
                        isItem: boolean;
                        name: string;
                        /** @description Any JSON. */
                        output: unknown;
                        parent: string | null;
                        pausedAt: string | null;
                        pauseReason: string | null;
                        rerunOf: string | null;
                        resumesAt: string | null;
                        /** @description The number of retries by the `runRetry` policy of its workflow. */
                        retried: number;
                        /** @description Failed steps that will be retried: attempts so far, the time of the next one, the last error, and all errors (`failures`). */
                        retries: unknown;
                        /** @description A 64-bit id, as text. */
                        runId: string;
                        scheduledAt: string | null;
                        /**
                         * Format: date-time
                         * @description ISO 8601.
                         */
                        startedAt: string;
                        status: "running" | "completed" | "failed" | "cancelled";
                        supersededBy: string | null;
                        /** @description Any JSON. */
                        tags: unknown;
                        version: number;
                        /** @description Sleeps and events that the run waits for, with their deadlines. */
                        waits: unknown;
                    };
                };
            };
        };
    };
    cancelWorkflowRun: {
        parameters: {
            query: {
                /** @description Shown with the change. */
                reason?: string;
                /** @description Whether to execute the rollbacks of completed steps before the run ends. */
                rollback: boolean;
            };
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if the run had ended. */
                        cancelled: boolean;
                    };
                };
            };
        };
    };
    updateWorkflowRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description How many days the run is kept after its end. */
                    retentionDays?: number;
                    /** @description Instead of all tags of the run. */
                    tags?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if there was nothing to change. */
                        changed: boolean;
                    };
                };
            };
        };
    };
    listWorkflowRunChildren: {
        parameters: {
            query: {
                /** @description An opaque cursor from an earlier response. */
                after?: string;
                limit: number;
                /** @description Only the run that this step has started, such as pack.17 for an item of a loop. */
                step?: string;
            };
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        after: string | null;
                        children: {
                            completedAt: string | null;
                            /** @description An opaque cursor from an earlier response. */
                            cursor: string;
                            /** @description Whether the parent does not wait for the end of the run. */
                            isDetached: boolean;
                            name: string;
                            /** @description A 64-bit id, as text. */
                            runId: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            startedAt: string;
                            status: "running" | "completed" | "failed" | "cancelled";
                            /** @description The step of the parent that started the run. */
                            step: string;
                            version: number;
                        }[];
                    };
                };
            };
        };
    };
    deleteWorkflowRun: {
        parameters: {
            query?: {
                /** @description Shown with the change. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if there was nothing to change. */
                        changed: boolean;
                    };
                };
            };
        };
    };
    followRun: {
        parameters: {
            query?: never;
            header?: {
                "last-event-id"?: string;
            };
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A stream of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    explainWorkflowRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        cause: "ended" | "held" | "paused" | "pausing" | "executing" | "suspect" | "no_worker" | "ready" | "delayed" | "key_limit" | "key_rate" | "concurrency_limit" | "rate_limit" | "step_retry" | "run_retry" | "approval" | "event" | "child" | "sleep";
                        /** @description Any JSON. */
                        details: unknown;
                        /** @description The action to take, for people. */
                        remedy: string;
                        /** @description A 64-bit id, as text. */
                        runId: string;
                        since: string | null;
                        /** @description A sentence for people. */
                        summary: string;
                        until: string | null;
                    };
                };
            };
        };
    };
    listWorkflowRunGenerations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        generations: {
                            endedAt: string | null;
                            /** @description The number of the current generation: 1 until the run continues as new by `ctx.continueAsNew`. */
                            generation: number;
                            /** @description Only if the list was requested with values. */
                            input: unknown;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            startedAt: string;
                            /** @description The number of rows of its journal. Those of an ended generation are deleted, unless the run ended with it. */
                            steps: number;
                            version: number;
                        }[];
                    };
                };
            };
        };
    };
    pauseWorkflowRun: {
        parameters: {
            query?: {
                /** @description Shown with the change. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if there was nothing to change. */
                        changed: boolean;
                    };
                };
            };
        };
    };
    rerunWorkflowRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description First step to repeat. Default: the first step of the run. */
                    fromStep?: string;
                    /** @description Any JSON. */
                    input?: unknown;
                    /** @description Version of the workflow. */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A 64-bit id, as text. */
                        runId: string;
                    };
                };
            };
        };
    };
    resumeWorkflowRun: {
        parameters: {
            query?: {
                /** @description Shown with the change. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if there was nothing to change. */
                        changed: boolean;
                    };
                };
            };
        };
    };
    retryWorkflowRun: {
        parameters: {
            query?: {
                /** @description Shown with the change. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if there was nothing to change. */
                        changed: boolean;
                    };
                };
            };
        };
    };
    signalWorkflowRun: {
        parameters: {
            query?: {
                /** @description A later signal with the same id has no effect. */
                deduplicationId?: string;
            };
            header?: {
                /** @description Equivalent to the key in the request. Surrounding quotes are removed. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Name of the event. */
                event: string;
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        /** @description Any JSON. */
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        outcome: "delivered" | "buffered" | "ignored" | "sent";
                    };
                };
            };
        };
    };
    getWorkflowRunState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Any JSON. */
                        state: unknown;
                    };
                };
            };
        };
    };
    listWorkflowRunSteps: {
        parameters: {
            query: {
                /** @description Position of the last step of the page before. */
                after: number;
                limit: number;
            };
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                /** @description A 64-bit id, as text. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        after: number | null;
                        steps: {
                            attempts: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            completedAt: string;
                            /** @description Decisions of the body of a declared workflow around this row, in order. */
                            decisions?: {
                                /**
                                 * @description The body decided before it got the outcome of the journal row, rather than after.
                                 * @enum {boolean}
                                 */
                                before?: true;
                                name: string;
                                /** @description Any JSON. */
                                output?: unknown;
                            }[];
                            durationMs: number;
                            /** @description Any JSON. */
                            error?: unknown;
                            /** @description Errors of earlier attempts, without the last one, which is the error; of a step, the first 10 and the last 90. */
                            failures?: {
                                attempt: number;
                                /** @description Any JSON. */
                                error: unknown;
                                /**
                                 * Format: date-time
                                 * @description ISO 8601.
                                 */
                                failedAt: string;
                            }[];
                            kind: string;
                            name: string;
                            /** @description Any JSON. */
                            output?: unknown;
                            position: number;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            startedAt: string;
                        }[];
                    };
                };
            };
        };
    };
    startRuns: {
        parameters: {
            query?: {
                /** @description Whether the items come from independent callers. If another transaction has locked one of them for long, several items fail together instead of waiting, and can be sent again one by one. */
                independent?: boolean;
            };
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    runs: {
                        /** @description The run fails if it has not ended by then: an instant, or a duration from its earliest start ("1h", or seconds). */
                        deadline?: string | number;
                        /** @description Duration until the run may start: seconds, or "30s", "5m", "7d". */
                        delay?: number | string;
                        /** @description Key of flow control. Default: the value at the workflow's key path. */
                        flowKey?: string;
                        /** @description A later start with the same key returns the same run. */
                        idempotencyKey?: string;
                        /** @description Any JSON. */
                        input?: unknown;
                        /** @description Rule for an ended run with the same idempotency key. */
                        onEnded?: "use-existing" | "start-new" | "start-new-if-failed";
                        /** @description Rule for a running run with the same idempotency key. */
                        onRunning?: "use-existing" | "fail" | "cancel-existing";
                        /** @description Runs with a higher priority start first. */
                        priority?: number;
                        /** @description Days until a run that has ended may be deleted. */
                        retentionDays?: number;
                        /** @description What the run belongs with, such as a tenant, over several shards: all runs of a route are in one. The idempotency key begins with it and a slash. */
                        route?: string;
                        /** @description Earliest start of the run, as an alternative to delay. */
                        startAt?: string;
                        /** @description An object, by which runs can be found. */
                        tags?: {
                            [key: string]: unknown;
                        };
                        /** @description Trace context of the run, as headers: {"traceparent": …}. Default: the headers of the request. */
                        trace?: {
                            [key: string]: string;
                        };
                        /** @description Default: the latest version that a worker has registered. If none has, the first registration decides it. */
                        version?: number;
                    }[];
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        runs: {
                            /** @description False if a run with this idempotency key existed. */
                            created: boolean;
                            /** @description A 64-bit id, as text. */
                            runId: string;
                            status: "running" | "completed" | "failed" | "cancelled";
                        }[];
                    };
                };
            };
        };
    };
    signalWithStart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    deduplicationId?: string;
                    event: string;
                    /** @description Any JSON. */
                    payload?: unknown;
                    run: {
                        /** @description The run fails if it has not ended by then: an instant, or a duration from its earliest start ("1h", or seconds). */
                        deadline?: string | number;
                        /** @description Duration until the run may start: seconds, or "30s", "5m", "7d". */
                        delay?: number | string;
                        /** @description Key of flow control. Default: the value at the workflow's key path. */
                        flowKey?: string;
                        /** @description A later start with the same key returns the same run. */
                        idempotencyKey?: string;
                        /** @description Any JSON. */
                        input?: unknown;
                        /** @description Rule for an ended run with the same idempotency key. */
                        onEnded?: "use-existing" | "start-new" | "start-new-if-failed";
                        /** @description Rule for a running run with the same idempotency key. */
                        onRunning?: "use-existing" | "fail" | "cancel-existing";
                        /** @description Runs with a higher priority start first. */
                        priority?: number;
                        /** @description Days until a run that has ended may be deleted. */
                        retentionDays?: number;
                        /** @description What the run belongs with, such as a tenant, over several shards: all runs of a route are in one. The idempotency key begins with it and a slash. */
                        route?: string;
                        /** @description Earliest start of the run, as an alternative to delay. */
                        startAt?: string;
                        /** @description An object, by which runs can be found. */
                        tags?: {
                            [key: string]: unknown;
                        };
                        /** @description Trace context of the run, as headers: {"traceparent": …}. Default: the headers of the request. */
                        trace?: {
                            [key: string]: string;
                        };
                        /** @description Default: the latest version that a worker has registered. If none has, the first registration decides it. */
                        version?: number;
                    };
                };
            };
        };
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description False if a run with this idempotency key existed. */
                        created: boolean;
                        outcome: string;
                        /** @description A 64-bit id, as text. */
                        runId: string;
                        status: "running" | "completed" | "failed" | "cancelled";
                    };
                };
            };
        };
    };
    listWorkflowVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        versions: {
                            deadlineMs: number | null;
                            inputSchema: {
                                [key: string]: unknown;
                            } | null;
                            onFailure: string | null;
                            /**
                             * Format: date-time
                             * @description ISO 8601.
                             */
                            registeredAt: string;
                            retentionDays: number | null;
                            version: number;
                            workflow: string;
                        }[];
                    };
                };
            };
        };
    };
    unregisterWorkflowVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 43 characters of a-z, 0-9, _ and -. */
                name: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A problem, as in RFC 9457. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem, as in RFC 9457. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        unregistered: boolean;
                    };
                };
            };
        };
    };
}
