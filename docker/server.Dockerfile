# The server, and everything else that the command `oxbow` does but `oxbow dev`.
#
#   docker build -f docker/server.Dockerfile -t oxbow-server .
#   docker run -e DATABASE_URL=postgres://... -e OXBOW_TOKENS=... -p 8080:8080 oxbow-server
#   docker run -e DATABASE_URL=postgres://... oxbow-server migrate
#   docker run -e QUEUE_URL=postgres://... --no-healthcheck oxbow-server worker
ARG NODE_VERSION=22.23.3

FROM node:${NODE_VERSION}-bookworm-slim AS manifests
WORKDIR /app
COPY package.json package-lock.json ./
COPY sdk/package.json sdk/
COPY fleet/package.json fleet/
COPY declared/package.json declared/
COPY editor/package.json editor/
COPY react/package.json react/
COPY ai/package.json ai/
COPY server/package.json server/
COPY dashboard/package.json dashboard/
COPY bench/package.json bench/
COPY test/package.json test/
COPY examples/package.json examples/
COPY examples/agent/package.json examples/agent/
COPY examples/embedded-editor/package.json examples/embedded-editor/

FROM manifests AS build
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build:sql && npx tsc -b sdk fleet declared server && npm run build:dashboard
# What only builds and tests them stays here.
RUN find sdk/dist fleet/dist declared/dist server/dist \( -name '*.test.*' -o -name '*.tsbuildinfo' -o -name simulation \) -prune -exec rm -rf {} +

FROM manifests AS installed
RUN npm ci --omit=dev --omit=optional --workspace=@oxbow/server --no-audit --no-fund

FROM node:${NODE_VERSION}-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=installed /app ./
COPY --from=build /app/sdk/sql sdk/sql
COPY --from=build /app/sdk/dist sdk/dist
COPY --from=build /app/fleet/dist fleet/dist
COPY --from=build /app/declared/dist declared/dist
COPY --from=build /app/server/dist server/dist
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# As the first process it gets SIGTERM itself, and it starts no others, so no init is needed.
ENTRYPOINT ["node", "server/dist/cli/index.js"]
CMD ["server"]
