import { Play, Square } from "lucide"
import { PassageText } from "../../parts/Answer.tsx"
import { Button, changeItem, deleteItem, Menu } from "../../parts/Buttons.tsx"
import { confirmDeletion, openDialog } from "../../parts/Dialogs.tsx"
import { ExternalLink, LoadedPage, Page, Section } from "../../parts/Layout.tsx"
import { isGoingOn } from "../../parts/Runs.tsx"
import { href, navigate } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { TextDialog } from "../sources/AddKnowledge.tsx"
import { PagesSection, RunSection } from "../sources/Crawl.tsx"
import { QuestionsSection } from "../sources/Questions.tsx"
import {
  isCrawled,
  kindWords,
  paramsOf,
  type Source,
  sourceOf,
  type SourceParams,
  type SourceRun,
  startRun,
  useRuns,
} from "../sources/SourceData.ts"
import { WebsiteDialog } from "../sources/WebsiteDialog.tsx"
import { QueriedPassages } from "./PassagesDrawer.tsx"

const route = "/api/external/chatbot/:chatbotId/sources/:sourceId"

const stop = async (source: Source, { id: runId }: SourceRun): Promise<void> => {
  const params = paramsOf(source)
  await call(`POST ${route}/runs/:runId/stop`, { params: { ...params, runId } })
  await sourceOf(params.chatbotId, params.sourceId).reload()
}

const remove = (source: Source): Promise<void> =>
  confirmDeletion(
    source.name,
    `Its documents (${source.document_count}) are deleted as well. This cannot be undone.`,
    async () => {
      await call(`DELETE ${route}`, { params: paramsOf(source) })
      await navigate(href("knowledge", { chatbotId: source.chatbot_id }, { view: "sources" }))
    },
  )

const edit = (source: Source): void => {
  const of = { chatbotId: source.chatbot_id, source }
  openDialog(isCrawled(source) ? <WebsiteDialog {...of} /> : <TextDialog {...of} />)
}

const Actions = ({ source }: { readonly source: Source }) => {
  const run = source.last_run
  return (
    <>
      {run !== null && isGoingOn(run) ? (
        <Button icon={Square} disabled={run.stopping} onClick={() => stop(source, run)}>
          Stop
        </Button>
      ) : (
        isCrawled(source) && (
          <Button kind="primary" icon={Play} onClick={() => startRun(source)}>
            Run now
          </Button>
        )
      )}
      <Menu
        label="More actions"
        items={[source.kind !== "questions" && changeItem(() => edit(source)), deleteItem(() => remove(source))]}
      />
    </>
  )
}

/** A source with its pages and its last run, its text, or its questions. */
const SourceScreen = ({ chatbotId, sourceId }: SourceParams) => {
  const resource = useResource(sourceOf(chatbotId, sourceId))
  useRuns(chatbotId, resource.reload)
  const mayWrite = can("knowledge:write")
  return (
    <LoadedPage of={resource} title="Source">
      {(source) => (
        <Page
          title={source.name}
          docs="sources"
          about={
            <>
              <a class="inline" href={href("knowledge", { chatbotId }, { view: "sources" })}>
                Knowledge
              </a>
              {` · ${kindWords[source.kind]}`}
              {source.urls.map((url) => (
                <span key={url}>
                  {" "}
                  · <ExternalLink url={url} />
                </span>
              ))}
              {" ·"}
            </>
          }
          actions={mayWrite && <Actions source={source} />}
        >
          {source.kind === "text" && (
            <Section title="Text">
              <PassageText text={source.text ?? ""} />
            </Section>
          )}
          {source.kind === "questions" && <QuestionsSection source={source} mayWrite={mayWrite} />}
          {isCrawled(source) && (
            <>
              <RunSection source={source} mayWrite={mayWrite} />
              <PagesSection source={source} mayWrite={mayWrite} />
            </>
          )}
          <QueriedPassages chatbotId={chatbotId} />
        </Page>
      )}
    </LoadedPage>
  )
}

export default SourceScreen
