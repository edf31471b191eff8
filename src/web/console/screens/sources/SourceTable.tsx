import { formatCount } from "../../../shared/Format.ts"
import { Table } from "../../parts/Table.tsx"
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
          <>
            <a class="link" href={href("source", paramsOf(source))} dir="auto">
              {source.name}
            </a>
            <p class="soft small anywhere">{[kindWords[source.kind], ...source.urls].join(" · ")}</p>
          </>
        ),
      },
      {
        title: "Last run",
        isExtra: true,
        cell: ({ last_run: run }) => (run === null ? "–" : <RunState run={run} />),
      },
      {
        title: "Documents",
        kind: "number",
        isExtra: true,
        cell: ({ document_count: count }) => formatCount(count),
      },
      {
        title: "Schedule",
        isExtra: true,
        cell: (source) => (isCrawled(source) ? scheduleWords[source.schedule ?? ""] : "–"),
      },
    ]}
  />
)
