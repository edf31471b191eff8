/** A mistake that somebody could make in the source, and that the tests have to notice. */
export interface PlantedFault {
  readonly area:
    | "authorization"
    | "tenancy"
    | "leases"
    | "limits"
    | "idempotency"
    | "secrets"
    | "sign-in"
    | "handover"
    | "voice"
  /** What a user or an operator would suffer from it. */
  readonly what: string
  /** The path of the file in the checkout. */
  readonly file: string
  /** A text that the file contains once, and what takes its place. */
  readonly text: string
  readonly replacement: string
  /** The test files, without `test/` and `.test.ts`, that should notice it. */
  readonly tests: ReadonlyArray<string>
}

const authorization: ReadonlyArray<Omit<PlantedFault, "area">> = [
  {
    what: "a key may do what its scopes do not say",
    file: "src/http/access/Authorization.ts",
    text: "const has = (needed: Scope) => caller.scopes.includes(needed)",
    replacement: 'const has = (needed: Scope) => needed !== "admin" || caller.scopes.includes(needed)',
    tests: ["http/edge/Edge", "http/Admin"],
  },
  {
    what: "a key may see what its scopes do not say",
    file: "src/http/access/Authorization.ts",
    text: "? Context.get(endpoint.annotations, AlsoRequires).find((needed) => !has(needed))",
    replacement: "? Context.get(endpoint.annotations, AlsoRequires).find(() => false)",
    tests: ["http/Contents.deep"],
  },
  {
    what: "a key that is bound to a chatbot reaches another one by its path",
    file: "src/http/access/Authorization.ts",
    text: "isServed || (named === undefined && isWithinBounds()) ?",
    replacement: "named !== undefined || isWithinBounds() ?",
    tests: ["http/edge/Edge", "http/Admin"],
  },
  {
    what: "a key that is bound to a chatbot may administer",
    file: "src/http/access/Authorization.ts",
    text: "(named === undefined && isWithinBounds())",
    replacement: "named === undefined",
    tests: ["http/edge/Edge", "http/Admin"],
  },
  {
    what: "a key that is bound to a chatbot reaches another one by a body, a form or a query",
    file: "src/domain/Caller.ts",
    text: "isWithin(caller.chatbots, chatbotId) ? Effect.void",
    replacement: 'chatbotId !== "" || isWithin(caller.chatbots, chatbotId) ? Effect.void',
    tests: ["http/edge/Edge", "http/OpenAi"],
  },
  {
    what: "a bound key sees the tools of another chatbot over MCP",
    file: "src/http/mcp/Mcp.ts",
    text: "yield* Effect.provideService(ensureServes(served), Caller, caller)",
    replacement: "yield* Effect.ignore(Effect.provideService(ensureServes(served), Caller, caller))",
    tests: ["http/mcp/Mcp"],
  },
  {
    what: "a revoked key goes on",
    file: "src/storage/keys/ApiKeys.ts",
    text: "k.revoked_at is null and (k.expires_at is null",
    replacement: "(k.expires_at is null",
    tests: ["storage/keys/ApiKeys", "http/Admin"],
  },
  {
    what: "an expired key goes on",
    file: "src/storage/keys/ApiKeys.ts",
    text: "(k.expires_at is null or k.expires_at > now())",
    replacement: "(k.expires_at is null or k.expires_at < 'infinity')",
    tests: ["storage/keys/ApiKeys", "services/keys/ApiKeys", "http/Admin"],
  },
  {
    what: "the keys of a deleted organization go on until its data are gone",
    file: "src/storage/keys/ApiKeys.ts",
    text: "join organizations o on o.id = k.organization_id and o.deleted_at is null",
    replacement: "join organizations o on o.id = k.organization_id",
    tests: ["storage/keys/ApiKeys", "jobs/OrganizationRemoval"],
  },
  {
    what: "a revocation takes effect after a minute and a half",
    file: "src/services/keys/RecentLookups.ts",
    text: "const timeToLive = yield* LookupMillis",
    replacement: "const timeToLive = 100 * (yield* LookupMillis)",
    tests: ["services/keys/ApiKeys", "http/Admin"],
  },
  {
    what: "a key gives a new key scopes that it lacks",
    file: "src/domain/keys/Delegation.ts",
    text: "made.scopes.filter((scope) => !maker.scopes.includes(scope))",
    replacement: "made.scopes.filter(() => maker.scopes.length === 0)",
    tests: ["services/keys/ApiKeys", "http/Admin"],
  },
  {
    what: "every admin key reaches all organizations, as the operator's do",
    file: "src/domain/Caller.ts",
    text: 'scopes.includes("operator")',
    replacement: 'scopes.includes("admin")',
    tests: ["http/Admin", "http/Delegation"],
  },
  {
    what: "a key gives a new key a later expiry than its own",
    file: "src/domain/keys/Delegation.ts",
    text: "made.expiresAt > maker.expiresAt",
    replacement: "made.expiresAt < maker.expiresAt",
    tests: ["http/Delegation"],
  },
  {
    what: "a key that may not read conversations is shown the prompt in the steps of a reply",
    file: "src/services/conversations/ChatAnswer.ts",
    text: "steps: reply.steps.map(showStep)",
    replacement: "steps: reply.steps",
    tests: ["http/VisitorPrivacy"],
  },
  {
    what: "a visitor is told what the model's provider says",
    file: "src/services/conversations/Chat.ts",
    text: "explainsFailures: isReader && request.visitor === undefined && request.spoken === undefined",
    replacement: "explainsFailures: true",
    tests: ["http/ModelFailures"],
  },
  {
    what: "a short session token continues what another key opened",
    file: "src/domain/chat/SessionToken.ts",
    text: 'scope: readsConversations(caller) ? "unclaimed" : "own"',
    replacement: 'scope: "any"',
    tests: ["http/VisitorPrivacy", "services/conversations/SessionTokens"],
  },
  {
    what: "an organization makes keys of another one",
    file: "src/services/Reach.ts",
    text: "const found = isOperator(caller) ? yield* find(requested) : undefined",
    replacement: "const found = yield* find(requested)",
    tests: ["http/Admin"],
  },
  {
    what: "an organization revokes the keys of another one",
    file: "src/storage/keys/ApiKeys.ts",
    text: "sql`id = ${id} and kind <> 'person' ${organization === undefined ? sql`` : sql`and organization_id = ${organization}`}`",
    replacement: "sql`id = ${id} and kind <> 'person' ${organization === undefined ? sql`` : sql``}`",
    tests: ["http/Admin", "storage/keys/ApiKeys"],
  },
]

