import { useEffect } from "preact/hooks"
import { RefreshCw } from "lucide"
import { MeterBar } from "../../charts/MeterBar.tsx"
import { formatBytes, formatCount, formatMillis, formatMoment, plural } from "../../../shared/Format.ts"
import { Badge, FactList, Loaded, Page, Section, Finding } from "../../parts/Layout.tsx"
import { Table } from "../../parts/Table.tsx"
import { Button } from "../../parts/Buttons.tsx"
import { resources, useResource } from "../../server/Resource.ts"
import { type Answer, call } from "../../server/Api.ts"

/** The findings of the server's checks, which take seconds. */
const serverChecks = resources(async () => (await call("GET /api/admin/system/checks")).checks)

const kinds = { ok: "good", note: "warn", wrong: "bad" } as const

const CheckList = ({ checks }: { readonly checks: Answer<"GET /api/admin/system/checks">["checks"] }) => (
  <ul class="stack tight">
    {checks.map(({ part, state, text }) => (
      <Finding key={`${part} ${text}`} kind={kinds[state]}>
        <div>
          <strong>{part}</strong> {text}
        </div>
      </Finding>
    ))}
  </ul>
)

type ServerState = Answer<"GET /api/admin/system">["system"]
const serverState = resources(async () => (await call("GET /api/admin/system")).system)

const EVERY_MILLIS = 10_000
const queueWords = { ingestion: "Document processing", embedding: "Re-embedding", sources: "Sources" }

const System = () => {
  const state = useResource(serverState())
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void state.reload()
    }, EVERY_MILLIS)
    return () => clearInterval(timer)
  }, [state])
  return (
    <Page title="System" docs="operations" about="The status of this server and its database.">
      <div class="stack">
        <Loaded of={state}>{(system) => <Shown system={system} />}</Loaded>
        <Checks />
      </div>
    </Page>
  )
}

const Shown = ({ system }: { readonly system: ServerState }) => {
  const { database, memory_bytes, queues, readiness, search_indexes, started_at, uptime_seconds, version, warnings } =
    system
  const kind = database.kind === "embedded" ? "Embedded" : "Postgres"
  const facts = {
    Version: `${version} · ${system.runtime} · API ${system.api_version}`,
    Uptime: `${formatMillis(uptime_seconds * 1_000)}, since ${formatMoment(started_at)}`,
    Database: `${kind} ${database.version} · pgvector ${database.pgvector} · ${database.migration}`,
    Memory: formatBytes(memory_bytes),
  }
  return (
    <>
      {warnings.map((warning) => (
        <p class="notice warn" key={warning}>
          {warning}
        </p>
      ))}
      <Section
        title="Server"
        actions={
          <span class="row">
            <Badge kind={readiness.status === "ready" ? "good" : "warn"}>
              {readiness.status === "ready" ? "Ready" : "Stopping"}
            </Badge>
            <Badge kind={readiness.vectors === "complete" ? "good" : "warn"}>
              {readiness.vectors === "complete" ? "Vectors complete" : "Vectors pending"}
            </Badge>
          </span>
        }
      >
        <FactList facts={facts} />
        <div class="columns">
          <MeterBar
            label="Search indexes in memory"
            used={search_indexes.bytes}
            limit={search_indexes.limit_bytes}
            format={formatBytes}
            note={plural(search_indexes.count, "index", "indexes")}
          />
        </div>
      </Section>
      <Table
        label="Queues"
        rows={queues.map((queue) => ({ ...queue, id: queue.kind }))}
        columns={[
          { title: "Queue", kind: "main", cell: ({ kind }) => queueWords[kind] },
          { title: "Waiting", kind: "number", cell: ({ waiting }) => formatCount(waiting) },
          { title: "In progress", kind: "number", isExtra: true, cell: ({ under_way }) => formatCount(under_way) },
          { title: "Retrying later", kind: "number", isExtra: true, cell: ({ delayed }) => formatCount(delayed) },
          {
            title: "Longest wait",
            kind: "number",
            cell: ({ oldest_seconds }) => (oldest_seconds === null ? "–" : formatMillis(oldest_seconds * 1_000)),
          },
        ]}
      />
    </>
  )
}

/** The findings of `doctor`. It asks every provider and the models in use, so that it takes some seconds. */
const Checks = () => {
  const checks = useResource(serverChecks())
  const isLoading = checks.isLoading.value
  return (
    <Section
      title="Checks"
      about="Contacts every configured provider, asks the models in use one short question each, and compares stored files with the database."
      actions={
        <Button small icon={RefreshCw} busy={isLoading} onClick={() => void checks.reload()}>
          Run again
        </Button>
      }
    >
      <Loaded of={checks}>{(all) => <CheckList checks={all} />}</Loaded>
    </Section>
  )
}

export default System
