import { Download } from "lucide"
import { formatCount, formatMillis, formatShare } from "../../../shared/Format.ts"
import { Button } from "../../parts/Buttons.tsx"
import { SelectField } from "../../parts/Field.tsx"
import { Loaded, Section } from "../../parts/Layout.tsx"
import { type Column, numberColumn, Table } from "../../parts/Table.tsx"
import { bindOption, href } from "../../Router.ts"
import { useResource } from "../../server/Resource.ts"
import { nameOfLanguage } from "../widget/Languages.ts"
import { qualityOf } from "./Quality.ts"
import { type ConversationRow, type Group, groupReport, groups, saveGroups } from "./Report.ts"

/** Such a column stays beside the name. */
const beside = { isExtra: false }

const numbers: ReadonlyArray<Column<ConversationRow>> = [
  numberColumn("Conversations", ({ conversations }) => conversations),
  numberColumn("Resolved", (row) => qualityOf([row]).resolvedShare, formatShare, beside),
  numberColumn("Questions", ({ questions }) => questions),
  numberColumn("Unanswered", (row) => qualityOf([row]).unansweredShare, formatShare, beside),
  numberColumn("Thumbs up", (row) => qualityOf([row]).upShare, formatShare),
  numberColumn("Time to first word", ({ first_word_ms: word }) => word?.median, formatMillis),
]

const NOT_KNOWN = "Not known"

const namesOf: Readonly<Record<Group, (row: ConversationRow) => string>> = {
  chatbot: ({ chatbot_name = "" }) => chatbot_name,
  topic: ({ topic_name }) => topic_name ?? "Not grouped yet",
  language: ({ language }) => (typeof language === "string" ? nameOfLanguage(language) : NOT_KNOWN),
  page: ({ page }) => page ?? NOT_KNOWN,
  platform: ({ platform = "" }) => platform,
  hour: ({ hour = 0 }) => `${String(hour).padStart(2, "0")}:00`,
}

const keyOf = (row: ConversationRow): string =>
  String(row.topic_id ?? row.chatbot_id ?? row.language ?? row.page ?? row.platform ?? row.hour)

const about: Readonly<Partial<Record<Group, string>>> = {
  topic: "A conversation counts for each topic that was asked about in it.",
  page: "The page on which the conversation began.",
  hour: "When the conversation began, in your time zone.",
}

const topicLink = (row: ConversationRow) => (
  <a class="inline" href={href("topics", { chatbotId: row.chatbot_id ?? "" })}>
    {namesOf.topic(row)}
  </a>
)

/** The conversations of a time by what they have in common, as a table and as a file. */
export const Groups = ({ from, to }: { readonly from: string; readonly to: string }) => {
  const division = bindOption("group", groups, "chatbot")
  const by = division.value
  const report = useResource(groupReport(from, to, by))
  const name = namesOf[by]
  return (
    <Section
      title="Conversations"
      about={about[by]}
      actions={
        <>
          <SelectField label="Group by" labelHidden {...division} options={groups} />
          <Button icon={Download} onClick={() => saveGroups(from, to, by)}>
            Download CSV
          </Button>
        </>
      }
    >
      <Loaded of={report}>
        {({ data, metadata }) =>
          data.length === 0 ? (
            <p class="soft">Nothing yet: questions are grouped in the background.</p>
          ) : (
            <>
              <Table
                label={`Conversations by ${by}`}
                rows={data.map((row) => ({ ...row, id: keyOf(row) }))}
                columns={[
                  { title: groups[by], kind: "main", sort: name, cell: by === "topic" ? topicLink : name },
                  // What is measured of whole conversations is not known by topic.
                  ...(by === "topic" ? numbers.slice(0, -1) : numbers),
                ]}
              />
              {metadata.totalCount > data.length && (
                <p class="soft small">
                  The first {data.length} of {formatCount(metadata.totalCount)}. The file has all.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  )
}