const tenancy: ReadonlyArray<Omit<PlantedFault, "area">> = [
  {
    what: "statements of tenants run as the owner of the tables, past row-level security",
    file: "src/storage/sql/TenantConnections.ts",
    text: "const role = organization === SYSTEM ? SYSTEM_ROLE : TENANT_ROLE",
    replacement: "const role = organization === TENANT_ROLE ? TENANT_ROLE : SYSTEM_ROLE",
    tests: ["storage/sql/Database", "storage/sql/RowLevelSecurity"],
  },
  {
    what: "a connection keeps the organization of the request before",
    file: "src/storage/sql/TenantConnections.ts",
    text: "if (session.identity === organization && session.isLimited === isLimited) return Effect.void",
    replacement: "if (session.identity !== undefined && session.isLimited === isLimited) return Effect.void",
    tests: ["storage/sql/Database", "storage/sql/TenantConnections"],
  },
  {
    what: "a chatbot is found by its id alone, so that row-level security has to hold alone",
    file: "src/storage/chatbots/Chatbots.ts",
    text: "select ${columns} from chatbots where id = ${id} and organization_id = ${yield* CurrentOrganization}`)",
    replacement: "select ${columns} from chatbots where id = ${id} and ${yield* CurrentOrganization}::text <> ''`)",
    tests: ["storage/sql/Isolation.deep"],
  },
  {
    what: "the documents of other organizations are listed where row-level security is off",
    file: "src/storage/documents/Documents.ts",
    text: "const matching = sql`chatbot_id = ${chatbot} and organization_id = ${organization}",
    replacement: "const matching = sql`chatbot_id = ${chatbot} and ${organization}::text <> ''",
    tests: ["storage/sql/Isolation.deep"],
  },
  {
    what: "a conversation of another chatbot is read by its id",
    file: "src/storage/conversations/Messages.ts",
    text: "where chatbot_id = ${chatbot} and organization_id = ${organization}\n        and (session_token",
    replacement: "where ${chatbot}::text <> '' and organization_id = ${organization}\n        and (session_token",
    tests: ["storage/conversations/Conversations", "http/Isolation.deep"],
  },
  {
    what: "a visitor of the chat widget continues and rates what another visitor said",
    file: "src/storage/conversations/Messages.ts",
    text: "s.visitor = ${name.visitor} and",
    replacement: "${name.visitor}::text <> '' and",
    tests: ["http/widget/Talk"],
  },
  {
    what: "a visitor of the chat widget reads what another visitor said",
    file: "src/storage/widget/VisitorConversations.ts",
    text: "and s.visitor = ${visitor}`",
    replacement: "and ${visitor}::text <> ''`",
    tests: ["http/widget/Talk"],
  },
  {
    what: "a document of another chatbot is read by its id",
    file: "src/storage/documents/Documents.ts",
    text: "where id = ${id} and chatbot_id = ${chatbot} and organization_id = ${yield* CurrentOrganization}`),\n",
    replacement: "where id = ${id} and ${chatbot}::text <> '' and organization_id = ${yield* CurrentOrganization}`),\n",
    tests: ["storage/documents/Documents", "http/Isolation.deep"],
  },
  {
    what: "a tool of another chatbot is read by its id",
    file: "src/storage/tools/ChatbotTools.ts",
    text: "where id = ${id} and chatbot_id = ${chatbot} and organization_id = ${yield* CurrentOrganization}`)\n",
    replacement: "where id = ${id} and ${chatbot}::text <> '' and organization_id = ${yield* CurrentOrganization}`)\n",
    tests: ["http/ChatbotTools", "http/Isolation.deep"],
  },
  {
    what: "the passages of another chatbot answer a search",
    file: "src/storage/search/FetchedChunks.ts",
    text: "on c.id = any(${chunks}::uuid[]) and c.chatbot_id = b.id and c.organization_id = b.organization_id",
    replacement: "on c.id = any(${chunks}::uuid[])",
    tests: ["storage/sql/Isolation.deep", "storage/search/Chunks"],
  },
]

