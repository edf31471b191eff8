import { KeyRound, Plus } from "lucide"
import { formatBytes, formatCompact, formatCount, formatDay, plural } from "../../../shared/Format.ts"
import { dayAt } from "../../charts/Days.ts"
import { allOrganizations, type Organization } from "../../data/Admin.ts"
import { Button, changeItem, deleteItem, Menu } from "../../parts/Buttons.tsx"
import { confirmDeletion, FormDialog, openDialog, useDraft } from "../../parts/Dialogs.tsx"
import { TextField } from "../../parts/Field.tsx"
import { Badge, Loaded, Page } from "../../parts/Layout.tsx"
import { budgetFields, LimitFields, limitsOf, limitTexts, limitWords, quotaFields } from "../../parts/LimitFields.tsx"
import { type Column, numberColumn, Table } from "../../parts/Table.tsx"
import { toast } from "../../parts/Toast.ts"
import { href, navigate } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { drop, put, useResource } from "../../server/Resource.ts"

interface OrganizationDialogProps {
  readonly onStored: (organization: Organization) => void
}

const CreateOrganization = ({ onStored }: OrganizationDialogProps) => {
  const { draft, of } = useDraft({ name: "" })
  return (
    <FormDialog
      title="New organization"
      action="Create organization"
      onSubmit={async () => onStored((await call("POST /api/admin/organizations", { body: draft })).organization)}
    >
      <TextField label="Name" {...of("name")} maxLength={200} required />
      <p class="soft">Create the organization's first key under Keys.</p>
    </FormDialog>
  )
}

const EditOrganization = ({ item, onStored }: OrganizationDialogProps & { readonly item: Organization }) => {
  const { draft, of } = useDraft({ name: item.name, retention_days: String(item.retention_days ?? "") })
  const budget = useDraft(limitTexts(item.budget), "budget.")
  const quota = useDraft(limitTexts(item.quota), "quota.")
  const submit = async (): Promise<void> => {
    const { organization } = await call("PATCH /api/admin/organizations/:organizationId", {
      params: { organizationId: item.id },
      body: {
        name: draft.name,
        budget: limitsOf(budget.draft),
        quota: limitsOf(quota.draft),
        retention_days: draft.retention_days === "" ? null : Number(draft.retention_days),
      },
    })
    onStored(organization)
  }
  return (
    <FormDialog title={`Edit ${item.name}`} action="Save" wide onSubmit={submit}>
      <TextField label="Name" {...of("name")} maxLength={200} required />
      <LimitFields title="Budget" fields={budgetFields} of={budget.of} />
      <LimitFields title="Quotas" fields={{ ...quotaFields, bytes: "Document storage (bytes)" }} of={quota.of} />
      <p class="soft small">Enter a number or “unlimited”, or leave empty for the server default.</p>
      <TextField
        label="Conversation retention (days)"
        hint="Counted from the last activity. Leave empty for the server default."
        type="number"
        min={1}
        max={36_500}
        {...of("retention_days")}
      />
    </FormDialog>
  )
}

/** A column of the number of things that are stored, beside its limit where there is one. */
const amount = (title: string, kind: keyof Organization["used"], more: Partial<Column<Organization>> = {}) => {
  const format = kind === "bytes" ? formatBytes : formatCount
  return numberColumn<Organization>(title, ({ used }) => used[kind], format, {
    cell: ({ quota: { [kind]: limit }, used }) => (
      <>
        {format(used[kind])} {typeof limit === "number" && <span class="soft">of {format(limit)}</span>}
      </>
    ),
    ...more,
  })
}

const Organizations = () => {
  const organizations = useResource(allOrganizations())
  const stored = (organization: Organization): void =>
    toast(`${organization.name} ${put(organizations, organization) ? "updated" : "created"}.`)
  const edit = (item?: Organization) =>
    openDialog(
      item === undefined ? (
        <CreateOrganization onStored={stored} />
      ) : (
        <EditOrganization item={item} onStored={stored} />
      ),
    )
  const remove = ({ id, name }: Organization): Promise<void> =>
    confirmDeletion(
      name,
      "Its keys stop working within a second. Its chatbots, documents, conversations and usage are deleted. This cannot be undone.",
      async () => {
        await call("DELETE /api/admin/organizations/:organizationId", { params: { organizationId: id } })
        drop(organizations, id)
      },
      { action: "Delete organization", typed: name },
    )
  return (
    <Page
      title="Organizations"
      docs="keys-and-budgets"
      about="Each organization has its own chatbots, keys and data."
      actions={
        <Button kind="primary" icon={Plus} onClick={() => edit()}>
          New organization
        </Button>
      }
    >
      <Loaded of={organizations}>
        {(all) => (
          <Table
            label="Organizations"
            rows={all}
            columns={[
              {
                title: "Name",
                kind: "main",
                sort: ({ name }) => name,
                cell: ({ is_operator, name }) => (
                  <>
                    {name} {is_operator && <Badge kind="good">Operator</Badge>}
                  </>
                ),
              },
              amount("Chatbots", "chatbots", { isExtra: false }),
              amount("Documents", "documents"),
              amount("Storage", "bytes"),
              amount("Conversations", "conversations"),
              numberColumn(
                "Tokens per day",
                ({ budget }: Organization) => Number(budget.tokens_per_day) || 0,
                formatCompact,
                {
                  cell: ({ budget }) => limitWords(budget.tokens_per_day, formatCompact),
                },
              ),
              numberColumn(
                "Retention",
                ({ retention_days }: Organization) => retention_days ?? 0,
                (days) => (days === 0 ? "Server default" : plural(days, "day")),
              ),
              numberColumn(
                "Created",
                ({ created_at }: Organization) => Date.parse(created_at),
                (moment) => formatDay(dayAt(moment)),
              ),
            ]}
            actions={(organization) => (
              <Menu
                label={`Actions for ${organization.name}`}
                items={[
                  changeItem(() => edit(organization)),
                  {
                    label: "Keys",
                    icon: KeyRound,
                    onChoose: () => navigate(href("keys", {}, { organization: organization.id })),
                  },
                  !organization.is_operator && deleteItem(() => remove(organization)),
                ]}
              />
            )}
          />
        )}
      </Loaded>
    </Page>
  )
}

export default Organizations
