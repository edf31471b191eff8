import { RotateCcw } from "lucide"
import { formatBytes, formatCount, formatMillis, formatMoment, plural } from "../../../shared/Format.ts"
import { Button } from "../../parts/Buttons.tsx"
import { Ago, Badge, FactList, Loaded, Section } from "../../parts/Layout.tsx"
import { Table } from "../../parts/Table.tsx"
import { queryText, setQuery } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { resources } from "../../server/Resource.ts"
import { keysOf } from "../../server/Unknown.ts"
import { branchesOf, PageList, PageTree, useVersion } from "./Pages.tsx"
import {
  countsOf,
  countsText,
  isRunning,
  outcomeWords,
  type PageOutcome,
  paramsOf,
  scheduleWords,
  type Source,
  type SourceRun,
  startRun,
  stateOf,
} from "./SourceData.ts"

/*
 * A source that is read by runs: how the last one went, the pages that it met, and the runs before.
 */

interface CrawlProps {
  readonly source: Source
  readonly mayWrite: boolean
}

const durationOf = ({ ended_at: end, started_at: start }: SourceRun): string =>
  start === null ? "–" : formatMillis((end === null ? Date.now() : Date.parse(end)) - Date.parse(start))

const trafficOf = ({ bytes, requests }: SourceRun): string => `${plural(requests, "request")}, ${formatBytes(bytes)}`

/** The state of a run, with its progress or what it has found. */
export const RunState = ({ run }: { readonly run: SourceRun }) => {
  const { waiting = 0, ...counts } = run.counts
  const known = countsOf(counts).reduce((sum, [, count]) => sum + count, waiting)
  return (
    <span class="row">
      <Badge kind={stateOf(run).kind}>{stateOf(run).word}</Badge>
      {isRunning(run) && (
        <>
          <progress
            max={Math.max(known, 1)}
            value={known === 0 ? undefined : known - waiting}
            aria-label="Pages read"
          />
          <span class="soft small number">{`${formatCount(known - waiting)} of ${plural(known, "known page")}`}</span>
        </>
      )}
      {!isRunning(run) && (
        <span class="small anywhere">{(run.status === "failed" && run.error?.message) || countsText(counts)}</span>
      )}
    </span>
  )
}

export const RunSection = ({ mayWrite, source }: CrawlProps) => {
  const run = source.last_run
  return (
    <Section title="Last run">
      <div aria-live="polite">{run === null ? "Not read yet." : <RunState run={run} />}</div>
      {run?.status === "held" && (
        <div class="notice warn row">
          <div>
            Less than half of the known pages were found, so nothing was deleted. If the site is only down or being
            moved, run the source again later.
          </div>
          {mayWrite && (
            <Button small onClick={() => startRun(source, { confirm: true })}>
              Delete the missing pages
            </Button>
          )}
        </div>
      )}
      <FactList
        facts={{
          Documents: formatCount(source.document_count),
          Started: run !== null && <Ago at={run.started_at ?? run.created_at} />,
          Duration: run !== null && durationOf(run),
          Traffic: run !== null && trafficOf(run),
          Schedule: scheduleWords[source.schedule ?? ""],
          "Next run": source.next_run_at !== null && formatMoment(source.next_run_at),
        }}
      />
    </Section>
  )
}

const outcomes = keysOf(outcomeWords).filter((name) => name !== "unread" && name !== "waiting" && name !== "deleted")

export const PagesSection = ({ mayWrite, source }: CrawlProps) => {
  const params = paramsOf(source)
  const run = source.last_run
  const version = JSON.stringify([run?.id, run?.status, run?.counts])
  const hosts = useVersion(branchesOf(params.chatbotId, params.sourceId, ""), version).data.value ?? []
  const outcome = outcomes.find((name) => name === queryText("outcome"))
  const countOf = (name: string): number => hosts.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0)
  const chip = (name: PageOutcome | undefined, word: string, count: number) => (
    <button
      key={word}
      type="button"
      class="button secondary small"
      aria-pressed={name === outcome}
      onClick={() => setQuery({ outcome: name })}
    >
      {word} <span class="soft number">{formatCount(count)}</span>
    </button>
  )
  return (
    <Section title="Pages" about="Every page that was found, with the reason for what became of it.">
      <fieldset class="row">
        <legend class="visually-hidden">Show</legend>
        {chip(
          undefined,
          "All",
          hosts.reduce((sum, { page_count: count }) => sum + count, 0),
        )}
        {outcomes.map(
          (name) => (name === outcome || countOf(name) > 0) && chip(name, outcomeWords[name].word, countOf(name)),
        )}
        {mayWrite && outcome !== undefined && outcomeWords[outcome].kind !== "good" && (
          <Button small icon={RotateCcw} disabled={isRunning(run)} onClick={() => startRun(source, { only: outcome })}>
            Read these pages again
          </Button>
        )}
      </fieldset>
      {outcome === undefined ? (
        <PageTree params={params} under="" version={version} />
      ) : (
        <PageList params={params} outcome={outcome} version={version} />
      )}
    </Section>
  )
}

const runsOf = resources(async (chatbotId: string, sourceId: string) => {
  const params = { chatbotId, sourceId }
  return (await call("GET /api/external/chatbot/:chatbotId/sources/:sourceId/runs", { params })).data
})

export const RunsSection = ({ source: { chatbot_id, id, last_run: run } }: { readonly source: Source }) => (
  <Section title="Runs">
    <Loaded of={useVersion(runsOf(chatbot_id, id), `${run?.id} ${run?.status}`)}>
      {(runs) => (
        <Table
          label="Latest runs"
          rows={runs}
          keyOf={(each) => each.id}
          columns={[
            { title: "Started", kind: "main", width: "11rem", cell: ({ created_at }) => formatMoment(created_at) },
            { title: "Result", cell: (each) => <RunState run={each} /> },
            {
              title: "Pages",
              isExtra: true,
              cell: ({ only }) => (only === null ? "All" : outcomeWords[only].word),
            },
            { title: "Duration", kind: "number", isExtra: true, cell: durationOf },
            { title: "Traffic", kind: "number", isExtra: true, cell: trafficOf },
          ]}
        />
      )}
    </Loaded>
  </Section>
)
