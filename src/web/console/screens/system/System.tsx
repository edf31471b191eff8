import { useEffect } from "preact/hooks"
import check from "icon:circle-check"
import info from "icon:info"
import refresh from "icon:refresh-cw"
import wrong from "icon:circle-x"
import { MeterBar } from "../../../shared/charts/MeterBar.tsx"
import { formatBytes, formatCount, formatMillis, formatMoment } from "../../../shared/Format.ts"
import { Icon } from "../../../shared/Icon.tsx"
import { Badge } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { Page, Section } from "../../parts/Page.tsx"
import { Loaded, Skeleton } from "../../parts/States.tsx"
import { Table } from "../../parts/Table.tsx"
import { useResource } from "../../Resource.ts"
import { AuditLog } from "./AuditLog.tsx"
import { type Finding, serverChecks, type ServerState, serverState } from "./SystemData.ts"

/** How often the state is asked for while somebody looks. */
const EVERY_MILLIS = 10_000

/** How the server is, for its operator. */
const System = () => {
  const state = useResource(serverState())
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void state.reload()
    }, EVERY_MILLIS)
    return () => clearInterval(timer)
  }, [state])
  return (
    <Page title="System" about="The server that answers, and the database that all servers share.">
      <div class="stack">
        <Loaded of={state} lines={4}>
          {(system) => <Shown system={system} />}
        </Loaded>
        <Checks />
        <AuditLog />
      </div>
    </Page>
  )
}

const Shown = ({ system }: { readonly system: ServerState }) => {
  const { database, memory_bytes, queues, readiness, search_indexes, started_at, uptime_seconds, version, warnings } =
    system
  const facts = [
    { name: "Version", value: version, more: `${system.runtime}, API ${system.api_version}` },
    { name: "Up for", value: formatMillis(uptime_seconds * 1_000), more: `since ${formatMoment(started_at)}` },
    {
      name: "Database",
      value: `${database.kind === "embedded" ? "Embedded" : "Postgres"} ${database.version}`,
      more: `pgvector ${database.pgvector}, ${database.migration}`,
    },
    { name: "Memory", value: formatBytes(memory_bytes), more: "of this process" },
  ]
  return (
    <>
      {warnings.map((warning) => (
        <div class="notice warn" key={warning}>
          <div>{warning}</div>
        </div>
      ))}
      <Section
        title="Server"
        actions={
          <span class="row">
            <Badge kind={readiness.status === "ready" ? "good" : "warn"}>
              {readiness.status === "ready" ? "Ready" : "Stopping"}
            </Badge>
            <Badge kind={readiness.vectors === "complete" ? "good" : "warn"}>
              {readiness.vectors === "complete" ? "All documents have vectors" : "Documents wait for vectors"}
            </Badge>
          </span>
        }
      >
        <dl class="system-facts">
          {facts.map(({ more, name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
              <dd class="soft small">{more}</dd>
            </div>
          ))}
        </dl>
        <div class="meters">
          <MeterBar
            label="Search indexes in memory"
            used={search_indexes.bytes}
            limit={search_indexes.limit_bytes}
            format={formatBytes}
            note={`${formatCount(search_indexes.count)} in memory`}
          />
        </div>
      </Section>
      <Table
        label="Queues"
        rows={queues}
        keyOf={({ kind }) => kind}
        columns={[
          {
            title: "Queue",
            kind: "main",
            cell: ({ kind }) => (kind === "ingestion" ? "Documents to read" : "Vectors to make again"),
          },
          { title: "Waiting", kind: "number", cell: ({ waiting }) => formatCount(waiting) },
          { title: "Under way", kind: "number", cell: ({ under_way }) => formatCount(under_way) },
          { title: "Tried again later", kind: "number", isExtra: true, cell: ({ delayed }) => formatCount(delayed) },
          {
            title: "Oldest waits for",
            kind: "number",
            cell: ({ oldest_seconds }) => (oldest_seconds === null ? "–" : formatMillis(oldest_seconds * 1_000)),
          },
        ]}
      />
    </>
  )
}

const marks = {
  ok: { icon: check, word: "Fine" },
  note: { icon: info, word: "Note" },
  wrong: { icon: wrong, word: "Wrong" },
}

/** What `doctor` finds. It asks every provider, so that it takes some seconds. */
const Checks = () => {
  const checks = useResource(serverChecks())
  const isLoading = checks.isLoading.value
  return (
    <Section
      title="Checks"
      about="Asks every configured provider, and compares the stored files with the database."
      actions={
        <Button small icon={refresh} busy={isLoading} onClick={() => void checks.reload()}>
          Check again
        </Button>
      }
    >
      {isLoading && checks.data.value === undefined ? (
        <Skeleton lines={4} />
      ) : (
        <Loaded of={checks} lines={4}>
          {(all) => (
            <ul class="checks">
              {all.map((finding) => (
                <Found key={`${finding.part} ${finding.text}`} finding={finding} />
              ))}
            </ul>
          )}
        </Loaded>
      )}
    </Section>
  )
}

const Found = ({ finding: { part, state, text } }: { readonly finding: Finding }) => (
  <li class={`check ${state}`}>
    <Icon nodes={marks[state].icon} size={16} />
    <span class="visually-hidden">{marks[state].word}: </span>
    <strong>{part}</strong>
    <span class="check-text">{text}</span>
  </li>
)

export default System
