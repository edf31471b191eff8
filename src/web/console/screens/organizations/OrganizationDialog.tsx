import type { Organization } from "../../data/Admin.ts"
import { call } from "../../server/Api.ts"
import { limitsOf, limitTexts } from "../../data/Limits.ts"
import { TextField } from "../../parts/Field.tsx"
import { FormDialog, useDraft } from "../../parts/Dialogs.tsx"
import { budgetFields, LimitFields } from "../../parts/LimitFields.tsx"

interface OrganizationDialogProps {
  /** The organization to change; undefined for a new one. */
  readonly item: Organization | undefined
  readonly onStored: (organization: Organization) => void
}

/** A form that makes an organization. */
const CreateOrganization = ({ onStored }: Omit<OrganizationDialogProps, "item">) => {
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

const quotaFields = [
  ["chatbots", "Chatbots"],
  ["documents", "Documents"],
  ["bytes", "Document storage (bytes)"],
  ["chunks", "Passages"],
  ["conversations", "Conversations"],
  ["tools", "Tools"],
] as const

/** A form that changes an organization's name, budget, quotas and retention. */
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
      <LimitFields title="Quotas" fields={quotaFields} of={quota.of} />
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

/** A form that makes an organization, or changes it. */
export const OrganizationDialog = ({ item, ...rest }: OrganizationDialogProps) =>
  item === undefined ? <CreateOrganization {...rest} /> : <EditOrganization item={item} {...rest} />
