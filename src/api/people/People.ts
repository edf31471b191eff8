import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { optionalId, ChatbotId, OrganizationId, PersonId } from "../../domain/Ids.ts"
import { PersonName } from "../../domain/inbox/PersonName.ts"
import { Invitation, Person, PersonInput, PersonPatch, PersonSession } from "../../domain/people/Person.ts"
import { textBetween } from "../../domain/schema/Text.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { Problem } from "../failures/Problem.ts"
import { described } from "../parts/Annotations.ts"
import { ChangePayload } from "../parts/ChangePayload.ts"
import { IfMatch, withEtag } from "../parts/Etag.ts"
import { cursorQuery, nextCursor, withLink } from "../parts/Paging.ts"
import { ofSession } from "./SignIn.ts"

const peoplePath = "/api/admin/people"
const personPath = `${peoplePath}/:personId` as const
const ofPerson = { personId: PersonId }
const OnePerson = withEtag(Schema.Struct({ person: Person }))
const Invited = Schema.Struct({ person: Person, invitation: Invitation }).pipe(HttpApiSchema.status(201))

const invite = HttpApiEndpoint.post("invite", peoplePath, {
  payload: Schema.Struct({
    ...PersonInput.fields,
    organization_id: optionalId(OrganizationId, "Another organization than the caller's, for an operator."),
  }),
  success: Invited,
  error: Problem.NotFound,
})
  .middleware(Idempotent.inSystemTransaction)
  .middleware(RequestBody)
  .annotateMerge(
    described(
      "Invite a person",
      "Adds a person with roles. The first to open the link of the invitation, within a week, is this person: by a passkey, or by the provider that they choose. The caller gives nothing that it lacks, and only an owner makes owners; so does a key of the operator, and any key with the scopes of an administrator where there is no owner (403).",
    ),
  )

const inviteAgain = HttpApiEndpoint.post("inviteAgain", `${personPath}/invitation`, {
  params: ofPerson,
  success: Invited,
  error: Problem.NotFound,
})
  .middleware(Idempotent.inSystemTransaction)
  .annotateMerge(
    described(
      "Make a new invitation for a person",
      "The earlier link is good no more. Of a person who has signed in before, it adds another passkey, such as for a lost one. Only an owner invites an owner again (403).",
    ),
  )

const list = HttpApiEndpoint.get("list", peoplePath, {
  query: {
    organization_id: optionalId(OrganizationId, "Another organization than the caller's, for an operator."),
    search: Schema.optionalKey(
      textBetween(1, 200).annotate({
        description: "A text that the name or the e-mail address contains; in upper or lower case alike.",
      }),
    ),
    removed: Schema.optionalKey(Schema.Literals(["true", "false"])).annotate({
      description: "`true`: people who were removed. `false`: the others. Absent: all.",
    }),
    ...cursorQuery,
  },
  success: withLink(Schema.Struct({ people: Schema.Array(Person), ...nextCursor })),
  error: Problem.NotFound,
}).annotateMerge(described("List people", "Of the caller's organization, by name."))

const get = HttpApiEndpoint.get("get", personPath, {
  params: ofPerson,
  success: OnePerson,
  error: Problem.NotFound,
}).annotateMerge(described("Get a person", "With their roles."))

const update = HttpApiEndpoint.patch("update", personPath, {
  params: ofPerson,
  headers: IfMatch,
  payload: ChangePayload(PersonPatch),
  success: OnePerson,
  error: [Problem.NotFound, Problem.Conflict, Problem.PreconditionFailed],
})
  .middleware(Idempotent.inSystemTransaction)
  .middleware(RequestBody)
  .annotateMerge(
    described(
      "Change a person",
      "Absent fields stay; `roles` are replaced as a whole, and every server keeps to them within a second. Only an owner changes an owner (403). 409 for the last owner's role.",
    ),
  )

const remove = HttpApiEndpoint.delete("remove", personPath, {
  params: ofPerson,
  success: Schema.Struct({ message: Schema.Literal("Person removed successfully") }),
  error: [Problem.NotFound, Problem.Conflict],
}).annotateMerge(
  described(
    "Remove a person",
    "They are signed out everywhere within a second and may not sign in any more. Their conversations wait for somebody else. What they did keeps their name. 409 for the last owner.",
  ),
)

const sessions = HttpApiEndpoint.get("sessions", `${personPath}/sessions`, {
  params: ofPerson,
  success: Schema.Struct({ sessions: Schema.Array(PersonSession) }),
  error: Problem.NotFound,
}).annotateMerge(described("List the sessions of a person", "The latest use first."))

const endSession = HttpApiEndpoint.delete("endSession", `${personPath}/sessions/:sessionId`, {
  params: { ...ofPerson, ...ofSession },
  success: Schema.Struct({ message: Schema.Literal("Session ended successfully") }),
  error: Problem.NotFound,
}).annotateMerge(described("End a session of a person", "Within a second, on every server."))

/** The endpoints by which administrators manage people. */
export class PeopleApi extends HttpApiGroup.make("people")
  .add(invite, inviteAgain, list, get, update, remove, sessions, endSession)
  .annotateEndpoints(RequiredScope, "admin")
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(OpenApi.annotations({ title: "People", description: "The people of an organization." }))
  .middleware(Authorization)
  .middleware(Problems) {}

const colleagues = HttpApiEndpoint.get("colleagues", "/api/external/people", {
  query: { chatbot_id: optionalId(ChatbotId, "People only who may answer in conversations of this chatbot.") },
  success: Schema.Struct({ people: Schema.Array(PersonName) }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(described("List colleagues", "Those to whom conversations may be assigned, by name."))

/** The endpoint that names the people of an organization to each other. */
export class ColleaguesApi extends HttpApiGroup.make("colleagues")
  .add(colleagues)
  .annotateMerge(OpenApi.annotations({ title: "Colleagues", description: "The people of an organization by name." }))
  .middleware(Authorization)
  .middleware(Problems) {}
