import type { Scope } from "../../../../domain/keys/ApiKey.ts"
import { addDays, dayAt } from "../../charts/Days.ts"
import { allOrganizations } from "../../data/Admin.ts"
import { allChatbots } from "../../data/Chatbots.ts"
import { originsIn } from "../../data/Origins.ts"
import { SecretDialog } from "../../parts/Copy.tsx"
import { FormDialog, openDialog, useDraft } from "../../parts/Dialogs.tsx"
import { Checkbox, ChoiceField, optionsOf, TextArea, TextField } from "../../parts/Field.tsx"
import { Tabs } from "../../parts/Layout.tsx"
import { call } from "../../server/Api.ts"
import { type Resource, useResource } from "../../server/Resource.ts"
import { can, session } from "../../server/Session.ts"
import { grantable, originsField } from "./KeyForm.ts"

interface CreateKeyProps {
  readonly organizationId: string
  /** The chatbot whose websites the key is for; undefined to choose. */
  readonly chatbotId?: string
  readonly list: Pick<Resource<unknown>, "reload">
}

const kinds = { secret: "Secret key", publishable: "Publishable key" }

/** A form that makes a key, and then shows it this once if it is a secret one. */
export const CreateKey = ({ chatbotId, list, organizationId }: CreateKeyProps) => {
  const isOwn = organizationId === session.value?.organization.id
  const bound = chatbotId ?? session.value?.chatbot_id ?? ""
  const { change, draft, of } = useDraft({
    kind: (chatbotId === undefined ? "secret" : "publishable") as keyof typeof kinds,
    name: chatbotId === undefined ? "" : "Website",
    scopes: ["chat"] as ReadonlyArray<Scope>,
    chatbot_id: bound,
    allowed_origins: "",
    /** The last day of its time; empty for a key that does not expire. */
    expires_at: "",
  })
  const { kind, name, scopes } = draft
  const isSecret = kind === "secret"
  const chatbots = useResource(allChatbots(), isOwn && can("chatbots:read")).data.value ?? []
  const submit = async (): Promise<void> => {
    const { key } = await call("POST /api/admin/api-keys", {
      body: {
        name,
        kind,
        ...(isSecret ? { scopes } : { allowed_origins: originsIn(draft.allowed_origins) }),
        ...(!isOwn && { organization_id: organizationId }),
        ...(draft.chatbot_id !== "" && { chatbot_id: draft.chatbot_id }),
        ...(draft.expires_at !== "" && { expires_at: `${draft.expires_at}T23:59:59Z` }),
      },
    })
    void list.reload()
    if (isSecret)
      openDialog(
        <SecretDialog
          title={`Key “${name}” created`}
          about="Copy the key now and keep it safe. It is shown only once."
          secret={key}
        />,
      )
  }
  const isForOperator = allOrganizations().data.value?.find(({ id }) => id === organizationId)?.is_operator === true
  return (
    <FormDialog
      title={chatbotId === undefined ? "New key" : "Add website"}
      wide
      action="Create key"
      isWrong={isSecret && scopes.length === 0}
      onSubmit={submit}
    >
      {isOwn && chatbotId === undefined && can("chat") && can("chatbots:read") && (
        <Tabs label="Kind of key" {...of("kind")} options={kinds} />
      )}
      <p class="soft">
        {isSecret
          ? "For your own programs. Anyone who has the key gets its permissions."
          : "For the chat widget on a website. Visitors can see the key, which works only on the origins you allow."}
      </p>
      <TextField
        label="Name"
        hint="Helps you recognize the key later, such as “Website” or “Back office”."
        {...of("name")}
        maxLength={200}
        required
      />
      {bound === "" && chatbots.length > 0 && (
        <ChoiceField
          label="Chatbot"
          {...of("chatbot_id")}
          required={!isSecret}
          options={optionsOf(chatbots, isSecret ? "All chatbots" : "Select a chatbot")}
        />
      )}
      {isSecret ? (
        <fieldset class="columns">
          <legend>Permissions</legend>
          {grantable(session.value?.scopes ?? [], isForOperator).map(({ hint, label, scope }) => (
            <Checkbox
              key={scope}
              {...{ hint, label }}
              value={scopes.includes(scope)}
              onValue={(isOn) =>
                change({ scopes: isOn ? [...scopes, scope] : scopes.filter((each) => each !== scope) })
              }
            />
          ))}
        </fieldset>
      ) : (
        <TextArea {...originsField} {...of("allowed_origins")} />
      )}
      <TextField
        label="Expiry date"
        hint="Valid until the end of this day (UTC). Leave empty for no expiry."
        type="date"
        {...of("expires_at")}
        min={addDays(dayAt(Date.now()), 1)}
      />
    </FormDialog>
  )
}