const leases: ReadonlyArray<Omit<PlantedFault, "area">> = [
  {
    what: "a worker whose lease has passed to another still writes",
    file: "src/storage/sql/LeaseQueue.ts",
    text: "and lease_id = ${attempt.lease_id} and organization_id = ${organization}`",
    replacement: "and lease_id is not null and organization_id = ${organization}`",
    tests: ["storage/documents/Ingestions", "jobs/Worker"],
  },
  {
    what: "two workers do the same job",
    file: "src/storage/sql/LeaseQueue.ts",
    text: "where q.run_at <= now() ${and === undefined",
    replacement: "where q.run_at is not null ${and === undefined",
    tests: ["storage/documents/Ingestions", "jobs/Worker"],
  },
  {
    what: "a lease is not renewed",
    file: "src/storage/sql/LeaseQueue.ts",
    text: "sql`update ${table} set run_at = ${after(duration)} where ${isLeased(attempt, organization)} returning ${key}`",
    replacement: "sql`update ${table} set run_at = run_at where ${isLeased(attempt, organization)} returning ${key}`",
    tests: ["storage/documents/Ingestions", "jobs/Worker"],
  },
  {
    what: "the results of an attempt without a lease are written",
    file: "src/storage/sql/LeaseQueue.ts",
    text: "if (rows.length > 0) yield* write\n",
    replacement: "yield* write\n",
    tests: ["storage/documents/Ingestions", "jobs/Worker"],
  },
  {
    what: "a job that kills its process is tried for ever",
    file: "src/storage/sql/LeaseQueue.ts",
    text: "lapses = lapses + (lease_id is not null)::int",
    replacement: "lapses = lapses + (lease_id is null and lapses < 0)::int",
    tests: ["storage/sql/LeaseQueue", "jobs/Worker"],
  },
  {
    what: "one organization's jobs keep those of all others waiting",
    file: "src/storage/sql/LeaseQueue.ts",
    text: "order by q.turn, q.created_at limit 1 for update skip locked",
    replacement: "order by q.created_at limit 1 for update skip locked",
    tests: ["storage/documents/Ingestions", "jobs/Worker"],
  },
  {
    what: "a server that stops keeps its jobs until their leases end",
    file: "src/jobs/Worker.ts",
    text: "Effect.onInterrupt(() => giveBack(job)),",
    replacement: "Effect.onInterrupt(() => Effect.void),",
    tests: ["jobs/Worker"],
  },
]

