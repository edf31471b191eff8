import { expect, test } from "bun:test"
import { CONCEALED } from "../../../src/domain/audit/AuditChange.ts"
import { AuditAction } from "../../../src/domain/audit/AuditEntry.ts"
import {
  actionWords,
  actorWords,
  addressOfObject,
  auditActions,
  auditQuery,
  changesOf,
} from "../../../src/web/console/screens/system/AuditLog.tsx"
import { addressOf } from "../../../src/web/console/server/Root.ts"

test("every action of the audit log has words of its own", () => {
  expect(Object.keys(auditActions).toSorted()).toEqual([...AuditAction.literals].toSorted())
  expect(new Set(Object.values(auditActions)).size).toBe(AuditAction.literals.length)
  expect(actionWords("future.action")).toBe("future.action")
})

test("filters of the audit log include the whole of the last day, and leave out what is empty or unknown", () => {
  expect(addressOf("/log", {}, auditQuery(new URLSearchParams()))).toBe("/log")
  expect(auditQuery(new URLSearchParams("action=x&organization=o1&from=2026-11-30&to=2026-11-30"))).toEqual({
    organization_id: "o1",
    action: undefined,
    from: "2026-11-30T00:00:00Z",
    to: "2026-12-01T00:00:00Z",
  })
  expect(auditQuery(new URLSearchParams("action=api_key.created")).action).toBe("api_key.created")
})

test("changes and actors are told in words", () => {
  expect(
    changesOf(
      { name: "A", gone: 1, prompt: CONCEALED },
      {
        name: "B",
        added: { tokens_per_day: 5, x: null },
        scopes: ["chat", "admin"],
        budget: null,
        prompt: CONCEALED,
      },
    ),
  ).toEqual([
    { name: "name", before: "A", after: "B" },
    { name: "gone", before: "1", after: "none" },
    { name: "prompt", before: undefined, after: "changed" },
    { name: "added, tokens per day", before: undefined, after: "5" },
    { name: "scopes", before: undefined, after: "chat, admin" },
  ])
  expect(
    changesOf(
      { settings: { isToolEnabled: true }, list: [], budget: { tokens_per_day: 5 } },
      { settings: { isToolEnabled: false }, list: [CONCEALED], budget: null },
    ),
  ).toEqual([
    { name: "settings, is tool enabled", before: "yes", after: "no" },
    { name: "list", before: "none", after: "(not shown)" },
    { name: "budget, tokens per day", before: "5", after: "none" },
  ])
  expect(changesOf(null, null)).toEqual([])
  const key = { name: "Back office", hint: "prl_…" }
  expect(
    (["api_key", "operator", "command_line", "server"] as const).map((kind) => actorWords({ kind, ...key })),
  ).toEqual(["Back office", "Back office (operator)", "Command line", "Server"])
  expect(actorWords({ kind: "api_key", name: null, hint: null })).toBe("Unknown key")
})

test("an entry leads to its object, or to the chatbot that it was of, as long as that is there", () => {
  const of = (action: AuditAction, target: { readonly id: string | null; readonly chatbot_id: string | null }) =>
    addressOfObject({ action, target: target as Parameters<typeof addressOfObject>[0]["target"] })
  expect(of("chatbot.updated", { id: "c1", chatbot_id: null })).toBe("/console/chatbots/c1")
  expect(of("chatbot.deleted", { id: "c1", chatbot_id: null })).toBeUndefined()
  expect(of("source.created", { id: "s1", chatbot_id: "c1" })).toBe("/console/chatbots/c1/knowledge")
  expect(of("conversation.handed_over", { id: "v1", chatbot_id: "c1" })).toBe("/console/conversations/c1/v1")
  expect(of("conversation.deleted", { id: "v1", chatbot_id: "c1" })).toBe("/console/conversations?chatbot=c1")
  expect(of("api_key.created", { id: "k1", chatbot_id: null })).toBeUndefined()
})
