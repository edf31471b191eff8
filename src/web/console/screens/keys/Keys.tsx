import { KeyRound, Plus } from "lucide"
import { formatCompact } from "../../../shared/Format.ts"
import { allKeys, allOrganizations, type ApiKey, stateOf, useChatbotNames } from "../../data/Admin.ts"
import { allPeople } from "../../data/People.ts"
import { Button } from "../../parts/Buttons.tsx"
import { openDialog } from "../../parts/Dialogs.tsx"
import { ChoiceField, optionsOf } from "../../parts/Field.tsx"
import { Ago, Badge, Empty, Loaded, Page, Tabs } from "../../parts/Layout.tsx"
import { Table } from "../../parts/Table.tsx"
import { bindOption, queryText, setQuery, useAsked } from "../../Router.ts"
import { type Resource, useResource } from "../../server/Resource.ts"
import { session } from "../../server/Session.ts"
import { CreateKey } from "./CreateKey.tsx"
import { endOf, makerOf, scopeChoices } from "./KeyForm.ts"
import { KeyMenu } from "./KeyMenu.tsx"

const shownKeys = { active: "Active", ended: "Revoked and expired" }

const Keys = () => {
  const organizations = useResource(allOrganizations()).data.value ?? []
  const own = session.value?.organization.id ?? ""
  const organizationId = queryText("organization") || own
  const organization = organizations.find(({ id }) => id === organizationId)
  const keys = useResource(allKeys(organizationId))
  const shown = bindOption("show", shownKeys, "active")
  const create = () => openDialog(<CreateKey organizationId={organizationId} list={keys} />)
  useAsked("new", create)
  return (
    <Page
      title="Keys"
      docs="keys-and-budgets"
      about="API keys and their permissions."
      actions={
        organization !== undefined && (
          <Button kind="primary" icon={Plus} onClick={create}>
            New key
          </Button>
        )
      }
    >
      <div class="stack">
        <div class="toolbar row">
          <Tabs label="Show" {...shown} options={shownKeys} />
          {organizations.length > 1 && (
            <ChoiceField
              label="Organization"
              labelHidden
              value={organizationId}
              onValue={(id) => setQuery({ organization: id === own ? undefined : id })}
              options={optionsOf(organizations)}
            />
          )}
        </div>
        <Loaded of={keys}>
          {(all) => (
            <KeyTable
              keys={all.filter((key) => (stateOf(key) === "active") === (shown.value === "active"))}
              list={keys}
            />
          )}
        </Loaded>
      </div>
    </Page>
  )
}

interface KeyTableProps {
  readonly keys: ReadonlyArray<ApiKey>
  readonly list: Resource<ReadonlyArray<ApiKey>>
}

const rightsOf = (key: ApiKey): string => {
  if (key.allowed_origins !== null) return `Widget on ${key.allowed_origins.join(", ")}`
  if (key.scopes.length === scopeChoices.length) return "All permissions"
  return scopeChoices
    .filter(({ scope }) => key.scopes.includes(scope))
    .map(({ label }) => label)
    .join(", ")
}

const budgetOf = ({ budget: { concurrent_chats, tokens_per_day } }: ApiKey): string => {
  const parts = [
    typeof tokens_per_day === "number" ? `${formatCompact(tokens_per_day)} tokens per day` : "",
    typeof concurrent_chats === "number" ? `${formatCompact(concurrent_chats)} concurrent chats` : "",
  ].filter((part) => part !== "")
  return parts.length === 0 ? "–" : parts.join(", ")
}

const KeyTable = ({ keys, list }: KeyTableProps) => {
  const chatbotName = useChatbotNames()
  const people = useResource(allPeople()).data.value ?? []
  const makerName = (id: string): string =>
    [...(list.data.value ?? []), ...people].find((maker) => maker.id === id)?.name ?? `key …${id.slice(-6)}`
  if (keys.length === 0)
    return (
      <Empty icon={KeyRound} title="No keys">
        Revoked and expired keys are listed separately.
      </Empty>
    )
  return (
    <Table
      label="Keys"
      rows={keys}
      columns={[
        {
          title: "Name",
          kind: "main",
          sort: ({ name }) => name,
          cell: (key) => (
            <span class="row">
              <span class="anywhere">{key.name}</span>
              {key.kind === "publishable" && <Badge>Publishable</Badge>}
              {key.id === session.value?.api_key?.id && <Badge kind="good">Signed in</Badge>}
              <code class="soft">
                {key.prefix}…{key.last_four}
              </code>
            </span>
          ),
        },
        {
          title: "Permissions",
          isExtra: true,
          cell: (key) => (
            <span class="key-rights">
              {rightsOf(key)}
              {key.chatbot_id !== null && <span class="soft"> · {chatbotName(key.chatbot_id)} only</span>}
            </span>
          ),
        },
        { title: "Budget", isExtra: true, cell: budgetOf },
        {
          title: "Last used",
          isExtra: true,
          sort: ({ last_used_at }) => last_used_at ?? "",
          cell: ({ last_used_at }) => (last_used_at === null ? "Never" : <Ago at={last_used_at} />),
        },
        { title: "Expires", isExtra: true, sort: ({ expires_at }) => expires_at ?? "never", cell: (key) => endOf(key) },
        {
          title: "Created",
          isExtra: true,
          sort: ({ created_at }) => created_at,
          cell: (key) => (
            <span class="soft">
              <Ago at={key.created_at} /> by {makerOf(key.created_by, makerName)}
            </span>
          ),
        },
      ]}
      actions={(key) => <KeyMenu item={key} list={list} />}
    />
  )
}

export default Keys
