import { Effect, Layer } from "effect"
import { Person, PersonPatch } from "../../domain/people/Person.ts"
import { People } from "../../services/people/People.ts"
import { changes } from "../Changes.ts"
import { withEtag } from "../Etag.ts"
import { pageIn, rangeOf } from "../Listing.ts"
import { group } from "../Group.ts"

const personChange = changes(Person, PersonPatch, ["roles"])

const people = group("people", function* (handlers) {
  const people = yield* People

  return handlers.handleAll({
    invite: ({ payload: { organization_id, ...input } }) => people.invite(input, organization_id),
    inviteAgain: ({ params }) => people.inviteAgain(params.personId),
    list: ({ query, request }) => {
      const { organization_id, removed, search } = query
      const isRemoved = removed === undefined ? undefined : removed === "true"
      return Effect.map(
        people.list(organization_id, { search, isRemoved }, rangeOf(query)),
        pageIn(request.url, query, (found) => ({ people: found })),
      )
    },
    get: ({ params }) => Effect.map(people.get(params.personId), (found) => withEtag({ person: found.person }, found)),
    update: ({ headers, params, payload }) =>
      Effect.map(people.update(params.personId, personChange(payload), headers["if-match"]), (found) =>
        withEtag({ person: found.person }, found),
      ),
    remove: ({ params }) =>
      Effect.as(people.remove(params.personId), { message: "Person removed successfully" as const }),
    sessions: ({ params }) => Effect.bindTo(people.sessions(params.personId), "sessions"),
    endSession: ({ params }) =>
      Effect.as(people.endSession(params.personId, params.sessionId), {
        message: "Session ended successfully" as const,
      }),
  })
})

const colleagues = group("colleagues", function* (handlers) {
  const people = yield* People

  return handlers.handleAll({
    colleagues: ({ query }) => Effect.bindTo(people.colleagues(query.chatbot_id), "people"),
  })
})

export const layer = Layer.merge(people, colleagues)
