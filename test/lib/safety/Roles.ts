import type { Scope } from "../../../src/domain/keys/ApiKey.ts"
import { ChatbotId } from "../../../src/domain/Ids.ts"
import { type PersonRole, Role, scopesOfRole } from "../../../src/domain/people/Role.ts"
import type { Reply } from "../Client.ts"
import { newPerson, type PersonBrowser } from "../People.ts"
import type { Operation } from "./ApiDocument.ts"
import { type Belongings, checksums, type Kind, nothing } from "./Belongings.ts"
import { answersBoundKeys, beginningOf, changedTables, type MatrixReport, operatorOnly, untilIdle } from "./Matrix.ts"
import { placesOf } from "./Places.ts"
import { validRequest } from "./ValidRequests.ts"
import type { World } from "./World.ts"

/*
 * The matrix of roles: every operation of the API, by people with every role in an organization and for one of its
 * chatbots, with the names of that chatbot and of another one. What is expected follows from the scope that the
 * operation declares and from what the roles give, so that an operation which is added is in it by itself.
 */

/** A person of the matrix. */
interface Colleague {
  readonly name: string
  readonly roles: ReadonlyArray<PersonRole>
  readonly browser: PersonBrowser
}

/** The people whose requests are made: each role in the organization, and each for one chatbot, or two for two. */
export type Team = ReadonlyArray<Colleague>

/** Makes the people, each signed in. */
export const makeTeam = async ({ attacker: { client, own }, sibling }: World): Promise<Team> => {
  const [here, elsewhere] = [ChatbotId.make(own.chatbot), ChatbotId.make(sibling.chatbot)]
  const ofChatbots = Role.literals.filter((role) => !scopesOfRole[role].includes("admin"))
  const sets: ReadonlyArray<readonly [name: string, roles: ReadonlyArray<PersonRole>]> = [
    ...Role.literals.map((role) => [role, [{ role, chatbot_id: null }]] as const),
    ...ofChatbots.map((role) => [`${role} of a chatbot`, [{ role, chatbot_id: here }]] as const),
    [
      "viewer, and editor of a chatbot",
      [
        { role: "viewer", chatbot_id: null },
        { role: "editor", chatbot_id: here },
      ],
    ],
    [
      "agent of a chatbot, and editor of another",
      [
        { role: "agent", chatbot_id: here },
        { role: "editor", chatbot_id: elsewhere },
      ],
    ],
  ]
  const team: Array<Colleague> = []
  for (const [name, roles] of sets) team.push({ name, roles, browser: (await newPerson(client, roles, name)).browser })
  return team
}

/** Operations on a chatbot that make another one, which is up to those with a role in the organization. */
const makesAnother: ReadonlySet<string> = new Set(["POST /api/external/chatbot/{chatbotId}/duplicate"])

/** Operations that wait for other servers. One person is enough to see that they are let through. */
const asksOthers = ({ name }: Operation): boolean => /\/(?:preview|try)$/.test(name)

/** Operations that a person without a key cannot be asked to: they speak another dialect, which takes no cookie. */
const takesNoCookie = ({ path }: Operation): boolean => path.startsWith("/v1/") || path.startsWith("/mcp")

/** Whether an operation deletes what the requests of the matrix need: the chatbot or the organization itself. */
const endsIt = ({ method }: Operation, places: ReadonlyArray<{ readonly kinds: ReadonlyArray<Kind> }>): boolean =>
  method === "DELETE" &&
  places.every(({ kinds: [kind] }) => kind === "chatbot" || kind === "organization") &&
  places.length > 0

/** Whether roles have a scope for a chatbot; undefined stands for the organization. */
const have = (roles: ReadonlyArray<PersonRole>, scope: Scope, chatbot?: string): boolean =>
  roles.some(
    ({ chatbot_id, role }) => (chatbot_id === null || chatbot_id === chatbot) && scopesOfRole[role].includes(scope),
  )

