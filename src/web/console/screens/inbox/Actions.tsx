import { useSignal } from "@preact/signals"
import { Bot, UserCheck } from "lucide"
import { myId } from "../../data/Inbox.ts"
import { textsIn } from "../../data/Texts.ts"
import { Button } from "../../parts/Buttons.tsx"
import { optionsOf, SelectField, TextField } from "../../parts/Field.tsx"
import { mailboxOf, place, setQuery } from "../../Router.ts"
import { useShortcuts } from "../../parts/Shortcuts.ts"
import { attempt } from "../../parts/Toast.ts"
import { call } from "../../server/Api.ts"
import { resources, useResource } from "../../server/Resource.ts"
import { change, type Conversation, eventsOf, mayWrite, showChanged } from "../conversations/ConversationData.ts"

/** The reason why nothing can be written, for who may only read. */
export const noRight =
  "You may read conversations, and not answer or change them. An administrator can give you the role Agent."

const route = "/api/external/chatbot/:chatbotId/conversations/:sessionId"

const colleaguesOf = resources(async (chatbotId: string) => {
  const { people } = await call("GET /api/external/people", { query: { chatbot_id: chatbotId } })
  return people.flatMap(({ id, name }) => (id === null ? [] : [{ id, name }]))
})

const paramsOf = ({ chatbot_id, id }: Conversation) => ({ chatbotId: chatbot_id, sessionId: id })

/** Gives a conversation to a person, or to people of whom nobody looks after it yet. */
const assign = async (of: Conversation, assignee: string | null): Promise<void> => {
  if (of.handover?.owner === "people") return change([of], { assignee })
  showChanged((await call(`POST ${route}/handover`, { params: paramsOf(of), body: { assignee } })).session)
}

const giveBack = async (of: Conversation): Promise<void> =>
  showChanged((await call(`POST ${route}/return`, { params: paramsOf(of) })).session)

/** The tags of a conversation in one field, which saves them when it is left. */
const Tags = ({ of }: { readonly of: Conversation }) => {
  const typed = useSignal<string | undefined>(undefined)
  const save = async (): Promise<void> => {
    const { value: text } = typed
    if (text !== undefined) await attempt(() => change([of], { tags: textsIn(text) }))
    typed.value = undefined
  }
  return (
    <TextField
      label="Tags"
      placeholder="Add tags, with commas between"
      dir="auto"
      disabled={!mayWrite()}
      value={typed.value ?? of.tags?.join(", ") ?? ""}
      onValue={(text) => (typed.value = text)}
      onBlur={() => void save()}
      onKeyDown={({ isComposing, key }) => key === "Enter" && !isComposing && void save()}
    />
  )
}

/** Who answers in a conversation, who looks after it, and its tags. */
export const Ownership = ({ of }: { readonly of: Conversation }) => {
  const colleagues = useResource(colleaguesOf(of.chatbot_id)).data.value ?? []
  const isPeoples = of.handover?.owner === "people"
  const assignee = of.handover?.assignee
  const me = myId()
  const isMine = isPeoples && me !== undefined && assignee?.id === me
  const mayTake = mayWrite() && !isMine && (!isPeoples || me !== undefined)
  // Who has not taken it over is offered that, and not to give away what nobody has.
  const offersBack = isPeoples && (isMine || me === undefined)
  const mayGiveBack = mayWrite() && offersBack
  const does = (work: Promise<void>): Promise<void> =>
    attempt(() => work.finally(() => void eventsOf(of.chatbot_id, of.id).reload()))
  const take = (): Promise<void> =>
    does(
      assign(of, me ?? null).then(() => {
        // The list goes on with what the person looks after now, and the conversation stays selected.
        if (me !== undefined && mailboxOf(place.peek().screen) === "inbox") setQuery({ show: "mine" })
      }),
    )
  const back = (): Promise<void> => does(giveBack(of))
  useShortcuts([
    { key: "t", label: "Take over", run: () => mayTake && void take() },
    { key: "g", label: "Give back to the chatbot", run: () => mayGiveBack && void back() },
  ])
  const title = mayWrite() ? undefined : noRight
  return (
    <div class="row ownership">
      {!isMine && (
        <Button
          kind="primary"
          small
          icon={UserCheck}
          disabled={!mayTake}
          title={title ?? (mayTake ? undefined : "Only people can be assigned, and you are signed in by an API key.")}
          onClick={take}
        >
          Take over
        </Button>
      )}
      {offersBack && (
        <Button small icon={Bot} disabled={!mayGiveBack} title={title} onClick={back}>
          Give back to the chatbot
        </Button>
      )}
      <SelectField
        label="Assigned to"
        value={assignee?.id ?? ""}
        onValue={(id) => void does(assign(of, id || null))}
        disabled={!mayWrite()}
        options={{
          ...optionsOf(colleagues, isPeoples ? "Nobody" : "The chatbot"),
          ...(assignee?.id != null && { [assignee.id]: assignee.name }),
        }}
      />
      <Tags of={of} />
    </div>
  )
}
