import { useSignal } from "@preact/signals"
import { Bot, CopyPlus, Plus } from "lucide"
import { formatCount, plural } from "../../../shared/Format.ts"
import { call } from "../../server/Api.ts"
import { allChatbots, chatbotTotals, type ChatbotSummary } from "../../data/Chatbots.ts"
import { Avatar } from "../../parts/Avatar.tsx"
import { Ago, Badge, Empty, Loaded, Page } from "../../parts/Layout.tsx"
import { Button, deleteItem, Menu } from "../../parts/Buttons.tsx"
import { confirmDeletion, FormDialog, openDialog } from "../../parts/Dialogs.tsx"
import { bind, SearchField, TextField } from "../../parts/Field.tsx"
import { Bulk, type Column, hiddenColumns, Table } from "../../parts/Table.tsx"
import { toast } from "../../parts/Toast.ts"
import { useResource } from "../../server/Resource.ts"
import { href, navigate, useAsked } from "../../Router.ts"
import { can, mayCreateChatbots } from "../../server/Session.ts"

const SEARCH_FROM = 7

/** The chatbots that hold a text in their name, description, slug or model. */
const matching = (chatbots: ReadonlyArray<ChatbotSummary>, search: string): ReadonlyArray<ChatbotSummary> =>
  chatbots.filter(({ description, name, settings, slug }) =>
    [name, description, slug, settings.model].join("\n").toLowerCase().includes(search.trim().toLowerCase()),
  )

const duplicate = async ({ id: chatbotId }: ChatbotSummary): Promise<void> => {
  const params = { chatbotId }
  const { chatbot } = await call("POST /api/external/chatbot/:chatbotId/duplicate", { params, body: {} })
  toast(`${chatbot.name} created, without documents and conversations.`)
  await allChatbots().reload()
}

const withEach = async (chatbots: ReadonlyArray<ChatbotSummary>, work: (chatbotId: string) => Promise<unknown>) => {
  for (const { id } of chatbots) await work(id)
  await allChatbots().reload()
}

const setActive = (chatbots: ReadonlyArray<ChatbotSummary>, active: boolean): Promise<void> =>
  withEach(chatbots, (id) => call("PATCH /api/external/chatbots", { query: { id }, body: { active } }))

const remove = (chatbots: ReadonlyArray<ChatbotSummary>): Promise<void> => {
  const [first] = chatbots
  const what = chatbots.length === 1 && first !== undefined ? first.name : plural(chatbots.length, "chatbot")
  return confirmDeletion(
    what,
    "Documents, conversations, avatars and keys are deleted as well. This cannot be undone.",
    () => withEach(chatbots, (chatbotId) => call("DELETE /api/external/chatbot/:chatbotId", { params: { chatbotId } })),
    { action: chatbots.length === 1 ? "Delete chatbot" : "Delete chatbots", typed: what },
  )
}

type Totals = ReturnType<typeof totalsOf>

const totalsOf = (id: string) => chatbotTotals().data.value?.get(id)

const Name = ({ chatbot: { active, description, id, is_public, name, settings, slug } }: ChatbotProps) => (
  <div class="chatbot row nowrap">
    <Avatar name={name} image={settings.avatar} />
    <div class="row">
      <a class="anywhere" href={href("settings", { chatbotId: id })} dir="auto">
        {name}
      </a>
      {!active && <Badge kind="warn">Paused</Badge>}
      {is_public && <Badge>Public</Badge>}
      <span class="soft small aside" dir="auto">
        {description === "" ? slug : description}
      </span>
    </div>
  </div>
)

interface ChatbotProps {
  readonly chatbot: ChatbotSummary
}

const Documents = ({ totals }: { readonly totals: NonNullable<Totals>["documents"] }) =>
  totals === undefined ? null : (
    <>
      {formatCount(totals.total)}
      {totals.failed > 0 && <Badge kind="bad">{totals.failed} failed</Badge>}
    </>
  )

