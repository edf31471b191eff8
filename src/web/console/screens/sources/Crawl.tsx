import { RotateCcw } from "lucide"
import { formatBytes, formatCount, formatMoment, plural } from "../../../shared/Format.ts"
import { Button } from "../../parts/Buttons.tsx"
import { ChoiceField } from "../../parts/Field.tsx"
import { Ago, FactList, Section, Tabs } from "../../parts/Layout.tsx"
import { durationOf, isGoingOn, RunProgress } from "../../parts/Runs.tsx"
import { queryText, setQuery } from "../../Router.ts"
import { keysOf } from "../../server/Unknown.ts"
import { branchesOf, foldersAt, PageList, useVersion } from "./Pages.tsx"
import {
  countsOf,
  countsText,
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
 * A source that is read by runs: how the last one went, and the pages that it met.
 */

interface CrawlProps {
  readonly source: Source
  readonly mayWrite: boolean
}

export const RunState = ({ run }: { readonly run: SourceRun }) => {
  const { waiting = 0, ...counts } = run.counts
  const known = countsOf(counts).reduce((sum, [, count]) => sum + count, waiting)
  const found = (run.status === "failed" && run.error?.message) || countsText(counts)
  const progress = { label: "Pages read", noun: "known page", done: known - waiting, total: known }
  return <RunProgress {...progress} {...{ found, run }} state={stateOf(run)} />
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
          Traffic: run !== null && `${plural(run.requests, "request")}, ${formatBytes(run.bytes)}`,
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
  const folder = queryText("folder")
  // The folders of the only host are there at once.
  const top = hosts.length === 1 ? (hosts[0]?.prefix ?? "") : ""
  const branches = useVersion(branchesOf(params.chatbotId, params.sourceId, folder || top), version).data.value ?? []
  const outcome = outcomes.find((name) => name === queryText("outcome"))
  const options: Partial<Record<PageOutcome | "", string>> = { "": "All" }
  for (const name of outcomes) {
    const count = branches.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0)
    if (count > 0) options[name] = `${outcomeWords[name].word} ${formatCount(count)}`
  }
  return (
    <Section title="Pages" about="Every page that was found, with the reason for what became of it.">
      <div class="toolbar row">
        <Tabs
          label="Show"
          value={outcome ?? ""}
          onValue={(name) => setQuery({ outcome: name || undefined })}
          options={options}
        />
        {branches.length > 1 && (
          <ChoiceField
            label="Folder"
            labelHidden
            value={folder}
            onValue={(next) => setQuery({ folder: next || undefined })}
            options={foldersAt(folder, branches)}
          />
        )}
        {mayWrite && outcome !== undefined && outcomeWords[outcome].kind !== "good" && (
          <Button small icon={RotateCcw} disabled={isGoingOn(run)} onClick={() => startRun(source, { only: outcome })}>
            Read these pages again
          </Button>
        )}
      </div>
      <PageList params={params} outcome={outcome ?? ""} under={folder} version={version} />
    </Section>
  )
}
