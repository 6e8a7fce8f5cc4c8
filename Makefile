# Needs Node 20 and make; everything else is fetched by the first target that needs it.
.DEFAULT_GOAL := help

NPM_RUN := npm run --silent

# npm writes this file at the end of an installation: older than the lockfile means out of date.
INSTALLED := node_modules/.package-lock.json

.PHONY: help
help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: $(INSTALLED) ## Show durable workflows that survive a killed worker
	@$(NPM_RUN) build:sql
	@$(NPM_RUN) demo

.PHONY: demo-agent
demo-agent: $(INSTALLED) ## Show an agent that survives a killed worker, and waits for approval
	@$(NPM_RUN) build:sql
	@$(NPM_RUN) demo:agent

.PHONY: demo-declared
demo-declared: $(INSTALLED) ## Show an automation that a customer builds by REST
	@$(NPM_RUN) build:sql
	@$(NPM_RUN) demo:declared

# What builds, installs or mounts what surrounds the code, does what the docs say, or is used as a program: the command, the
# tests themselves, and those of others, such as an SDK of AWS, Celery, a client of MCP, a pooler, a standby.
SYSTEM_TESTS := $(addprefix test/,$(addsuffix .test.ts,docs/demo docs/demo-agent docs/demo-declared docs/examples \
	docs/executed docs/testing-guide fork/another-postgres fork/configured-source fork/definitions fork/drivers \
	fork/promotion fork/thousand helpers/ci helpers/run-of-tests proxy/pgbouncer standby/reads)) \
	$(wildcard $(addprefix test/,cli/*.test.ts install/*.test.ts embedded/*.test.ts adapters/*/*.test.ts))

# What moves parts of a fleet between shards, and kills processes while it does.
FLEET_TESTS := $(addprefix test/shard/,$(addsuffix .test.ts,added-shards adding checkpoint draining drains move-routes \
	moves moving-schedules shard-down tenant-moves))

# What kills, stops and cuts off workers, servers and databases.
FAULT_TESTS := $(sort $(wildcard test/chaos/*.test.ts test/*/*killed.test.ts)) test/audit/short-form.test.ts \
	test/standby/failover.test.ts

# What drives Chromium, page by page.
BROWSER_TESTS := test/ai/example.test.ts test/dashboard/dashboard.test.ts test/dashboard/pages.test.ts test/editor/editor.test.ts \
	test/react/pages.test.ts

# What compares latencies, and so needs a machine without other work.
LOAD_TESTS := test/shard/dies-under-load.test.ts

# What builds an application with a framework of its own, and kills that.
FRAMEWORK_TESTS := test/push/nextjs.test.ts

# What installs the packed packages by npm, as the quickstart and the README say.
PACKAGE_TESTS := test/docs/follow.test.ts

# What needs Patroni, and kills the servers that it keeps.
HA_TESTS := test/standby/patroni.test.ts

.PHONY: test
test: $(INSTALLED) ## Run the tests of the code; the last line is "N passed, N failed"
	@OXBOW_TEST_EXCLUDE="$(SYSTEM_TESTS) $(FLEET_TESTS) $(FAULT_TESTS) $(BROWSER_TESTS) $(FRAMEWORK_TESTS) $(PACKAGE_TESTS) $(LOAD_TESTS) $(HA_TESTS)" $(NPM_RUN) test

.PHONY: test-load
test-load: $(INSTALLED) ## Compare the latencies of a shard with and without another one
	@$(NPM_RUN) test -- $(LOAD_TESTS)

HA_PROGRAMS := /usr/bin/patroni /usr/bin/etcd /usr/lib/postgresql/15/bin/postgres

.PHONY: test-ha
test-ha: $(INSTALLED) ## Kill the primaries of shards and of a single database that Patroni keeps, under load
	@for program in $(HA_PROGRAMS); do test -x $$program || { \
	  echo "$$program is missing: on Debian, run apt-get install patroni etcd-server postgresql-15"; exit 1; }; done
	@$(NPM_RUN) test -- $(HA_TESTS)

.PHONY: test-browser
test-browser: $(INSTALLED) ## Use the dashboard, the editor and pages with hooks in Chromium, if it is there
	@$(NPM_RUN) test -- $(BROWSER_TESTS)

.PHONY: test-system
test-system: $(INSTALLED) ## Install and migrate, build the images, follow the docs, fork volumes, use other clients, kill processes
	@$(NPM_RUN) test -- $(SYSTEM_TESTS) $(FAULT_TESTS)

.PHONY: test-rest
test-rest: $(INSTALLED) ## Run the tests of test-browser and test-system beside each other
	@$(NPM_RUN) test -- --maxWorkers 5 $(BROWSER_TESTS) $(SYSTEM_TESTS) $(FAULT_TESTS)

.PHONY: test-http
test-http: $(INSTALLED) ## Run the tests of workflows and queues through a server
	@OXBOW_TEST_TRANSPORT=http $(NPM_RUN) test -- test/workflow test/queue