const limits: ReadonlyArray<Omit<PlantedFault, "area">> = [
  {
    what: "the budget of a key holds only where its organization has one, too",
    file: "src/admission/Budgets.ts",
    text: "if (isUnlimited(organization) && isUnlimited(key)) return chat",
    replacement: "if (isUnlimited(organization) || isUnlimited(key)) return chat",
    tests: ["admission/Budgets"],
  },
  {
    what: "a chat that has ended keeps its place among the concurrent ones",
    file: "src/admission/Budgets.ts",
    text: "(reservation) => Effect.ignore(storage.release(reservation)),",
    replacement: "(reservation) => Effect.asVoid(Effect.succeed(reservation)),",
    tests: ["admission/Budgets"],
  },
  {
    what: "chats that run at once spend more tokens than the budget has",
    file: "src/admission/Budgets.ts",
    text: "const tokens = tokensAtMost(texts()) + more + settings.outputMax",
    replacement: "const tokens = texts().length === -1 ? settings.outputMax : 0",
    tests: ["admission/Budgets"],
  },
  {
    what: "a file of any size is received",
    file: "src/http/ReceivedForms.ts",
    text: "return size > limits.fileSize ? Effect.fail(tooLarge) : Effect.void",
    replacement: "return size > limits.fileSize * 1_000 ? Effect.fail(tooLarge) : Effect.void",
    tests: ["http/edge/Limits"],
  },
  {
    what: "JSON of any depth is decoded",
    file: "src/http/edge/RequestBody.ts",
    text: "if (deepest > DEPTH_MAX) {",
    replacement: "if (deepest > DEPTH_MAX * 1_000) {",
    tests: ["http/edge/Edge"],
  },
  {
    what: "a chatbot has as many tools as somebody likes",
    file: "src/storage/tools/ChatbotTools.ts",
    text: "if (tool_count > limit) {",
    replacement: "if (tool_count > limit + 1_000) {",
    tests: ["http/ChatbotTools"],
  },
  {
    what: "an answer of a tool is read to its end",
    file: "src/outbound/PageRequest.ts",
    text: "if (size <= bytesMax) return",
    replacement: "if (size <= bytesMax * 1e6) return",
    tests: ["outbound/SafeFetch"],
  },
]

