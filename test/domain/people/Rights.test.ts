import { expect, test } from "bun:test"
import { allScopes, type Scope } from "../../../src/domain/keys/ApiKey.ts"
import { noBudget } from "../../../src/domain/organizations/Budget.ts"
import { Caller } from "../../../src/domain/Caller.ts"
import { ApiKeyId, ChatbotId, OrganizationId } from "../../../src/domain/Ids.ts"
import { rightsFor, scopesOf } from "../../../src/domain/people/Rights.ts"
import { type PersonRole, Role, scopesOfRole } from "../../../src/domain/people/Role.ts"

const [a, b, c] = ["a", "b", "c"].map((letter) => ChatbotId.make(`00000000-0000-7000-8000-00000000000${letter}`))

/** A person with these roles, as the lookup of the session makes it. */
const personWith = (roles: ReadonlyArray<PersonRole>) =>
  Caller.of({
    apiKeyId: ApiKeyId.make("00000000-0000-7000-8000-000000000001"),
    organizationId: OrganizationId.make("00000000-0000-7000-8000-000000000002"),
    scopes: scopesOf(roles, null),
    chatbots: null,
    expiresAt: null,
    session: { id: "00000000-0000-7000-8000-000000000003", roles, version: "1" },
    budgets: { organization: noBudget, key: noBudget },
  })

/** Whether the person may do what needs the scope with the chatbot: what the roles say, without any request. */
const mayDo = (roles: ReadonlyArray<PersonRole>, scope: Scope, chatbot: ChatbotId): boolean =>
  roles.some(({ chatbot_id, role }) => (chatbot_id ?? chatbot) === chatbot && scopesOfRole[role].includes(scope))

const places = [null, a ?? null, b ?? null]
const someRoles: ReadonlyArray<PersonRole> = Role.literals.flatMap((role) =>
  places.flatMap((chatbot_id) =>
    chatbot_id !== null && (role === "owner" || role === "admin") ? [] : [{ role, chatbot_id }],
  ),
)
/** Every pair of roles, and every role alone. */
const combinations = someRoles.flatMap((one) => someRoles.map((other) => [one, other]))

test("in a request for a chatbot, a person may do what the roles of that chatbot and of the organization allow", () => {
  for (const roles of combinations) {
    for (const chatbot of [a, b, c]) {
      if (chatbot === undefined) throw new Error("There is a chatbot.")
      for (const scope of allScopes) {
        const { chatbots, scopes } = rightsFor(personWith(roles), scope, chatbot)
        const reaches = chatbots === null || chatbots.includes(chatbot)
        expect(reaches && scopes.includes(scope)).toBe(mayDo(roles, scope, chatbot))
      }
    }
  }
})

test("in any request, no scope is held for a chatbot within reach that the roles do not give", () => {
  for (const roles of combinations) {
    for (const required of [undefined, ...allScopes]) {
      for (const named of [undefined, a, c]) {
        const { chatbots, scopes } = rightsFor(personWith(roles), required, named)
        const wrong = [a, b, c].flatMap((chatbot) =>
          chatbot === undefined || (chatbots !== null && !chatbots.includes(chatbot))
            ? []
            : scopes.filter((scope) => !mayDo(roles, scope, chatbot)),
        )
        expect(wrong).toEqual([])
      }
    }
  }
})

test("a request without a chatbot reaches all chatbots for which the person may do it", () => {
  for (const roles of combinations) {
    for (const scope of allScopes) {
      const { chatbots, scopes } = rightsFor(personWith(roles), scope, undefined)
      for (const chatbot of [a, b]) {
        if (chatbot === undefined) throw new Error("There is a chatbot.")
        const reaches = scopes.includes(scope) && (chatbots === null || chatbots.includes(chatbot))
        expect(reaches).toBe(mayDo(roles, scope, chatbot))
      }
    }
  }
})
