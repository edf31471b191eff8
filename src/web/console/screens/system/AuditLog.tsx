import type { AuditAction } from "../../../../domain/audit/AuditEntry.ts"
import { formatMoment } from "../../../shared/Format.ts"
import { addDays } from "../../charts/Days.ts"
import { allOrganizations, useChatbotNames } from "../../data/Admin.ts"
import { ChoiceField, optionsOf, SelectField, TextField } from "../../parts/Field.tsx"
import { LoadedList, Page } from "../../parts/Layout.tsx"
import { Table } from "../../parts/Table.tsx"
import { bindQuery, href, place } from "../../Router.ts"
import { lists, useResource } from "../../server/Resource.ts"
import { type Answer, call } from "../../server/Api.ts"
import { isFields } from "../../server/Unknown.ts"

/*
 * The audit log in words.
 */

export const auditActions: Readonly<Record<AuditAction, string>> = {
  "organization.created": "Organization created",
  "organization.updated": "Organization updated",
  "organization.deleted": "Organization deleted",
  "api_key.created": "Key created",
  "api_key.updated": "Key updated",
  "api_key.revoked": "Key revoked",
  "api_key.first_used": "Key first used",
  "api_key.refused": "Inactive key refused",
  "api_key.signed_in": "Signed in to the console",
  "identity_secret.created": "Identity secret created",
  "identity_secret.deleted": "Identity secret deleted",
  "chatbot.created": "Chatbot created",
  "chatbot.updated": "Chatbot updated",
  "chatbot.deleted": "Chatbot deleted",
  "tool.created": "Tool created",
  "tool.updated": "Tool updated",
  "tool.deleted": "Tool deleted",
  "tool.tried": "Tool tested",
  "webhook.created": "Webhook created",
  "webhook.updated": "Webhook updated",
  "webhook.deleted": "Webhook deleted",
  "webhook.secret_rotated": "Webhook secret rotated",
  "webhook.tested": "Webhook tested",
  "webhook.switched_off": "Webhook disabled",
  "document.deleted": "Document deleted",
  "question.created": "Question created",
  "question.updated": "Question changed",
  "question.deleted": "Question deleted",
  "question.imported": "Questions imported",
  "test.created": "Test created",
  "test.updated": "Test changed",
  "test.deleted": "Test deleted",
  "test.imported": "Tests imported",
  "test_plan.updated": "Test plan changed",
  "source.created": "Source created",
  "source.updated": "Source updated",
  "source.deleted": "Source deleted",
  "source.run_started": "Source run",
  "source.run_stopped": "Source stopped",
  "topic.updated": "Topic changed",
  "test_run.started": "Tests run",
  "test_run.stopped": "Tests stopped",
  "conversation.deleted": "Conversation deleted",
  "conversation.exported": "Conversation exported",
  "conversation.erased": "Visitor erased",
  "conversation.expired": "Conversations expired",
  "conversation.handed_over": "Conversation taken over",
  "conversation.returned": "Conversation given back",
  "person.invited": "Person invited",
  "person.updated": "Person changed",
  "person.removed": "Person removed",
  "person.signed_in": "Person signed in",
  "person.session_ended": "Session of a person ended",
  "sign_in.refused": "Sign-in refused",
  "sign_in_provider.created": "Sign-in provider added",
  "sign_in_provider.updated": "Sign-in provider changed",
  "sign_in_provider.deleted": "Sign-in provider deleted",
  "model_connection.created": "Model connection added",
  "model_connection.updated": "Key of a model connection replaced",
  "model_connection.deleted": "Model connection deleted",
}

const isAction = (text: string): text is AuditAction => text in auditActions

/** An action in words; one that is not known yet as the API names it. */
export const actionWords = (action: string): string => (isAction(action) ? auditActions[action] : action)

/** The query of the API for the entries that an address names, on days in UTC, both included. */
export const auditQuery = (query: URLSearchParams) => {
  const [action, from, organization, to] = ["action", "from", "organization", "to"].map((name) => query.get(name) ?? "")
  return {
    action: action !== undefined && isAction(action) ? action : undefined,
    organization_id: organization,
    from: from && `${from}T00:00:00Z`,
    to: to && `${addDays(to, 1)}T00:00:00Z`,
  }
}

type Entry = Answer<"GET /api/admin/audit-log">["entries"][number]
type Fields = Readonly<Record<string, unknown>>

/** What the log keeps in place of a text that may be secret. */
const CONCEALED = "[concealed]"

const wordsOf = (value: unknown): string => {
  if (value === CONCEALED) return "(not shown)"
  if (value === null || value === undefined || value === "") return "none"
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(wordsOf).join(", ")
  if (isFields(value))
    return `(${changesOf(null, value)
      .map(({ after, name }) => `${name}: ${after}`)
      .join("; ")})`
  return String(value)
}

/** The name of a field in words, such as `tokens per day`. */
const fieldWords = (name: string): string => name.replaceAll(/[_.]|(?<=\p{Ll})(?=\p{Lu})/gu, " ").toLowerCase()

/** A field in words, before and after; `before` is undefined where there was no such thing. */
interface Change {
  readonly name: string
  readonly before: string | undefined
  readonly after: string
}