const rates: ReadonlyArray<Omit<PlantedFault, "area">> = [
  {
    what: "a key gets twice its rate, since half of the window is forgotten",
    file: "src/admission/RateCounter.ts",
    text: "export const COUNTED_SLOTS = WINDOW_SLOTS + 1",
    replacement: "export const COUNTED_SLOTS = WINDOW_SLOTS / 2",
    tests: ["admission/RateLimiter"],
  },
  {
    what: "the rate of an organization is not limited, only that of each of its keys",
    file: "src/admission/SharedLimits.ts",
    text: "key.refusal(cost) ?? organization.refusal(cost)",
    replacement: "key.refusal(cost)",
    tests: ["admission/RateLimiter"],
  },
  {
    what: "each of several servers grants all of a limit",
    file: "src/admission/SharedLimits.ts",
    text: "excess <= 0",
    replacement: "excess <= 1e9",
    tests: ["admission/RateLimiter"],
  },
  {
    what: "guessing keys costs no more than asking without one",
    file: "src/admission/RateLimiter.ts",
    text: "const REFUSED_COST = 10",
    replacement: "const REFUSED_COST = 1",
    tests: ["http/edge/RateLimits"],
  },
  {
    what: "whoever has an IPv6 network guesses from each of its addresses",
    file: "src/admission/RateLimiter.ts",
    text: ".toByteArray().slice(0, 8)",
    replacement: ".toByteArray().slice(0, 16)",
    tests: ["admission/RateLimiter", "http/edge/RateLimits"],
  },
  {
    what: "a client chooses its address by a header that the proxy extends",
    file: "src/http/access/ClientAddresses.ts",
    text: "    .toReversed()\n",
    replacement: "",
    tests: ["http/access/ClientAddresses"],
  },
  {
    what: "an organization has as much work under way as it likes",
    file: "src/system/Places.ts",
    text: "if (this.taken < this.count) {",
    replacement: "if (this.taken >= 0) {",
    tests: ["admission/Shares", "http/Shares"],
  },
  {
    what: "work that has ended keeps its place in the share",
    file: "src/system/Places.ts",
    text: "Effect.onExit(restore(work), () => this.leave)",
    replacement: "Effect.onExit(restore(work), () => Effect.void)",
    tests: ["admission/Shares"],
  },
]

const idempotency: ReadonlyArray<Omit<PlantedFault, "area">> = [
  {
    what: "a request runs again while the first one with its key is running",
    file: "src/storage/IdempotencyKeys.ts",
    text: "where (k.status is not null or k.lease_until <= clock_timestamp())",
    replacement: "where (k.status is not null or k.lease_until is not null)",
    tests: ["storage/IdempotencyKeys", "services/Idempotency"],
  },
  {
    what: "another request takes the key over of one that was cut off",
    file: "src/storage/IdempotencyKeys.ts",
    text: "(k.status is null and k.fingerprint = excluded.fingerprint)",
    replacement: "k.status is null",
    tests: ["storage/IdempotencyKeys", "services/Idempotency"],
  },
  {
    what: "an attempt whose key has passed to another one stores its answer all the same",
    file: "src/storage/IdempotencyKeys.ts",
    text: "and lease_id = ${lease} and status is null`",
    replacement: "and ${lease}::text <> '' and status is null`",
    tests: ["storage/IdempotencyKeys", "services/Idempotency"],
  },
  {
    what: "another request with the same key gets the answer of the first",
    file: "src/services/Idempotency.ts",
    text: "if (!is_same) return yield* keyReuse",
    replacement: "if (!is_same && status === null) return yield* keyReuse",
    tests: ["http/once/Rules"],
  },
  {
    what: "requests with different bodies count as the same",
    file: "src/http/edge/Idempotency.ts",
    text: "        ...body,\n",
    replacement: "",
    tests: ["http/once/Rules"],
  },
  {
    what: "a failure that passes is replayed for a day",
    file: "src/http/edge/Idempotency.ts",
    text: "isFailure(found.success) && isKept(declarationOf(found.success).status)",
    replacement: "isFailure(found.success)",
    tests: ["http/once/Rules", "http/once/Endpoints.deep"],
  },
]

