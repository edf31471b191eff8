import { useSignal } from "@preact/signals"
import type { Scope } from "../../../../domain/ApiKey.ts"
import { addDays, dayAt } from "../../charts/Days.ts"
import type { ApiKey, Organization } from "../../data/Admin.ts"
import { call } from "../../server/Api.ts"
import { allChatbots } from "../../data/Chatbots.ts"
import { Button } from "../../parts/Buttons.tsx"
import { CopyButton } from "../../parts/Copy.tsx"
import { Dialog, FormDialog } from "../../parts/Dialogs.tsx"
import { Checkbox, DateField, SelectField, TextArea, TextField } from "../../parts/Field.tsx"
import { Tabs } from "../../parts/Layout.tsx"
import { useResource } from "../../server/Resource.ts"
import { can, session } from "../../server/Session.ts"
import { originsIn } from "../../data/Origins.ts"
import { expiryOf, grantable, type Lifetime, lifetimes, originsHint } from "./KeyForm.ts"

interface CreateKeyProps {
  readonly organization: Pick<Organization, "id" | "is_operator">
  /** The chatbot whose websites the key is for; undefined to choose. */
  readonly chatbotId?: string
  readonly onClose: () => void
  readonly onCreated: (key: ApiKey) => void
}

type Kind = "secret" | "publishable"

interface Draft {
  readonly kind: Kind
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly chatbot: string
  readonly origins: string
  readonly lifetime: Lifetime
  readonly day: string
}

const kinds = [
  { value: "secret", label: "Secret, for programs" },
  { value: "publishable", label: "Publishable, for a website" },
] as const

/** A request for what is still missing; undefined when the key can be made. */
const missing = ({ chatbot, day, kind, lifetime, name, origins, scopes }: Draft): string | undefined => {
  if (name.trim() === "") return "Give the key a name."
  if (kind === "secret" && scopes.length === 0) return "Choose what the key may do."
  if (kind === "publishable" && chatbot === "") return "Choose the chatbot that the website embeds."
  if (kind === "publishable" && originsIn(origins).length === 0) return "Say where the widget may be embedded."
  return lifetime === "day" && day === "" ? "Choose the day on which it expires." : undefined
}

const create = (draft: Draft, organization: { readonly id: string }) => {
  const expires_at = expiryOf(draft.lifetime, draft.day, Date.now())
  return call("POST /api/admin/api-keys", {
    body: {
      name: draft.name.trim(),
      kind: draft.kind,
      ...(draft.kind === "secret" ? { scopes: draft.scopes } : { allowed_origins: originsIn(draft.origins) }),
      ...(organization.id !== session.value?.organization.id && { organization_id: organization.id }),
      ...(draft.chatbot !== "" && { chatbot_id: draft.chatbot }),
      ...(expires_at !== undefined && { expires_at }),
    },
  })
}

/** A form that makes a key, and then shows it, a secret one this once. */
export const CreateKey = ({ chatbotId, onClose, onCreated, organization }: CreateKeyProps) => {
  const isOwn = organization.id === session.value?.organization.id
  const bound = chatbotId ?? session.value?.chatbot_id ?? ""
  const draft = useSignal<Draft>({
    kind: chatbotId === undefined ? "secret" : "publishable",
    name: chatbotId === undefined ? "" : "Website",
    scopes: ["chat"],
    chatbot: bound,
    origins: "",
    lifetime: "never",
    day: "",
  })
  const made = useSignal<string | undefined>(undefined)
  const hint = useSignal<string | undefined>(undefined)
  const chatbots = useResource(allChatbots(), isOwn && can("chatbots:read")).data.value ?? []
  const choices = grantable(session.value?.scopes ?? [], organization.is_operator)
  const { kind, lifetime, name, scopes } = draft.value
  const change = (changes: Partial<Draft>): void => {
    draft.value = { ...draft.value, ...changes }
    hint.value = undefined
  }
  /** The properties of the control for a field of the draft. */
  const of = <K extends keyof Draft>(field: K) => ({
    value: draft.value[field],
    onValue: (value: Draft[K]): void => change({ [field]: value }),
  })
  const submit = async (): Promise<void> => {
    hint.value = missing(draft.value)
    if (hint.value !== undefined) return
    const { api_key, key } = await create(draft.value, organization)
    onCreated(api_key)
    // The snippet of the website stands below, with the key.
    if (chatbotId === undefined) made.value = key
    else onClose()
  }
  if (made.value !== undefined) return <Made text={made.value} kind={kind} name={name} onClose={onClose} />
  return (
    <FormDialog
      title={chatbotId === undefined ? "New key" : "Add a website"}
      wide
      action="Create key"
      onSubmit={submit}
      onClose={onClose}
    >
      {isOwn && chatbotId === undefined && can("chat") && can("chatbots:read") && (
        <Tabs label="Kind of key" value={kind} onValue={(value: Kind) => change({ kind: value })} tabs={kinds} />
      )}
      <p class="soft">
        {kind === "secret"
          ? "Programs send it with every request. Whoever has it may do what you choose here."
          : "It stands in the pages of a website, where everybody can read it. It is good for the chat widget of one chatbot, on the pages that you name."}
      </p>
      <TextField
        label="Name"
        hint="Tells you later who uses it, such as Website or Back office."
        {...of("name")}
        maxLength={200}
      />
      {bound === "" && chatbots.length > 0 && (
        <SelectField
          label="Chatbot"
          {...of("chatbot")}
          options={[
            { value: "", label: kind === "secret" ? "All chatbots" : "Choose …" },
            ...chatbots.map((each) => ({ value: each.id, label: each.name })),
          ]}
        />
      )}
      {kind === "secret" ? (
        <fieldset class="columns">
          <legend>What it may do</legend>
          {choices.map((choice) => (
            <Checkbox
              key={choice.scope}
              label={choice.label}
              hint={choice.hint}
              value={scopes.includes(choice.scope)}
              onValue={(isOn) =>
                change({
                  scopes: isOn ? [...scopes, choice.scope] : scopes.filter((scope) => scope !== choice.scope),
                })
              }
            />
          ))}
        </fieldset>
      ) : (
        <TextArea
          label="Allowed origins"
          hint={originsHint}
          placeholder="https://example.com"
          {...of("origins")}
          spellcheck={false}
          rows={3}
        />
      )}
      <SelectField label="Expires" {...of("lifetime")} options={lifetimes} />
      {lifetime === "day" && <DateField label="Last day" {...of("day")} min={addDays(dayAt(Date.now()), 1)} />}
      <div aria-live="polite">{hint.value !== undefined && <p class="field-error">{hint.value}</p>}</div>
    </FormDialog>
  )
}

interface MadeProps {
  readonly text: string
  readonly kind: Kind
  readonly name: string
  readonly onClose: () => void
}

/** A key that was just made. A secret one is never shown again, so that the dialog only closes by its button. */
const Made = ({ kind, name, onClose, text }: MadeProps) => (
  <Dialog title={`The key “${name}”`} stays={kind === "secret"} onClose={onClose}>
    <p>
      {kind === "secret"
        ? "Copy it now and keep it safe. It cannot be shown again; the server stores only its hash."
        : "It is no secret and can be read again here. The Widget screen of the chatbot has the snippet to paste."}
    </p>
    <code class="code-box">{text}</code>
    <div class="dialog-actions">
      <CopyButton text={text} label="Copy the key" withText />
      <Button kind="primary" onClick={onClose}>
        {kind === "secret" ? "I have stored it" : "Done"}
      </Button>
    </div>
  </Dialog>
)