/** Asks as a person, and leaves a stream that has no end after its first event. */
const ask = (
  { document, server }: World,
  { browser }: Colleague,
  operation: Operation,
  values: Readonly<Record<string, string>>,
): Promise<Reply> => {
  const { method, path, sent } = validRequest(document, operation, values)
  const client = server.client.withKey(undefined)
  const headers = { ...sent.headers, ...browser.headers }
  return operation.name === "GET /api/external/events"
    ? beginningOf(client, path, headers)
    : client.send(method, path, { ...sent, headers })
}

/** Checks one operation with all people, for one chatbot and for another. */
export const checkRoles = async (world: World, team: Team, operation: Operation): Promise<MatrixReport> => {
  const { attacker, document, server, sibling } = world
  const places = placesOf(document, operation).flatMap(({ kinds, name }) =>
    kinds === "chosen" ? [] : [{ kinds, name }],
  )
  const isOfChatbot = places.some(({ kinds }) => kinds.includes("chatbot"))
  const failures: Array<string> = []
  let cells = 0
  const named = (belongings: Belongings) =>
    Object.fromEntries(places.map(({ kinds: [kind], name }) => [name, kind === undefined ? "" : belongings[kind]]))

  const isAllowed = ({ roles }: Colleague, chatbot: string): boolean => {
    if (operation.scope === "operator" || operatorOnly.has(operation.name)) return false
    const isOurs = roles.some(({ chatbot_id }) => chatbot_id === null || chatbot_id === chatbot)
    if (operation.scope === undefined) return !isOfChatbot || isOurs
    if (isOfChatbot && !makesAnother.has(operation.name))
      return [operation.scope, ...operation.alsoRequires].every((scope) => have(roles, scope, chatbot))
    const some =
      !isOfChatbot &&
      roles.some(({ role }) => operation.scope !== undefined && scopesOfRole[role].includes(operation.scope))
    return have(roles, operation.scope) || (some && answersBoundKeys.has(operation.name))
  }

  const all = (
    [
      ["this chatbot", attacker.own],
      ["another chatbot", sibling],
    ] as const
  ).flatMap(([where, belongings]) =>
    team.map((person) => ({ where, belongings, person, isAllowed: isAllowed(person, belongings.chatbot) })),
  )

  /** Asks as one person, and looks at the answer. */
  const check = async ({ belongings, isAllowed, person, where }: (typeof all)[number]) => {
    const cell = `${operation.name} by ${person.name}, ${where}`
    cells++
    // What may be done is asked for things that are not there, so that the next one finds the same.
    const { chatbot, organization, slug } = belongings
    const harmless = { ...nothing(), chatbot, organization, slug }
    if (isAllowed && endsIt(operation, places)) return
    if (isAllowed && asksOthers(operation) && person !== team[0]) return
    const { status, text } = await ask(world, person, operation, named(isAllowed ? harmless : belongings))
    const isRefused = status === 401 || status === 403
    const isWrong = takesNoCookie(operation) ? status !== 401 : isAllowed ? isRefused || status >= 500 : status !== 403
    if (isWrong) failures.push(`${cell}: ${status}, and they may${isAllowed ? "" : " not"}: ${text.slice(0, 200)}`)
    if (status === 403 && text.includes("API key")) failures.push(`${cell}: people are told of a key: ${text}`)
    // A refusal may repeat what was asked for.
    if (where === "another chatbot" || person.roles.some(({ chatbot_id }) => chatbot_id !== attacker.own.chatbot))
      return
    for (const secret of Object.values({ ...sibling, organization: sibling.chatbot })) {
      if (text.includes(secret)) failures.push(`${cell}: the answer holds ${secret}`)
    }
  }

  await untilIdle(server)
  const sums = async () => [[], await checksums(server, attacker.organization)]
  const before = await sums()
  for (const cell of all) if (!cell.isAllowed) await check(cell)
  const changed = changedTables(before, await sums())
  if (changed !== "") failures.push(`${operation.name} by people who may not: rows changed: ${changed}`)
  for (const cell of all) if (cell.isAllowed) await check(cell)
  return { cells, failures }
}