const secrets: ReadonlyArray<Omit<PlantedFault, "area">> = [
  {
    what: "the secret headers of a tool follow a redirect to another server",
    file: "src/outbound/SafeFetch.ts",
    text: "secrets: url.origin === request.url.origin ? request.secrets : {},",
    replacement: "secrets: request.secrets,",
    tests: ["outbound/SafeFetch"],
  },
  {
    what: "a tool calls a private address by a name",
    file: "src/outbound/SafeFetch.ts",
    text: "addresses.find(({ address }) => !mayCall(host, address, allowed))",
    replacement: "addresses.find(({ address }) => address === host && !mayCall(host, address, allowed))",
    tests: ["outbound/SafeFetch"],
  },
  {
    what: "a redirect carries the body of a request to another server",
    file: "src/outbound/SafeFetch.ts",
    text: "if (next.body !== undefined && next.url.origin !== request.url.origin)",
    replacement: "if (next.body !== undefined && next.url.protocol !== request.url.protocol)",
    tests: ["outbound/SafeFetch"],
  },
  {
    what: "whoever may change a tool has its stored secret sent to a server of theirs",
    file: "src/services/chatbots/ChatbotTools.ts",
    text: "if (originOf(url) !== originOf(row.url) && kept.length > 0) {",
    replacement: "if (originOf(url) === undefined && kept.length > 0) {",
    tests: ["http/ChatbotTools"],
  },
  {
    what: "the first API key is in the log of a container",
    file: "src/services/organizations/Bootstrap.ts",
    text: "if (isatty(STDOUT)) {\n    yield* Console.log(`Your API key",
    replacement: "if (isatty(STDOUT) || key !== undefined) {\n    yield* Console.log(`Your API key",
    tests: ["cli/CliProcess.deep"],
  },
]

const signIn: ReadonlyArray<Omit<PlantedFault, "area">> = [
  {
    what: "whoever signs an id token with any key signs in",
    file: "src/identity/OpenId.ts",
    text: "execute: [client.enableNonRepudiationChecks, ",
    replacement: "execute: [",
    tests: ["http/people/ForgedSignIn.deep"],
  },
  {
    what: "whoever takes the public key for a secret signs in",
    file: "src/identity/OpenId.ts",
    text: 'if (!isSignedBy(secret, tokens.id_token ?? ""))',
    replacement: 'if (!isSignedBy(secret, "") && tokens.id_token === undefined)',
    tests: ["http/people/ForgedSignIn.deep"],
  },
  {
    what: "the answer to one sign-in ends another",
    file: "src/identity/OpenId.ts",
    text: "expectedState: expected.state,",
    replacement: "expectedState: client.skipStateCheck,",
    tests: ["http/people/ForgedSignIn.deep"],
  },
  {
    what: "one provider answers for another",
    file: "src/services/people/ProviderSignIn.ts",
    text: "if (provider_id !== id)",
    replacement: 'if (provider_id === "")',
    tests: ["http/people/ForgedSignIn.deep"],
  },
  {
    what: "a sign-in leads to any page",
    file: "src/services/people/ProviderSignIn.ts",
    text: "return_to: resolved(return_to)",
    replacement: "return_to",
    tests: ["http/people/ForgedSignIn.deep"],
  },
  {
    what: "the answer to a sign-in counts again",
    file: "src/storage/people/SignIns.ts",
    text: "delete from sign_in_attempts where id_hash = ${hash} and kind = ${kind} and expires_at > now() returning data",
    replacement: "select data from sign_in_attempts where id_hash = ${hash} and kind = ${kind} and expires_at > now()",
    tests: ["http/people/ForgedSignIn.deep"],
  },
  {
    what: "the answer of a passkey for any page counts",
    file: "src/services/people/Passkeys.ts",
    text: "expectedOrigin: origin,",
    replacement: 'expectedOrigin: [origin, "https://evil.example"],',
    tests: ["http/people/SignIn"],
  },
  {
    what: "an invitation can be accepted again",
    file: "src/storage/people/SignIns.ts",
    text: "set state = 'active', invitation_hash = null, invitation_expires_at = null,",
    replacement: "set state = 'active',",
    tests: ["http/people/SignIn"],
  },
  {
    what: "a person ends the sessions of others",
    file: "src/storage/people/PersonSessions.ts",
    text: "where id = ${id} and person_id = ${person} ${returning}",
    replacement: "where id = ${id} and person_id <> ${id} ${returning}",
    tests: ["http/people/People"],
  },
  {
    what: "an administrator invites an owner again, and becomes the owner",
    file: "src/services/people/People.ts",
    text: "Effect.as(ensureMayGive(rolesOf(before), hasOwner), { invitationHash: hash }),",
    replacement: "Effect.as(ensureMayGive([], hasOwner), { invitationHash: hash }),",
    tests: ["http/people/People"],
  },
  {
    what: "a role for one chatbot is one for all",
    file: "src/domain/people/Rights.ts",
    text: "(chatbot_id === chatbot ? scopesOfRole[role] : [])",
    replacement: "(chatbot_id === chatbot || chatbot === null ? scopesOfRole[role] : [])",
    tests: ["domain/people/Rights", "http/people/People"],
  },
  {
    what: "a stream of events goes on after its person was removed or has other roles",
    file: "src/services/organizations/Events.ts",
    text: "if (!state.credentials.includes(one.credential)) one.end()",
    replacement: "if (one.caller.session === undefined && !state.credentials.includes(one.credential)) one.end()",
    tests: ["http/people/People"],
  },
  {
    what: "signing out removes the cookie alone",
    file: "src/services/people/ConsoleSessions.ts",
    text: "if (content?.session !== undefined) return yield* people.end(content.session)",
    replacement: "if (content?.session !== undefined) return undefined",
    tests: ["http/people/People"],
  },
  {
    what: "signing out of a key's session removes the cookie alone",
    file: "src/services/people/ConsoleSessions.ts",
    text: "if (content !== undefined) yield* signIns.begin(content.hash, SIGNED_OUT, {}, lifetime)",
    replacement: "",
    tests: ["http/console/ConsoleSession"],
  },
  {
    what: "everybody whom a provider knows is added",
    file: "src/storage/people/ProviderPeople.ts",
    text: "if (before === undefined && roles.length === 0)",
    replacement: "if (before === undefined && roles.length < 0)",
    tests: ["http/people/ProviderSignIn.deep"],
  },
  {
    what: "a person who was removed comes back by a provider",
    file: "src/storage/people/ProviderPeople.ts",
    text: 'before?.state === "removed"',
    replacement: 'before?.state === "invited"',
    tests: ["http/people/ProviderSignIn.deep"],
  },
  {
    what: "a person whom the provider knows no more stays",
    file: "src/jobs/SessionChecks.ts",
    text: "if (!mayBeTransient || session.is_overdue)",
    replacement: "if (mayBeTransient && session.is_overdue)",
    tests: ["http/people/ProviderSignIn.deep"],
  },
]