/** The fields that differ. New ones without a value are left out. */
export const changesOf = (before: Fields | null, after: Fields | null): ReadonlyArray<Change> => {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return Array.from(names).flatMap((field) => {
    const was = before?.[field]
    const is = after?.[field]
    const name = fieldWords(field)
    const [then, now] = [was ?? {}, is ?? {}]
    if ((isFields(was) || isFields(is)) && isFields(then) && isFields(now)) {
      return changesOf(then, now).map((change) => ({ ...change, name: `${name}, ${change.name}` }))
    }
    if (was === undefined) return is === null ? [] : { name, before: undefined, after: wordsOf(is) }
    if (was === CONCEALED && is === CONCEALED) return { name, before: undefined, after: "changed" }
    return { name, before: wordsOf(was), after: wordsOf(is) }
  })
}

export const actorWords = ({ hint, kind, name }: Pick<Entry["actor"], "hint" | "kind" | "name">): string => {
  if (kind === "command_line") return "Command line"
  if (kind === "anonymous") return "Unauthenticated"
  if (kind === "server") return "Server"
  const known = name ?? hint ?? "Unknown key"
  return kind === "operator" ? `${known} (operator)` : known
}

const screensOf: Readonly<Record<string, "conversation" | "knowledge" | "settings" | "tests" | "tools">> = {
  conversation: "conversation",
  document: "knowledge",
  question: "knowledge",
  source: "knowledge",
  test: "tests",
  test_plan: "tests",
  test_run: "tests",
  tool: "tools",
}

/** The screen on which the object of an entry is found, or that of its chatbot; undefined where there is none any more. */
export const addressOfObject = ({ action, target }: Pick<Entry, "action" | "target">): string | undefined => {
  const [kind = "", done] = action.split(".")
  const { chatbot_id: ofChatbot, id } = target
  const chatbotId = kind === "chatbot" ? id : ofChatbot
  if (chatbotId === null || (kind === "chatbot" && done === "deleted")) return undefined
  const screen = screensOf[kind] ?? "settings"
  if (screen !== "conversation") return href(screen, { chatbotId })
  const isThere = id !== null && done !== "deleted" && done !== "erased" && done !== "expired"
  return isThere
    ? href("conversation", { chatbotId, sessionId: id })
    : href("conversations", {}, { chatbot: chatbotId })
}

/** The newest entries of the audit log that the query of an address names. */
const auditLog = lists(async (cursor, query: string) => {
  const { entries, next_cursor } = await call("GET /api/admin/audit-log", {
    query: { ...auditQuery(new URLSearchParams(query)), limit: "50", cursor },
  })
  return { items: entries, next: next_cursor }
})

/** What an entry has changed, each field with its old value beside its new one. */
const changesIn = ({ after, before }: Entry) => {
  const changes = changesOf(before, after)
  return changes.length === 0 ? null : (
    <dl class="changes small">
      {changes.map((change) => (
        <div key={change.name}>
          <dt>{change.name}</dt>
          <dd dir="auto">{change.before !== undefined && <del>{change.before}</del>}</dd>
          <dd dir="auto">{change.before === undefined ? change.after : <ins>{change.after}</ins>}</dd>
        </div>
      ))}
    </dl>
  )
}

const AuditLog = () => {
  const query = place.value.query.toString()
  const organizations = useResource(allOrganizations()).data.value ?? []
  const log = useResource(auditLog(query))
  const chatbotName = useChatbotNames()
  /** The chatbot of an entry by its name: the present one, or the one that it had when it was made or deleted. */
  const objectWords = ({ action, after, before, target }: Entry): string => {
    if (!action.startsWith("chatbot.")) return target.chatbot_id === null ? "" : chatbotName(target.chatbot_id)
    const named = [after, before].map((fields) => fields?.["name"])
    const then = named.find((name): name is string => typeof name === "string" && name !== CONCEALED)
    return target.id === null ? "" : chatbotName(target.id, then)
  }
  const organizationName = (id: string): string =>
    organizations.find((organization) => organization.id === id)?.name ?? `…${id.slice(-6)}`
  return (
    <Page title="Audit log" docs="privacy" about="Who did what, when and from where. Entries cannot be edited.">
      <div class="columns narrow">
        <SelectField label="Action" {...bindQuery("action")} options={{ "": "All actions", ...auditActions }} />
        {organizations.length > 1 && (
          <ChoiceField
            label="Organization"
            {...bindQuery("organization")}
            options={optionsOf(organizations, "All organizations")}
          />
        )}
        <TextField type="date" label="From (UTC)" {...bindQuery("from")} />
        <TextField type="date" label="To (UTC)" {...bindQuery("to")} />
      </div>
      <LoadedList of={log} empty={<p class="soft">No matching entries.</p>}>
        {({ items }) => (
          <Table
            label="Audit log entries"
            grows
            rows={items}
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
                  <span class="row">
                    <span class="anywhere">{actorWords(actor)}</span>
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
                title: "Chatbot",
                isExtra: true,
                sort: objectWords,
                cell: (entry) => {
                  const address = addressOfObject(entry)
                  const words = objectWords(entry)
                  if (words === "") return null
                  return address === undefined ? (
                    <bdi>{words}</bdi>
                  ) : (
                    <a href={address} dir="auto">
                      {words}
                    </a>
                  )
                },
              },
              {
                title: "Changes",
                isExtra: true,
                cell: changesIn,
              },
            ]}
          />
        )}
      </LoadedList>
    </Page>
  )
}

export default AuditLog
