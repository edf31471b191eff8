import { formatMoment } from "../../../shared/Format.ts"
import { allOrganizations } from "../../data/Admin.ts"
import { optionsOf, SelectField, TextField } from "../../parts/Field.tsx"
import { Loaded, More, Section } from "../../parts/Layout.tsx"
import { Table } from "../../parts/Table.tsx"
import { nextPage, useResource } from "../../server/Resource.ts"
import { bindQuery, queryText } from "../../Router.ts"
import { actionWords, actorWords, auditActions, changesOf } from "./Audit.ts"
import { auditLog, fetchAudit } from "./SystemData.ts"

/** The entries of the audit log, with filters. */
export const AuditLog = () => {
  const filters = {
    action: queryText("action"),
    organization: queryText("organization"),
    from: queryText("from"),
    to: queryText("to"),
  }
  const organizations = useResource(allOrganizations()).data.value ?? []
  const log = useResource(auditLog(filters.action, filters.organization, filters.from, filters.to))
  const organizationName = (id: string): string =>
    organizations.find((organization) => organization.id === id)?.name ?? `…${id.slice(-6)}`
  return (
    <Section title="Audit log" about="Who did what, when and from where. Entries cannot be edited.">
      <div class="columns narrow">
        <SelectField label="Action" {...bindQuery("action")} options={{ "": "All actions", ...auditActions }} />
        {organizations.length > 1 && (
          <SelectField
            label="Organization"
            {...bindQuery("organization")}
            options={optionsOf(organizations, "All organizations")}
          />
        )}
        <TextField type="date" label="From (UTC)" {...bindQuery("from")} />
        <TextField type="date" label="To (UTC)" {...bindQuery("to")} />
      </div>
      <Loaded of={log}>
        {(known) =>
          known.items.length === 0 ? (
            <p class="soft">No matching entries.</p>
          ) : (
            <>
              <Table
                label="Audit log entries"
                rows={known.items}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: "Time",
                    isExtra: true,
                    sort: ({ created_at }) => created_at,
                    cell: ({ created_at }) => (
                      <time class="number" dateTime={created_at}>
                        {formatMoment(created_at)}
                      </time>
                    ),
                  },
                  {
                    title: "Action",
                    kind: "main",
                    sort: ({ action }) => actionWords(action),
                    cell: ({ action }) => actionWords(action),
                  },
                  {
                    title: "Actor",
                    isExtra: true,
                    sort: ({ actor }) => actorWords(actor),
                    cell: ({ actor, address }) => (
                      <span class="stack tight">
                        {actorWords(actor)}
                        {address !== null && <span class="soft small">{address}</span>}
                      </span>
                    ),
                  },
                  {
                    title: "Organization",
                    isExtra: true,
                    sort: ({ organization_id }) => organizationName(organization_id),
                    cell: ({ organization_id }) => organizationName(organization_id),
                  },
                  {
                    title: "Changes",
                    isExtra: true,
                    cell: ({ after, before }) => (
                      <span class="key-rights small">{changesOf(before, after).join("; ")}</span>
                    ),
                  },
                ]}
              />
              {known.next && <More of={log} load={nextPage((cursor) => fetchAudit(filters, cursor))} />}
            </>
          )
        }
      </Loaded>
    </Section>
  )
}
