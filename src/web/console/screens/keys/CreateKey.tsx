import { useSignal } from "@preact/signals"
import type { Scope } from "../../../../domain/ApiKey.ts"
import { addDays, dayAt } from "../../../shared/charts/Days.ts"
import type { ApiKey, Organization } from "../../Admin.ts"
import { call } from "../../Api.ts"
import { allChatbots } from "../../Chatbots.ts"
import { Button } from "../../parts/Button.tsx"
import { CopyButton } from "../../parts/Copy.tsx"
import { DateField } from "../../parts/DateField.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { Checkbox, SelectField, TextArea, TextField } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { Tabs } from "../../parts/Tabs.tsx"
import { useResourceIf } from "../../Resource.ts"
import { can, session } from "../../Session.ts"
import { originsIn } from "../widget/Origins.ts"
import { expiryOf, grantable, type Lifetime, lifetimes } from "./KeyForm.ts"

interface CreateKeyProps {
  readonly organization: Organization
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

/** What is still missing; undefined when the key can be made. */
const missing = ({ chatbot, day, kind, lifetime, name, origins, scopes }: Draft): string | undefined => {
  if (name.trim() === "") return "Give the key a name."
  if (kind === "secret" && scopes.length === 0) return "Choose what the key may do."
  if (kind === "publishable" && chatbot === "") return "Choose the chatbot that the website embeds."
  if (kind === "publishable" && originsIn(origins).length === 0) return "Say where the widget may be embedded."
  return lifetime === "day" && day === "" ? "Choose the day on which it expires." : undefined
}

const create = (draft: Draft, organization: Organization) => {
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
export const CreateKey = ({ onClose, onCreated, organization }: CreateKeyProps) => {
  const isOwn = organization.id === session.value?.organization.id
  const bound = session.value?.chatbot_id ?? ""
  const draft = useSignal<Draft>({
    kind: "secret",
    name: "",
    scopes: ["chat"],
    chatbot: bound,
    origins: "",
    lifetime: "never",
    day: "",
  })
  const made = useSignal<string | undefined>(undefined)
  const hint = useSignal<string | undefined>(undefined)
  const chatbots = useResourceIf(isOwn && can("chatbots:read"), allChatbots()).data.value ?? []
  const choices = grantable(session.value?.scopes ?? [], organization.is_operator)
  const { chatbot, day, kind, lifetime, name, origins, scopes } = draft.value
  const change = (changes: Partial<Draft>): void => {
    draft.value = { ...draft.value, ...changes }
    hint.value = undefined
  }
  const submit = async (): Promise<void> => {
    hint.value = missing(draft.value)
    if (hint.value !== undefined) return
    const { api_key, key } = await create(draft.value, organization)
    onCreated(api_key)
    made.value = key
  }
  if (made.value !== undefined) return <Made text={made.value} kind={kind} name={name} onClose={onClose} />
  return (
    <Dialog title="New key" wide onClose={onClose}>
      <Form action="Create key" onSubmit={submit} onCancel={onClose}>
        {isOwn && can("chat") && can("chatbots:read") && (
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
          value={name}
          maxLength={200}
          onValue={(value) => change({ name: value })}
        />
        {bound === "" && chatbots.length > 0 && (
          <SelectField
            label="Chatbot"
            value={chatbot}
            onValue={(value) => change({ chatbot: value })}
            options={[
              { value: "", label: kind === "secret" ? "All chatbots" : "Choose …" },
              ...chatbots.map((each) => ({ value: each.id, label: each.name })),
            ]}
          />
        )}
        {kind === "secret" ? (
          <fieldset class="choices">
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
            hint="One a line: https://example.com, or https://*.example.com for all subdomains. * allows every page."
            placeholder="https://example.com"
            value={origins}
            onValue={(value) => change({ origins: value })}
            spellcheck={false}
            rows={3}
          />
        )}
        <SelectField
          label="Expires"
          value={lifetime}
          onValue={(value) => change({ lifetime: value })}
          options={lifetimes}
        />
        {lifetime === "day" && (
          <DateField
            label="Last day"
            value={day}
            min={addDays(dayAt(Date.now()), 1)}
            onValue={(value) => change({ day: value })}
          />
        )}
        <div aria-live="polite">{hint.value !== undefined && <p class="field-error">{hint.value}</p>}</div>
      </Form>
    </Dialog>
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
    <div class="stack">
      <p>
        {kind === "secret"
          ? "Copy it now and keep it safe. It cannot be shown again; the server stores only its hash."
          : "It is no secret and can be read again here. The Widget screen of the chatbot has the snippet to paste."}
      </p>
      <div class="made-key">
        <code>{text}</code>
      </div>
      <div class="dialog-actions">
        <CopyButton text={text} label="Copy the key" withText />
        <Button kind="primary" onClick={onClose}>
          {kind === "secret" ? "I have stored it" : "Done"}
        </Button>
      </div>
    </div>
  </Dialog>
)
