#!/usr/bin/env bash
# promtool.sh DIR [--unpack]: what Prometheus itself says of the metrics of a running server, of the alert rules and their
# tests, and of the example of its configuration. Unpacks promtool of Debian into DIR, which also gets the data of the
# server; with --unpack that is all. Ends with "N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$1
mkdir -p "$dir"

# shellcheck source=debian.sh
source .ci/debian.sh
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
promtool=$dir/usr/bin/promtool
[[ -x $promtool ]] || unpack_debian "$dir" "$suite" prometheus '^(adduser|daemon|debconf|fonts-.*|init-system-helpers|libc6|libgcc.*|gcc-.*|libjs-.*|node-.*|prometheus-.*|systemd.*)$'

[[ ${2-} == --unpack ]] && exit

passed=0
failed=0
# check TITLE COMMAND…
check() {
  if "${@:2}"; then
    passed=$((passed + 1))
    printf '(pass) %s\n' "$1"
  else
    failed=$((failed + 1))
    printf '(fail) %s\n' "$1"
  fi
}

check "the alert rules are valid" "$promtool" check rules docs/operations/alerts.yml
check "the alerts fire for what they are about" "$promtool" test rules test/observability/promtool/alerts.test.yml
check "the configuration of Prometheus is valid" "$promtool" check config --syntax-only docs/operations/prometheus.yml

if command -v bun >/dev/null; then bun=(bun); else bun=(npx --yes bun@1.4.5); fi
port=$("${bun[@]}" -e 'const s = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } }); console.log(s.port); s.stop()')
key=the-operator-key-of-the-metrics-0001
env -u DATABASE_URL PORT="$port" DATA_DIR="$dir/data" BOOTSTRAP_API_KEY=$key DEFAULT_MODEL=local/extractive LOG_LEVEL=warn \
  "${bun[@]}" src/main.ts &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null || true' EXIT
url=http://127.0.0.1:$port
# As long as the server lives: beside everything else that CI runs, its start takes minutes.
for _ in $(seq 1200); do
  curl -sf "$url/readyz" >/dev/null || ! kill -0 "$server" && break
  sleep 0.5
done

# Each metric has to be there, so the server does a bit of everything first.
ask() { curl -sf -H "x-api-key: $key" -H "content-type: application/json" "$@" >/dev/null; }
bot=$(curl -sf -H "x-api-key: $key" -H "content-type: application/json" "$url/api/external/chatbots" -d '{"name":"Metrics"}' |
  grep -o '"id":"[0-9a-f-]*"' | head -n 1 | cut -d '"' -f 4)
curl -sf -H "x-api-key: $key" -F "chatbotId=$bot" -F "files=@README.md" "$url/api/embedfiles" >/dev/null
ask "$url/api/external/chatbot/$bot/query-knowledge" -d '{"query":"What is Parley?"}'
ask "$url/api/external/chatbot/$bot/chat?stream=true" -d '{"messages":[{"role":"user","content":"What is Parley?"}]}'
curl -s "$url/nowhere" >/dev/null
# The figures of queues are read from the database, and are not there while it is too busy to answer.
for _ in $(seq 1200); do
  curl -sf -H "authorization: Bearer $key" "$url/metrics" >"$dir/metrics.txt"
  grep -q "^# TYPE parley_queue_oldest_seconds " "$dir/metrics.txt" && break
  sleep 0.5
done

check "the metrics of a server are as Prometheus wants them" "$promtool" check metrics <"$dir/metrics.txt"
for name in parley_chat_first_word_seconds parley_model_tokens_total parley_search_stage_duration_seconds \
  parley_ingestion_stage_duration_seconds parley_jobs_total parley_queue_oldest_seconds parley_blob_operation_duration_seconds \
  parley_database_statement_duration_seconds parley_tool_call_duration_seconds parley_http_failures_total; do
  check "$name is there" grep -q "^# TYPE $name " "$dir/metrics.txt"
done

printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
