import { numberColumn, Table } from "../../parts/Table.tsx"
import { href } from "../../Router.ts"
import { RunState } from "./Crawl.tsx"
import { isCrawled, kindWords, paramsOf, scheduleWords, type Source } from "./SourceData.ts"

export const SourceTable = ({ sources }: { readonly sources: ReadonlyArray<Source> }) => (
  <Table
    label="Sources"
    rows={sources}
    columns={[
      {
        title: "Source",
        kind: "main",
        width: "40%",
        sort: ({ name }) => name,
        cell: (source) => (
          <span class="row">
            <a class="link" href={href("source", paramsOf(source))} dir="auto">
              {source.name}
            </a>
            <span class="soft small anywhere aside">{[kindWords[source.kind], ...source.urls].join(" · ")}</span>
          </span>
        ),
      },
      {
        title: "Last run",
        isExtra: true,
        cell: ({ last_run: run }) => (run === null ? "–" : <RunState run={run} />),
      },
      numberColumn("Documents", ({ document_count }: Source) => document_count),
      {
        title: "Schedule",
        isExtra: true,
        cell: (source) => (isCrawled(source) ? scheduleWords[source.schedule ?? ""] : "–"),
      },
    ]}
  />
)