const handover: ReadonlyArray<Omit<PlantedFault, "area">> = [
  {
    what: "the chatbot answers in a conversation of people",
    file: "src/services/conversations/Chat.ts",
    text: 'if (owner === "people") return yield* leave',
    replacement: 'if (owner === "people" && request.messages.length > 1) return yield* leave',
    tests: ["http/inbox/Ownership"],
  },
  {
    what: "a reply that nobody has seen is stored over people who have taken over meanwhile",
    file: "src/storage/conversations/ConversationWrites.ts",
    text: "${isSeen}::boolean or owner = 'bot' as is_kept",
    replacement: "true as is_kept",
    tests: ["http/inbox/Ownership"],
  },
  {
    what: "the seen part of a reply comes after the people who have stopped it",
    file: "src/storage/conversations/ConversationWrites.ts",
    text: "case owner when 'bot' then ${sql.literal(MESSAGE_TIME)} else owner_since - interval '1 microsecond' end",
    replacement: "clock_timestamp()",
    tests: ["http/inbox/Ownership"],
  },
  {
    what: "a reply goes on when people take over on another server",
    file: "src/storage/conversations/UnfinishedReplies.ts",
    text: "where id = any(${uuids(sessions)}) and owner = 'people'",
    replacement: "where id = any(${uuids(sessions)}) and owner is null",
    tests: ["http/inbox/Ownership"],
  },
  {
    what: "what a dead server has left of an unseen reply is stored over people",
    file: "src/storage/conversations/UnfinishedReplies.ts",
    text: "and (s.owner = 'bot' or (reply->>'isSeen')::boolean)",
    replacement: "",
    tests: ["services/conversations/RepliesUnderWay"],
  },
  {
    what: "the model takes what people have promised for its own words",
    file: "src/services/conversations/ChatHistory.ts",
    text: "export const toPromptTurn = (said: HistoryMessage): ChatTurn =>\n  said.person === null",
    replacement: 'export const toPromptTurn = (said: HistoryMessage): ChatTurn =>\n  said.person !== ""',
    tests: ["http/inbox/Ownership"],
  },
  {
    what: "a rating of the time before brings people back as soon as they have left",
    file: "src/storage/conversations/Messages.ts",
    text: "and (s.owner_since is null or m.created_at > s.owner_since)",
    replacement: "",
    tests: ["http/inbox/Ownership"],
  },
  {
    what: "replies of the time before bring people back as soon as they have left",
    file: "src/storage/conversations/ConversationWrites.ts",
    text: "and m.id <> ${id} and (s.owner_since is null or m.created_at > s.owner_since)",
    replacement: "and m.id <> ${id}",
    tests: ["http/inbox/Ownership"],
  },
  {
    what: "a conversation goes back to the chatbot while the visitor writes",
    file: "src/storage/inbox/Returns.ts",
    text: "where s.owner = 'people' and s.updated_at",
    replacement: "where s.owner = 'people' and s.created_at - interval '1 hour'",
    tests: ["http/inbox/Ownership"],
  },
  {
    what: "a message of a person that is sent again is stored again",
    file: "src/storage/inbox/Inbox.ts",
    text: "const [known] = mid === undefined ? []",
    replacement: "const [known] = mid !== undefined ? []",
    tests: ["http/inbox/Inbox"],
  },
  {
    what: "two people have both taken over",
    file: "src/storage/inbox/Inbox.ts",
    text: "if ((yield* handOver(sql, reason, { sessions, by, assignee })) === 0) return yield* hasPeople",
    replacement: "yield* handOver(sql, reason, { sessions, by, assignee })",
    tests: ["http/inbox/Inbox"],
  },
  {
    what: "a model may ask for people where the chatbot has none",
    file: "src/agent/ChatbotAgent.ts",
    text: "chatbot.settings.handover?.tool === true && input.offersHuman",
    replacement: "input.offersHuman",
    tests: ["http/inbox/Ownership"],
  },
]