const columns: ReadonlyArray<Column<ChatbotSummary>> = [
  { title: "Chatbot", kind: "main", sort: ({ name }) => name, cell: (chatbot) => <Name chatbot={chatbot} /> },
  {
    title: "Model",
    isExtra: true,
    sort: ({ settings }) => settings.model,
    cell: ({ settings }) => <span class="number">{settings.model}</span>,
  },
  {
    title: "Documents",
    kind: "number",
    isExtra: true,
    sort: ({ id }) => totalsOf(id)?.documents?.total ?? 0,
    cell: ({ id }) => <Documents totals={totalsOf(id)?.documents} />,
  },
  {
    title: "Conversations (7 days)",
    kind: "number",
    isExtra: true,
    sort: ({ id }) => totalsOf(id)?.conversations?.last_7_days ?? 0,
    cell: ({ id }) => {
      const { last_7_days: count = 0 } = totalsOf(id)?.conversations ?? {}
      return count === 0 ? (
        <span class="soft">–</span>
      ) : (
        <a href={href("conversations", {}, { chatbot: id })} title={plural(count, "conversation")}>
          {formatCount(count)}
        </a>
      )
    },
  },
  {
    title: "Updated",
    isExtra: true,
    sort: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => (
      <span class="number">
        <Ago at={updated_at} />
      </span>
    ),
  },
]

const actionsOf = (chatbot: ChatbotSummary) => (
  <Menu
    label={`Actions for ${chatbot.name}`}
    items={[
      mayCreateChatbots() && { label: "Duplicate", icon: CopyPlus, onChoose: () => duplicate(chatbot) },
      can("chatbots:write", chatbot.id) && deleteItem(() => remove([chatbot])),
    ]}
  />
)

const hidden = hiddenColumns("chatbots")

/** Makes a chatbot of nothing but a name, and goes on to its documents. */
const CreateChatbot = () => {
  const name = useSignal("")
  const create = async (): Promise<void> => {
    const { chatbot } = await call("POST /api/external/chatbots", { body: { name: name.value.trim() } })
    void allChatbots().reload()
    await navigate(href(can("knowledge:read") ? "knowledge" : "settings", { chatbotId: chatbot.id }))
  }
  return (
    <FormDialog title="New chatbot" action="Create chatbot" onSubmit={create}>
      <TextField
        label="Name"
        {...bind(name)}
        placeholder="Support"
        maxLength={200}
        autofocus
        required
        hint="You can change everything else later."
      />
    </FormDialog>
  )
}

const Chatbots = () => {
  const chatbots = useResource(allChatbots())
  useResource(chatbotTotals())
  const search = useSignal("")
  const chosenIds = useSignal<ReadonlyArray<string>>([])
  const showForm = () => openDialog(<CreateChatbot />)
  useAsked("new", () => mayCreateChatbots() && showForm())
  const create = mayCreateChatbots() && (
    <Button kind="primary" icon={Plus} onClick={showForm}>
      New chatbot
    </Button>
  )
  return (
    <Page title="Chatbots" actions={(chatbots.data.value?.length ?? 0) > 0 && create}>
      <Loaded
        of={chatbots}
        empty={
          <Empty icon={Bot} title="No chatbots yet" action={create}>
            Create a chatbot, then add the documents it answers from.
          </Empty>
        }
      >
        {(all) => {
          const found = matching(all, search.value)
          const chosen = found.filter(({ id }) => chosenIds.value.includes(id))
          const refused = chosen.filter(({ id }) => !can("chatbots:write", id))
          return (
            <>
              {all.length >= SEARCH_FROM && (
                <div class="toolbar row">
                  <SearchField label="Search chatbots" placeholder="Search by name or model" {...bind(search)} />
                  <output class="soft small">{plural(found.length, "chatbot")}</output>
                </div>
              )}
              <Bulk count={chosen.length} onClear={() => (chosenIds.value = [])}>
                <Button small disabled={refused.length > 0} onClick={() => setActive(chosen, false)}>
                  Pause
                </Button>
                <Button small disabled={refused.length > 0} onClick={() => setActive(chosen, true)}>
                  Resume
                </Button>
                <Button small disabled={refused.length > 0} onClick={() => remove(chosen)}>
                  Delete…
                </Button>
                {refused.length > 0 && (
                  <span class="small">You cannot change {refused.map(({ name }) => name).join(", ")}.</span>
                )}
              </Bulk>
              {found.length === 0 ? (
                <p class="soft">No matching chatbots.</p>
              ) : (
                <Table
                  label="Chatbots"
                  rows={found}
                  actions={actionsOf}
                  columns={columns}
                  hidden={hidden}
                  choice={can("chatbots:write") ? { chosen: chosenIds, nameOf: ({ name }) => name } : undefined}
                />
              )}
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

export default Chatbots
