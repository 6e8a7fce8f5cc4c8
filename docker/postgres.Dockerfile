# Postgres with the extension, which a new database has from the beginning.
#
#   docker build -f docker/postgres.Dockerfile -t oxbow-postgres .
#   docker run -e POSTGRES_PASSWORD=... -e OXBOW_SERVER_PASSWORD=... -e OXBOW_APP_PASSWORD=... oxbow-postgres
ARG NODE_VERSION=22.23.3
ARG PG_MAJOR=18

FROM node:${NODE_VERSION}-bookworm-slim AS build
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
RUN npm ci --no-audit --no-fund
COPY migrations migrations
COPY extension-sql extension-sql
RUN npm run build:extension

FROM postgres:${PG_MAJOR}-bookworm
ARG PG_MAJOR
COPY --from=build /app/extension-sql/dist/extension/ /usr/share/postgresql/${PG_MAJOR}/extension/
# As images of 18 and later have it, where a volume at /var/lib/postgresql holds the data. Images of 15 to 17 keep
# their data in an anonymous volume of their own otherwise, beneath that path.
ENV PGDATA=/var/lib/postgresql/${PG_MAJOR}/docker
COPY docker/create-extension.sql /docker-entrypoint-initdb.d/10-create-extension.sql
COPY docker/create-logins.sql /docker-entrypoint-initdb.d/20-create-logins.sql
