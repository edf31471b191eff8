import { useSignal } from "@preact/signals"
import bot from "icon:bot"
import copyPlus from "icon:copy-plus"
import ellipsis from "icon:ellipsis"
import files from "icon:files"
import plus from "icon:plus"
import settings from "icon:settings-2"
import trash from "icon:trash"
import { formatAgo, plural } from "../../../shared/Format.ts"
import { Icon } from "../../../shared/Icon.tsx"
import { call } from "../../Api.ts"
import { allChatbots, type ChatbotSummary } from "../../Chatbots.ts"
import { Avatar } from "../../parts/Avatar.tsx"
import { Badge } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { confirm } from "../../parts/Confirm.tsx"
import { TextField } from "../../parts/Field.tsx"
import { Menu } from "../../parts/Menu.tsx"
import { Page } from "../../parts/Page.tsx"
import { Empty, Loaded } from "../../parts/States.tsx"
import { toast, toastFailure } from "../../parts/Toast.tsx"
import { useResource } from "../../Resource.ts"
import { href, navigate } from "../../Router.ts"
import { can, session } from "../../Session.ts"
import { CreateChatbot } from "./CreateChatbot.tsx"
import { duplicate } from "./Duplicate.ts"
import { matching } from "./Search.ts"
import { totalsResource } from "./Totals.ts"

/** From how many chatbots on a search field is shown. */
const SEARCH_FROM = 7

const remove = async (chatbot: ChatbotSummary): Promise<void> => {
  const sure = await confirm({
    title: `Delete ${chatbot.name}?`,
    text: (
      <p>
        Its documents, its conversations, its avatar and the keys that are bound to it are deleted with it. This cannot
        be undone.
      </p>
    ),
    action: "Delete chatbot",
    typed: chatbot.name,
    isDangerous: true,
  })
  if (!sure) return
  try {
    await call("DELETE /api/external/chatbot/:chatbotId", { params: { chatbotId: chatbot.id } })
    toast(`${chatbot.name} is deleted.`)
  } catch (error) {
    toastFailure(error)
  }
  await allChatbots().reload()
}

const copy = async (chatbot: ChatbotSummary): Promise<void> => {
  try {
    const made = await duplicate(chatbot.id)
    toast(`${made.name} is made, without documents and conversations.`)
    await allChatbots().reload()
  } catch (error) {
    toastFailure(error)
  }
}

const Card = ({ chatbot }: { readonly chatbot: ChatbotSummary }) => {
  const totals = totalsResource().data.value?.get(chatbot.id)
  const chatbotId = chatbot.id
  return (
    <li class="chatbot-card">
      <Avatar name={chatbot.name} image={chatbot.settings.avatar} size="large" />
      <div class="chatbot-card-text">
        <h2>
          <a href={href("settings", { chatbotId })}>{chatbot.name}</a>
        </h2>
        <p class="soft small ellipsis">{chatbot.description === "" ? chatbot.slug : chatbot.description}</p>
        <p class="chatbot-card-facts soft small">
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
          <span title={chatbot.updated_at}>changed {formatAgo(chatbot.updated_at, Date.now())}</span>
        </p>
      </div>
      <Menu
        label={`Actions for ${chatbot.name}`}
        items={[
          { label: "Settings", icon: settings, onChoose: () => void navigate(href("settings", { chatbotId })) },
          can("knowledge:read") && {
            label: "Knowledge",
            icon: files,
            onChoose: () => void navigate(href("knowledge", { chatbotId })),
          },
          can("chatbots:write") &&
            session.value?.chatbot_id === null && {
              label: "Duplicate",
              icon: copyPlus,
              onChoose: () => void copy(chatbot),
            },
          can("chatbots:write") && {
            label: "Delete …",
            icon: trash,
            isDangerous: true,
            onChoose: () => void remove(chatbot),
          },
        ]}
      >
        <Icon nodes={ellipsis} size={18} />
      </Menu>
    </li>
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
    <Button kind="primary" icon={plus} onClick={() => (isCreating.value = true)}>
      New chatbot
    </Button>
  )
  return (
    <Page title="Chatbots" actions={(chatbots.data.value?.length ?? 0) > 0 && create}>
      <Loaded of={chatbots} lines={6}>
        {(all) => {
          if (all.length === 0)
            return (
              <Empty icon={bot} title="No chatbot yet" action={create}>
                A chatbot answers from the documents that you give it. It needs only a name to begin with.
              </Empty>
            )
          const found = matching(all, search.value)
          return (
            <>
              {all.length >= SEARCH_FROM && (
                <div class="toolbar">
                  <TextField
                    label="Search chatbots"
                    labelHidden
                    type="search"
                    placeholder="Search by name, description or model"
                    value={search.value}
                    onValue={(value) => (search.value = value)}
                  />
                  <output class="soft small">{plural(found.length, "chatbot")}</output>
                </div>
              )}
              <ul class="chatbot-cards">
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