const voice: ReadonlyArray<Omit<PlantedFault, "area">> = [
  {
    what: "a reply that was interrupted keeps the rest of its clause, which nobody has heard",
    file: "src/domain/voice/Heard.ts",
    text: "if (heard < until) {",
    replacement: "if (heard < before) {",
    tests: ["domain/voice/Heard"],
  },
  {
    what: "a message of the user counts as a reply that was heard",
    file: "src/storage/conversations/SpokenReplies.ts",
    text: " and m.sender_type = 'bot'",
    replacement: "",
    tests: ["http/voice/Turns"],
  },
  {
    what: "a reply is written into a conversation while another is spoken",
    file: "src/services/widget/LiveReplies.ts",
    text: "held.has(conversation) || ",
    replacement: "",
    tests: ["http/voice/Turns"],
  },
  {
    what: "a turn is answered before it is certain that it has ended",
    file: "src/services/voice/VoiceTurns.ts",
    text: "holding(turn.holdMillis)",
    replacement: "Effect.void",
    tests: ["http/voice/Turns"],
  },
  {
    what: "speech is transcribed although the budget is spent",
    file: "src/services/voice/VoiceTurns.ts",
    text: "budgets.within(() => [], tokens.input),",
    replacement: "",
    tests: ["http/voice/Turns"],
  },
]

const of = (area: PlantedFault["area"], faults: ReadonlyArray<Omit<PlantedFault, "area">>) =>
  faults.map((fault): PlantedFault => ({ area, ...fault }))

/** Every planted fault. A test keeps them in step with the source. */
export const plantedFaults: ReadonlyArray<PlantedFault> = [
  ...of("authorization", authorization),
  ...of("tenancy", tenancy),
  ...of("leases", leases),
  ...of("limits", limits),
  ...of("limits", rates),
  ...of("idempotency", idempotency),
  ...of("secrets", secrets),
  ...of("sign-in", signIn),
  ...of("handover", handover),
  ...of("voice", voice),
]
