import { useSignal } from "@preact/signals"
import { Bot, CopyPlus, Plus } from "lucide"
import { plural } from "../../../shared/Format.ts"
import { call } from "../../server/Api.ts"
import { allChatbots, type ChatbotSummary } from "../../data/Chatbots.ts"
import { Avatar } from "../../parts/Avatar.tsx"
import { Ago, Badge, Empty, Loaded, Page } from "../../parts/Layout.tsx"
import { Button, deleteItem, Menu } from "../../parts/Buttons.tsx"
import { confirmed, FormDialog } from "../../parts/Dialogs.tsx"
import { bind, TextField } from "../../parts/Field.tsx"
import { attempt, toast } from "../../parts/Toast.tsx"
import { resources, useResource } from "../../server/Resource.ts"
import { href, navigate } from "../../Router.ts"
import { can, session } from "../../server/Session.ts"

/** The numbers of documents and conversations of each chatbot, by its id. */
const totalsResource = resources(async () => {
  const { totals } = await call("GET /api/external/chatbots/totals")
  return new Map(totals.map((each) => [each.chatbot_id, each]))
})

/** Number of chatbots from which on a search field is shown. */
const SEARCH_FROM = 7

/** The chatbots that hold a text in their name, description, slug or model. */
const matching = (chatbots: ReadonlyArray<ChatbotSummary>, search: string): ReadonlyArray<ChatbotSummary> =>
  chatbots.filter(({ description, name, settings, slug }) =>
    [name, description, slug, settings.model].join("\n").toLowerCase().includes(search.trim().toLowerCase()),
  )

const remove = (chatbot: ChatbotSummary): Promise<void> =>
  confirmed(
    {
      title: `Delete ${chatbot.name}?`,
      text: "Its documents, its conversations, its avatar and the keys that are bound to it are deleted with it. This cannot be undone.",
      action: "Delete chatbot",
      typed: chatbot.name,
    },
    async () => {
      await call("DELETE /api/external/chatbot/:chatbotId", { params: { chatbotId: chatbot.id } })
      await allChatbots().reload()
    },
    `${chatbot.name} is deleted.`,
  )

/** Makes a chatbot with the configuration of another one. */
const duplicate = ({ id: chatbotId }: ChatbotSummary): Promise<void> =>
  attempt(async () => {
    const { chatbot } = await call("POST /api/external/chatbot/:chatbotId/duplicate", {
      params: { chatbotId },
      body: {},
    })
    toast(`${chatbot.name} is made, without documents and conversations.`)
    await allChatbots().reload()
  })

const Card = ({ chatbot }: { readonly chatbot: ChatbotSummary }) => {
  const totals = totalsResource().data.value?.get(chatbot.id)
  const chatbotId = chatbot.id
  return (
    <li class="chatbot row nowrap">
      <Avatar name={chatbot.name} image={chatbot.settings.avatar} size="large" />
      <div>
        <h2>
          <a href={href("settings", { chatbotId })}>{chatbot.name}</a>
        </h2>
        <p class="soft small ellipsis">{chatbot.description === "" ? chatbot.slug : chatbot.description}</p>
        <p class="row spread soft small">
          {!chatbot.active && <Badge kind="warn">Paused</Badge>}
          {chatbot.is_public && <Badge>Public</Badge>}
          <span>{chatbot.settings.model}</span>
          {totals?.documents !== undefined && (
            <span>
              {plural(totals.documents.total, "document")}
              {totals.documents.failed > 0 && `, ${totals.documents.failed} failed`}
            </span>
          )}
          {totals?.conversations !== undefined && (
            <span>
              {totals.conversations.latest_activity === null
                ? "no conversation yet"
                : `${plural(totals.conversations.last_7_days, "conversation")} this week`}
            </span>
          )}
          <span>
            changed <Ago at={chatbot.updated_at} />
          </span>
        </p>
      </div>
      <Menu
        label={`Actions for ${chatbot.name}`}
        items={[
          can("chatbots:write") &&
            session.value?.chatbot_id === null && {
              label: "Duplicate",
              icon: CopyPlus,
              onChoose: () => void duplicate(chatbot),
            },
          can("chatbots:write") && deleteItem(() => void remove(chatbot)),
        ]}
      />
    </li>
  )
}

/** Makes a chatbot of nothing but a name, and goes on to its documents. */
const CreateChatbot = ({ onClose }: { readonly onClose: () => void }) => {
  const name = useSignal("")
  const create = async (): Promise<void> => {
    const { chatbot } = await call("POST /api/external/chatbots", { body: { name: name.value.trim() } })
    void allChatbots().reload()
    onClose()
    await navigate(href(can("knowledge:read") ? "knowledge" : "settings", { chatbotId: chatbot.id }))
  }
  return (
    <FormDialog title="New chatbot" action="Create chatbot" onSubmit={create} onClose={onClose}>
      <TextField
        label="Name"
        {...bind(name)}
        placeholder="Support"
        maxLength={200}
        autofocus
        required
        hint="Everything else has a default, and can be changed afterwards."
      />
    </FormDialog>
  )
}

/** The chatbots of the organization. */
const Chatbots = () => {
  const chatbots = useResource(allChatbots())
  useResource(totalsResource())
  const isCreating = useSignal(false)
  const search = useSignal("")
  const mayCreate = can("chatbots:write") && session.value?.chatbot_id === null
  const create = mayCreate && (
    <Button kind="primary" icon={Plus} onClick={() => (isCreating.value = true)}>
      New chatbot
    </Button>
  )
  return (
    <Page title="Chatbots" actions={(chatbots.data.value?.length ?? 0) > 0 && create}>
      <Loaded
        of={chatbots}
        empty={
          <Empty icon={Bot} title="No chatbot yet" action={create}>
            A chatbot answers from the documents that you give it. It needs only a name to begin with.
          </Empty>
        }
      >
        {(all) => {
          const found = matching(all, search.value)
          return (
            <>
              {all.length >= SEARCH_FROM && (
                <div class="toolbar row">
                  <TextField
                    label="Search chatbots"
                    labelHidden
                    type="search"
                    placeholder="Search by name, description or model"
                    {...bind(search)}
                  />
                  <output class="soft small">{plural(found.length, "chatbot")}</output>
                </div>
              )}
              <ul class="box rows">
                {found.map((chatbot) => (
                  <Card key={chatbot.id} chatbot={chatbot} />
                ))}
              </ul>
            </>
          )
        }}
      </Loaded>
      {isCreating.value && <CreateChatbot onClose={() => (isCreating.value = false)} />}
    </Page>
  )
}

export default Chatbots
