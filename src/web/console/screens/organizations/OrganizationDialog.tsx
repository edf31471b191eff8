import { useSignal } from "@preact/signals"
import type { Organization } from "../../data/Admin.ts"
import { call } from "../../server/Api.ts"
import { limitHint, limitOf, limitProblem, limitText } from "../../data/Limits.ts"
import { bind, TextField } from "../../parts/Field.tsx"
import { FormDialog } from "../../parts/Dialogs.tsx"

interface OrganizationDialogProps {
  /** The organization to change; undefined for a new one. */
  readonly item: Organization | undefined
  readonly onClose: () => void
  readonly onStored: (organization: Organization) => void
}

const budgetFields = [
  { name: "tokens_per_day", label: "Tokens a day" },
  { name: "concurrent_chats", label: "Chats at once" },
] as const

const quotaFields = [
  { name: "chatbots", label: "Chatbots" },
  { name: "documents", label: "Documents" },
  { name: "bytes", label: "Bytes of documents" },
  { name: "chunks", label: "Passages" },
  { name: "conversations", label: "Conversations" },
  { name: "tools", label: "Tools" },
] as const

type Limits = Readonly<Record<(typeof budgetFields | typeof quotaFields)[number]["name"], string>>

const limitsOf = ({ budget, quota }: Organization): Limits => ({
  tokens_per_day: limitText(budget.tokens_per_day),
  concurrent_chats: limitText(budget.concurrent_chats),
  chatbots: limitText(quota.chatbots),
  documents: limitText(quota.documents),
  bytes: limitText(quota.bytes),
  chunks: limitText(quota.chunks),
  conversations: limitText(quota.conversations),
  tools: limitText(quota.tools),
})

const daysProblem = (days: string): string | undefined =>
  days === "" || (/^\d{1,5}$/.test(days) && Number(days) >= 1 && Number(days) <= 36_500)
    ? undefined
    : "Expected 1 to 36,500 days"

const store = async (item: Organization | undefined, name: string, limits: Limits | undefined, days: string) => {
  if (item === undefined || limits === undefined)
    return (await call("POST /api/admin/organizations", { body: { name } })).organization
  const chosen = (fields: ReadonlyArray<{ readonly name: keyof Limits }>) =>
    Object.fromEntries(fields.map((field) => [field.name, limitOf(limits[field.name])]))
  const { organization } = await call("PATCH /api/admin/organizations/:organizationId", {
    params: { organizationId: item.id },
    body: {
      name,
      budget: chosen(budgetFields),
      quota: chosen(quotaFields),
      retention_days: days === "" ? null : Number(days),
    },
  })
  return organization
}

/** A form that makes an organization, or changes its name, budget, quotas and retention. */
export const OrganizationDialog = ({ item, onClose, onStored }: OrganizationDialogProps) => {
  const name = useSignal(item?.name ?? "")
  const limits = useSignal(item === undefined ? undefined : limitsOf(item))
  const days = useSignal(item?.retention_days === null || item === undefined ? "" : String(item.retention_days))
  const isWrong =
    name.value.trim() === "" ||
    daysProblem(days.value) !== undefined ||
    Object.values(limits.value ?? {}).some((text) => limitProblem(text) !== undefined)
  const submit = async (): Promise<void> => {
    onStored(await store(item, name.value.trim(), limits.value, days.value))
  }
  const fields = (title: string, of: ReadonlyArray<{ readonly name: keyof Limits; readonly label: string }>) => {
    const known = limits.value
    return (
      known !== undefined && (
        <fieldset class="columns">
          <legend>{title}</legend>
          {of.map((field) => (
            <TextField
              key={field.name}
              label={field.label}
              placeholder="Server's default"
              value={known[field.name]}
              onValue={(value) => (limits.value = { ...known, [field.name]: value })}
              error={limitProblem(known[field.name])}
            />
          ))}
        </fieldset>
      )
    )
  }
  return (
    <FormDialog
      title={item === undefined ? "New organization" : `Change ${item.name}`}
      action={item === undefined ? "Create" : "Save"}
      wide={item !== undefined}
      isWrong={isWrong}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label="Name" maxLength={200} {...bind(name)} />
      {item === undefined ? (
        <p class="soft">It begins without keys. Make its first key in Keys, and hand it over.</p>
      ) : (
        <>
          {fields("Budget", budgetFields)}
          {fields("Quotas", quotaFields)}
          <p class="field-hint">{limitHint}</p>
          <TextField
            label="Days after which conversations are deleted"
            hint="Counted from their last activity. Empty: as the server's settings say."
            {...bind(days)}
            error={daysProblem(days.value)}
          />
        </>
      )}
    </FormDialog>
  )
}