.PHONY: test-shards
test-shards: $(INSTALLED) ## Run the tests of workflows and queues over two shards
	@OXBOW_TEST_TRANSPORT=shards $(NPM_RUN) test -- test/workflow test/queue

.PHONY: test-fleet
test-fleet: test-shards ## Run test-shards, then move parts of fleets under load, and kill processes meanwhile
	@$(NPM_RUN) test -- --maxWorkers 5 $(FLEET_TESTS)

.PHONY: test-nextjs
test-nextjs: $(INSTALLED) ## Build the example on Next.js, push runs to it, and kill it
	@$(NPM_RUN) test -- $(FRAMEWORK_TESTS)

.PHONY: test-tenant
test-tenant: $(INSTALLED) ## Move a tenant of 10,000 runs under load, and time the starts that are refused (TENANT_RUNS=10000)
	@TENANT_RUNS="$(or $(TENANT_RUNS),10000)" $(NPM_RUN) test -- test/shard/tenant-moves.test.ts -t "under load"

.PHONY: test-packages
test-packages: $(INSTALLED) ## Install the packed packages by npm and pnpm, on Node 20, 22 and 24, and follow the quickstart
	@$(NPM_RUN) build:sql
	@$(NPM_RUN) test:packages -- packages site
	@$(NPM_RUN) test -- $(PACKAGE_TESTS)

.PHONY: test-runtimes
test-runtimes: $(INSTALLED) ## Follow the quickstart on Bun and Deno
	@$(NPM_RUN) build:sql
	@$(NPM_RUN) test:packages -- runtimes

.PHONY: test-published
test-published: $(INSTALLED) ## Follow the quickstart with the packages of the registry (VERSION=1.2.3)
	@OXBOW_PUBLISHED_VERSION="$(or $(VERSION),latest)" $(NPM_RUN) test -- test/docs/follow.test.ts

.PHONY: test-graphs
test-graphs: $(INSTALLED) ## Compare random graphs with a naive interpreter (GRAPHS=2000 SEED=7)
	@GRAPHS="$(or $(GRAPHS),2000)" $(if $(SEED),SEED="$(SEED)") $(NPM_RUN) test -- test/declared/graph

.PHONY: test-soundness
test-soundness: $(INSTALLED) ## Compare what the checker calls present with random runs of the machine (RUNS=100000 SEED=7)
	@OXBOW_SOUNDNESS_RUNS="$(or $(RUNS),100000)" $(if $(SEED),SEED="$(SEED)") $(NPM_RUN) test -- declared/src/check/guarantees.test.ts

RANDOM_TESTS := sdk/src/replay/simulation/random.test.ts declared/src/expression/expression-fuzz.test.ts \
	declared/src/check/check-fuzz.test.ts

.PHONY: test-random
test-random: $(INSTALLED) ## Crash random bodies in simulated time, and check random expressions and documents (RUNS=20000 SEED=7)
	@OXBOW_RANDOM_RUNS="$(or $(RUNS),20000)" $(if $(SEED),SEED="$(SEED)") $(NPM_RUN) test -- $(RANDOM_TESTS)

.PHONY: test-turns
test-turns: $(INSTALLED) ## Take one run through 100,000 turns of 100 a generation (TURNS=100000)
	@TURNS="$(or $(TURNS),100000)" $(NPM_RUN) test -- test/workflow/continue-as-new.test.ts -t "takes an agent"

.PHONY: test-shard-seeds
test-shard-seeds: $(INSTALLED) ## Send and move between shards under faults, from many seeds (SHARD_SEEDS=1000 SEED=7)
	@SHARD_SEEDS="$(or $(SHARD_SEEDS),1000)" $(if $(SEED),SEED="$(SEED)") $(NPM_RUN) test -- $(addprefix test/shard/,$(addsuffix .test.ts,crossing crossing-runs moving-routes moving-groups moving-schedules))

.PHONY: lint
lint: $(INSTALLED) ## Check format, types, code, dead exports, the API report, the language and the spelling
	@$(NPM_RUN) lint:types
	@$(MAKE) --no-print-directory -j2 $(addprefix check-,code exports api language spelling format)

# The types come first: they take all processors, and the others read what is built with them.
check-%:
	@$(NPM_RUN) lint:$*

# The systems that Oxbow is compared with: a package apart, which nothing else needs.
PEERS_INSTALLED := bench/peers/node_modules/.package-lock.json

.PHONY: bench
bench: $(INSTALLED) $(if $(QUICK)$(filter none,$(PEERS)),,$(PEERS_INSTALLED)) ## Measure Oxbow beside its peers (QUICK=1: Oxbow alone, a minute)
	@$(NPM_RUN) build:sql
	@$(NPM_RUN) bench

.PHONY: bench-peers
bench-peers: $(INSTALLED) $(PEERS_INSTALLED) ## Measure the peers alone
	@$(NPM_RUN) build:sql
	@ONLY_PEERS=1 $(NPM_RUN) bench

