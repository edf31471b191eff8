import { KeyRound, Plus } from "lucide"
import { formatBytes, formatCompact, formatCount, formatDay } from "../../../shared/Format.ts"
import { allOrganizations, type Organization } from "../../data/Admin.ts"
import { call } from "../../server/Api.ts"
import { type Limit, limitWords } from "../../data/Limits.ts"
import { Badge, Loaded, Page } from "../../parts/Layout.tsx"
import { type Column, Table } from "../../parts/Table.tsx"
import { Button, changeItem, deleteItem, Menu } from "../../parts/Buttons.tsx"
import { confirmed, openDialog } from "../../parts/Dialogs.tsx"
import { toast } from "../../parts/Toast.ts"
import { drop, put, useResource } from "../../server/Resource.ts"
import { href, navigate } from "../../Router.ts"
import { OrganizationDialog } from "./OrganizationDialog.tsx"

/** A column that stands below the name on narrow screens. */
const number = (
  title: string,
  cell: Column<Organization>["cell"],
  sort: NonNullable<Column<Organization>["sort"]>,
): Column<Organization> => ({
  title,
  cell,
  sort,
  kind: "number",
  isExtra: true,
})

/** The number of things that are stored, beside its limit where there is one. */
const amount = (used: number, limit: Limit, format: (value: number) => string = formatCount) =>
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
  const stored = (organization: Organization): void =>
    toast(`${organization.name} ${put(organizations, organization) ? "updated" : "created"}.`)
  const edit = (item?: Organization) => openDialog(<OrganizationDialog item={item} onStored={stored} />)
  const remove = ({ id, name }: Organization): Promise<void> =>
    confirmed(
      {
        title: `Delete ${name}?`,
        text: "Its keys stop working within a second. Its chatbots, documents, conversations and usage are deleted. This cannot be undone.",
        action: "Delete organization",
        typed: name,
      },
      async () => {
        await call("DELETE /api/admin/organizations/:organizationId", { params: { organizationId: id } })
        drop(organizations, id)
      },
      `${name} deleted.`,
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
            keyOf={({ id }) => id}
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
              { title: "Chatbots", kind: "number", cell: ({ quota, used }) => amount(used.chatbots, quota.chatbots) },
              number(
                "Documents",
                ({ quota, used }) => amount(used.documents, quota.documents),
                ({ used }) => used.documents,
              ),
              number(
                "Storage",
                ({ quota, used }) => amount(used.bytes, quota.bytes, formatBytes),
                ({ used }) => used.bytes,
              ),
              number(
                "Conversations",
                ({ quota, used }) => amount(used.conversations, quota.conversations),
                ({ used }) => used.conversations,
              ),
              number(
                "Tokens per day",
                ({ budget }) => limitWords(budget.tokens_per_day, formatCompact),
                ({ budget }) => Number(budget.tokens_per_day) || 0,
              ),
              number(
                "Retention",
                ({ retention_days }) =>
                  retention_days === null ? "Server default" : `${formatCount(retention_days)} days`,
                ({ retention_days }) => retention_days ?? 0,
              ),
              number(
                "Created",
                ({ created_at }) => formatDay(created_at.slice(0, 10)),
                ({ created_at }) => Date.parse(created_at),
              ),
              {
                title: "Actions",
                kind: "actions",
                cell: (organization) => (
                  <Menu
                    label={`Actions for ${organization.name}`}
                    items={[
                      changeItem(() => edit(organization)),
                      {
                        label: "Keys",
                        icon: KeyRound,
                        onChoose: () => void navigate(href("keys", {}, { organization: organization.id })),
                      },
                      !organization.is_operator && deleteItem(() => void remove(organization)),
                    ]}
                  />
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </Page>
  )
}

export default Organizations
