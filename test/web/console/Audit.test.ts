import { expect, test } from "bun:test"
import { AuditAction } from "../../../src/domain/audit/AuditEntry.ts"
import {
  actionWords,
  actorWords,
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
    changesOf({ name: "A", gone: 1 }, { name: "B", added: { x: null }, scopes: ["chat", "admin"], budget: null }),
  ).toEqual(["name: A → B", "gone: 1 →", 'added: {"x":null}', "scopes: chat, admin"])
  expect(changesOf(null, null)).toEqual([])
  const key = { name: "Back office", hint: "prl_…" }
  expect(
    (["api_key", "operator", "command_line", "server"] as const).map((kind) => actorWords({ kind, ...key })),
  ).toEqual(["Back office", "Back office (operator)", "Command line", "Server"])
  expect(actorWords({ kind: "api_key", name: null, hint: null })).toBe("Unknown key")
})
