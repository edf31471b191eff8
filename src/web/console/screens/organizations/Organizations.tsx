import { useSignal } from "@preact/signals"
import ellipsis from "icon:ellipsis"
import keyRound from "icon:key-round"
import pencil from "icon:pencil"
import plus from "icon:plus"
import trash from "icon:trash"
import { formatBytes, formatCompact, formatCount, formatDay } from "../../../shared/Format.ts"
import { Icon } from "../../../shared/Icon.tsx"
import { allOrganizations, type Organization } from "../../Admin.ts"
import { call } from "../../Api.ts"
import { type Limit, limitWords } from "../../Limits.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { confirm } from "../../parts/Confirm.tsx"
import { Menu } from "../../parts/Menu.tsx"
import { Page } from "../../parts/Page.tsx"
import { Loaded } from "../../parts/States.tsx"
import { Table } from "../../parts/Table.tsx"
import { toast, toastFailure } from "../../parts/Toast.tsx"
import { useResource } from "../../Resource.ts"
import { href, navigate } from "../../Router.ts"
import { OrganizationDialog } from "./OrganizationDialog.tsx"

type Edited = { readonly item: Organization | undefined }

/** What is stored of a kind, beside its limit where there is one. */
const held = (used: number, limit: Limit, format: (value: number) => string = formatCount) =>
  typeof limit === "number" ? (
    <>
      {format(used)} <span class="soft">of {format(limit)}</span>
    </>
  ) : (
    format(used)
  )

/** The organizations of the server, for its operator. */
const Organizations = () => {
  const organizations = useResource(allOrganizations())
  const edited = useSignal<Edited | undefined>(undefined)
  const stored = (organization: Organization): void => {
    const known = organizations.data.value ?? []
    const isKnown = known.some(({ id }) => id === organization.id)
    organizations.set(
      isKnown ? known.map((each) => (each.id === organization.id ? organization : each)) : [...known, organization],
    )
    toast(isKnown ? `${organization.name} is changed.` : `${organization.name} is created.`)
    edited.value = undefined
  }
  const remove = async (organization: Organization): Promise<void> => {
    const isSure = await confirm({
      title: `Delete ${organization.name}?`,
      text: "The organization is gone at once, and its keys are refused within a second. Its chatbots, documents, conversations and usage are deleted. This cannot be undone.",
      action: "Delete the organization",
      isDangerous: true,
      typed: organization.name,
    })
    if (!isSure) return
    try {
      await call("DELETE /api/admin/organizations/:organizationId", { params: { organizationId: organization.id } })
      organizations.set((organizations.data.value ?? []).filter(({ id }) => id !== organization.id))
      toast(`${organization.name} is deleted.`)
    } catch (error) {
      toastFailure(error)
    }
  }
  return (
    <Page
      title="Organizations"
      about="Each has its own chatbots and keys, and sees nothing of the others."
      actions={
        <Button kind="primary" icon={plus} onClick={() => (edited.value = { item: undefined })}>
          New organization
        </Button>
      }
    >
      <Loaded of={organizations} lines={5}>
        {(all) => (
          <Table
            label="Organizations"
            rows={all}
            keyOf={({ id }) => id}
            columns={[
              {
                title: "Name",
                kind: "main",
                cell: ({ is_operator, name }) => (
                  <>
                    {name} {is_operator && <Badge kind="good">operator</Badge>}
                  </>
                ),
              },
              { title: "Chatbots", kind: "number", cell: ({ quota, used }) => held(used.chatbots, quota.chatbots) },
              {
                title: "Documents",
                kind: "number",
                isExtra: true,
                cell: ({ quota, used }) => held(used.documents, quota.documents),
              },
              {
                title: "Size",
                kind: "number",
                isExtra: true,
                cell: ({ quota, used }) => held(used.bytes, quota.bytes, formatBytes),
              },
              {
                title: "Conversations",
                kind: "number",
                isExtra: true,
                cell: ({ quota, used }) => held(used.conversations, quota.conversations),
              },
              {
                title: "Tokens a day",
                kind: "number",
                isExtra: true,
                cell: ({ budget }) => limitWords(budget.tokens_per_day, formatCompact),
              },
              {
                title: "Keeps for",
                kind: "number",
                isExtra: true,
                cell: ({ retention_days }) =>
                  retention_days === null ? "Server's default" : `${formatCount(retention_days)} days`,
              },
              {
                title: "Since",
                kind: "number",
                isExtra: true,
                cell: ({ created_at }) => formatDay(created_at.slice(0, 10)),
              },
              {
                title: "Actions",
                kind: "actions",
                cell: (organization) => (
                  <Menu
                    label={`More about ${organization.name}`}
                    items={[
                      { label: "Change …", icon: pencil, onChoose: () => (edited.value = { item: organization }) },
                      {
                        label: "Keys",
                        icon: keyRound,
                        onChoose: () => void navigate(href("keys", undefined, { organization: organization.id })),
                      },
                      !organization.is_operator && {
                        label: "Delete …",
                        icon: trash,
                        isDangerous: true,
                        onChoose: () => void remove(organization),
                      },
                    ]}
                  >
                    <Icon nodes={ellipsis} size={18} />
                  </Menu>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      {edited.value !== undefined && (
        <OrganizationDialog item={edited.value.item} onClose={() => (edited.value = undefined)} onStored={stored} />
      )}
    </Page>
  )
}

export default Organizations
