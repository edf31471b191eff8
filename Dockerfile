# Parley with everything it runs on, as one image: `docker build -t parley .`; docs/deployment.md tells how to run it.
#
# The base is a small Debian with Bun at the version of package.json. Any other such base does as well, for example one
# of your own registry: `--build-arg BASE=…`. Where packages come from another registry than npm's, pass an .npmrc:
# `--secret id=npmrc,src=.npmrc`.
ARG BASE=docker.io/oven/bun:1.4.5-slim

FROM ${BASE} AS build
WORKDIR /app
COPY package.json bun.lock ./
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
  bun install --production --frozen-lockfile --ignore-scripts --no-cache
# The widget, the console and the documentation, in the directory in which they will be served: a server takes what was
# built of the very files that it has, the Markdown too, and builds anew otherwise. Only the build needs the icons;
# the other files that go are for editors and debuggers, and builds of tesseract and larger data for it that nothing loads.
COPY README.md SECURITY.md CHANGELOG.md ./
COPY docs ./docs
COPY src ./src
RUN bun src/http/web/BuildMain.ts web \
  && rm -r node_modules/lucide node_modules/@tesseract.js-data/*/4.0.0 \
  && find node_modules/tesseract.js-core -name 'tesseract-core*' ! -name 'tesseract-core-simd.js' \
    ! -name 'tesseract-core-simd.wasm' -delete \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM ${BASE}
WORKDIR /app
# What changes least comes first. The user is `bun` in the default base; only /data is theirs.
RUN install -d -m 700 -o 1000 -g 1000 /data \
  && printf '#!/bin/sh\nexec bun --config=/dev/null /app/src/launch.ts /app/src/start.ts "$@"\n' >/usr/local/bin/parley \
  && chmod 755 /usr/local/bin/parley
COPY --from=build /app/node_modules ./node_modules
COPY package.json bun.lock LICENSE README.md SECURITY.md CHANGELOG.md ./
COPY docs ./docs
COPY sql ./sql
COPY src ./src
COPY --from=build /app/web ./web

ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
USER 1000:1000
VOLUME /data
EXPOSE 3000
# The server stops by itself after DRAIN_TIMEOUT, 30 seconds; give it longer than that: `--stop-timeout 45`.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s \
  CMD ["bun", "--config=/dev/null", "-e", "process.exit((await fetch(`http://127.0.0.1:${process.env.PORT}/readyz`)).ok ? 0 : 1)"]
# Each becomes the next one, so that the server is process 1 and gets the signals.
ENTRYPOINT ["parley"]