.PHONY: lint-peers
lint-peers: $(INSTALLED) $(PEERS_INSTALLED) ## Check the adapters of the peers, which make lint leaves out
	@$(NPM_RUN) lint:types
	@$(NPM_RUN) lint:peers

.PHONY: bench-held
bench-held: $(INSTALLED) ## Measure queues while an old snapshot is held (MINUTES=10 for each)
	@$(NPM_RUN) build:sql
	@$(NPM_RUN) bench:held

.PHONY: bench-http
bench-http: $(INSTALLED) ## Measure what a server in between costs (ROUNDS=3)
	@$(NPM_RUN) build:sql
	@$(NPM_RUN) bench:http

.PHONY: bench-push
bench-push: $(INSTALLED) ## Measure functions that runs are pushed to, beside a worker (ROUNDS=3 RUNS=2000)
	@$(NPM_RUN) build:sql
	@$(NPM_RUN) bench:push

.PHONY: bench-sqs
bench-sqs: $(INSTALLED) ## Measure the AWS SDK as a client, beside another server of SQS if BESIDE is its url (ROUNDS=3)
	@$(NPM_RUN) build:sql
	@$(NPM_RUN) bench:sqs

.PHONY: bench-shards
bench-shards: $(INSTALLED) ## Measure 1, 2 and 4 shards, each with a share of a core (as root; ROUNDS=6 CORES=0.15 QUICK=1)
	@$(NPM_RUN) bench:shards

.PHONY: bench-soak
bench-soak: $(INSTALLED) ## Load Oxbow for an hour with a short retention: is it flat? (MINUTES=60 RETENTION=300)
	@$(NPM_RUN) build:sql
	@$(NPM_RUN) bench:soak

.PHONY: bench-agents
bench-agents: $(INSTALLED) ## Measure a worker whose agents stream tokens (STREAMS=200 SECONDS=20 ROUNDS=3)
	@$(NPM_RUN) bench:agents

.PHONY: bench-triggers
bench-triggers: $(INSTALLED) ## Measure triggers of many definitions on one topic (DEFINITIONS=10000 EVENTS=30)
	@$(NPM_RUN) bench:triggers

.PHONY: bench-declared
bench-declared: $(INSTALLED) ## Measure graphs beside code, and what their decisions cost (ROUNDS=20)
	@$(NPM_RUN) bench:declared

.PHONY: bench-plans
bench-plans: $(INSTALLED) ## Keep the plans of the hot path as they really run, with buffers and WAL
	@$(NPM_RUN) build:sql
	@$(NPM_RUN) bench:plans

.PHONY: bench-fork
bench-fork: $(INSTALLED) ## Measure what a fork costs by driver, file system and size (as root)
	@$(NPM_RUN) bench:fork

.PHONY: bench-dashboard
bench-dashboard: $(INSTALLED) ## Measure the dashboard with a million runs (RUNS=1000000)
	@$(NPM_RUN) bench:dashboard

.PHONY: bench-growth
bench-growth: $(INSTALLED) ## Measure how the figures grow with histories, runs, workers and distance
	@$(NPM_RUN) build:sql
	@$(NPM_RUN) bench:growth

.PHONY: chaos
chaos: $(INSTALLED) ## Audit Oxbow under every fault (SEED=7 FAULTS="postgres,network" ROUNDS=2)
	@SEED="$(SEED)" FAULTS="$(FAULTS)" ROUNDS="$(or $(ROUNDS),1)" TREE="$(TREE)" $(NPM_RUN) chaos

.PHONY: docs
docs: $(INSTALLED) ## Generate the references of SQL, errors and SDK, and the API report of the SDK
	@$(NPM_RUN) docs

# The generator of the site: a package apart, which nothing else needs.
SITE_INSTALLED := docs/site/node_modules/.package-lock.json

.PHONY: site
site: $(INSTALLED) $(SITE_INSTALLED) ## Build the documentation as a static site in .tmp/site/.vitepress/dist
	@$(NPM_RUN) site

$(SITE_INSTALLED): docs/site/package-lock.json
	@npm ci --prefix docs/site
	@touch $@

.PHONY: build
build: $(INSTALLED) ## Build the SDK, the server and the SQL of both installations
	@$(NPM_RUN) build

.PHONY: release
release: build ## Build the packages, the archive and the notes of a release; its tag publishes them
	@$(NPM_RUN) release

.PHONY: begin
begin: $(INSTALLED) ## Set the version of the next release everywhere (VERSION=1.2.3)
	@$(NPM_RUN) begin -- $(VERSION)

.PHONY: install
install: ## Install the extension into the Postgres of pg_config (PG_CONFIG=...)
	@$(MAKE) --no-print-directory -C extension-sql install

.PHONY: clean
clean: ## Remove what was built
	rm -rf .tmp sdk/dist sdk/sql fleet/dist declared/dist editor/dist react/dist ai/dist server/dist extension-sql/dist

$(PEERS_INSTALLED): bench/peers/package-lock.json
	@npm ci --prefix bench/peers
	@touch $@

$(INSTALLED): package-lock.json
	@npm ci
	@touch $@
