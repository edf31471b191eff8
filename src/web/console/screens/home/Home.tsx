import { formatCount } from "../../../shared/Format.ts"
import { addDays, dayAt } from "../../charts/Days.ts"
import { allChatbots, type ChatbotSummary, type ChatbotTotals, chatbotTotals } from "../../data/Chatbots.ts"
import { inboxCounts } from "../../data/Inbox.ts"
import { Avatar } from "../../parts/Avatar.tsx"
import { Finding, Loaded, Page, Section } from "../../parts/Layout.tsx"
import { href, place } from "../../Router.ts"
import { type Shown, together, useResource } from "../../server/Resource.ts"
import { can, mayCreateChatbots } from "../../server/Session.ts"
import { GettingStarted } from "../chatbots/GettingStarted.tsx"
import { FirstPerson } from "../people/FirstPerson.tsx"
import { chatbotReport } from "../usage/Report.ts"
import { QualityTiles } from "../usage/Tile.tsx"
import { Gaps } from "./Gaps.tsx"
import { tasksOf } from "./Tasks.ts"

const DAYS = 7
const SHORTCUTS_MAX = 6
/** The most chatbots whose gaps are listed: those with the most unanswered questions. */
const CHATBOTS_WITH_GAPS = 3

type Report = NonNullable<ReturnType<typeof chatbotReport>["data"]["value"]>

interface AttentionProps {
  readonly chatbotId: string | undefined
  readonly nameOf: (id: string) => string
  readonly from: string
  readonly to: string
}

/** How the week was, what is to be done, and which questions were asked in vain: of all chatbots, or of one. */
const Attention = ({ chatbotId, from, nameOf, to }: AttentionProps) => {
  const mayRead = can("conversations:read", chatbotId ?? null)
  const report = useResource(chatbotReport(from, to, chatbotId ?? ""), mayRead)
  const totals = useResource(chatbotTotals())
  const waiting = chatbotId === undefined ? (inboxCounts().data.value?.waiting ?? 0) : 0
  const known: Shown<readonly [ReadonlyMap<string, ChatbotTotals>, Report?]> = mayRead
    ? together(totals, report)
    : together(totals)
  return (
    <Loaded of={known}>
      {([all, week]) => {
        const rows = week?.rows ?? []
        const shown = Array.from(all.values()).filter((one) => [undefined, one.chatbot_id].includes(chatbotId))
        const tasks = tasksOf({ waiting, totals: shown, rows, from, to })
        const unanswered = rows.filter((row) => row.unanswered > 0).toSorted((a, b) => b.unanswered - a.unanswered)
        const asked = unanswered.slice(0, CHATBOTS_WITH_GAPS).flatMap(({ chatbot_id }) => chatbot_id ?? [])
        return (
          <>
            {week !== undefined && (
              <dl class="tiles" aria-label="This week">
                <QualityTiles now={week.total} before={week.previous ?? week.total} />
              </dl>
            )}
            <Section title="To do">
              <ul class="stack tight">
                {tasks.length === 0 && (
                  <Finding kind="good">No visitor, question, document or test needs your attention.</Finding>
                )}
                {tasks.map(({ action, address, chatbotId: of, kind, text }) => (
                  <Finding key={address} kind={kind}>
                    <div class="row spread">
                      <span>
                        {chatbotId === undefined && of !== undefined && <strong dir="auto">{nameOf(of)}: </strong>}
                        {text}
                      </span>
                      <a class="inline" href={address}>
                        {action}
                      </a>
                    </div>
                  </Finding>
                ))}
              </ul>
            </Section>
            {mayRead && chatbotId === undefined && <Gaps chatbots={asked} nameOf={nameOf} />}
            {mayRead && chatbotId !== undefined && <Gaps chatbots={[chatbotId]} />}
          </>
        )
      }}
    </Loaded>
  )
}

/** The newest chatbots, each with a link to its overview. */
const Shortcuts = ({ chatbots }: { readonly chatbots: ReadonlyArray<ChatbotSummary> }) => (
  <ul class="row" aria-label="Chatbots">
    {chatbots.slice(0, SHORTCUTS_MAX).map(({ id: chatbotId, name, settings }) => (
      <li key={chatbotId}>
        <a class="button secondary" href={href("overview", { chatbotId })}>
          <Avatar name={name} image={settings.avatar} />
          <span class="ellipsis" dir="auto">
            {name}
          </span>
        </a>
      </li>
    ))}
    {chatbots.length > SHORTCUTS_MAX && (
      <li>
        <a class="inline" href={href("chatbots", {})}>
          All {formatCount(chatbots.length)} chatbots
        </a>
      </li>
    )}
  </ul>
)

const namesOf = (chatbots: ReadonlyArray<ChatbotSummary>) => {
  const names = new Map(chatbots.map(({ id, name }) => [id, name]))
  return (id: string): string => names.get(id) ?? "A chatbot"
}

/** How the chatbots do, what is to be done, and what visitors asked in vain: of all chatbots, or of one. */
const Home = () => {
  const { chatbotId } = place.value.params
  const to = dayAt(Date.now())
  const chatbots = useResource(allChatbots())
  const isOfAll = chatbotId === undefined
  const create = mayCreateChatbots() && (
    <a class="button primary" href={href("chatbots", {}, { do: "new" })}>
      New chatbot
    </a>
  )
  return (
    <Page title={isOfAll ? "Home" : "Overview"} about="The last seven days, compared with the seven days before.">
      {isOfAll && <FirstPerson />}
      <Loaded of={chatbots}>
        {(all) => (
          <>
            {isOfAll && <GettingStarted chatbots={all} create={create} />}
            {isOfAll && all.length > 0 && <Shortcuts chatbots={all} />}
            {all.length > 0 && (
              <Attention chatbotId={chatbotId} nameOf={namesOf(all)} from={addDays(to, 1 - DAYS)} to={to} />
            )}
            {isOfAll && all.length === 0 && <p class="soft">There are no chatbots yet.</p>}
          </>
        )}
      </Loaded>
    </Page>
  )
}

export default Home
