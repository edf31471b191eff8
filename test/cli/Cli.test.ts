import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Console, Context, Effect, Layer, ManagedRuntime, Redacted, Schema } from "effect"
import { Backup } from "../../src/backup/Backup.ts"
import { Restore } from "../../src/backup/Restore.ts"
import { Secrets } from "../../src/system/Secrets.ts"
import * as Cli from "../../src/cli/Cli.ts"
import { ApiKey, allScopes } from "../../src/domain/keys/ApiKey.ts"
import { Unavailable } from "../../src/domain/Errors.ts"
import { ModelPackage } from "../../src/embeddings/sentences/ModelPackage.ts"
import { BlobCopy, type CopyRequest, type CopySummary } from "../../src/jobs/BlobCopy.ts"
import { OrganizationRemoval } from "../../src/jobs/OrganizationRemoval.ts"
import { ApiKeys } from "../../src/services/keys/ApiKeys.ts"
import type { Finding } from "../../src/domain/system/SystemState.ts"
import { Doctor } from "../../src/services/doctor/Doctor.ts"
import { Organizations } from "../../src/services/organizations/Organizations.ts"
import { People } from "../../src/services/people/People.ts"
import { PublicUrl } from "../../src/services/PublicUrl.ts"
import * as Services from "../../src/services/Services.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { StartupError } from "../../src/system/StartupError.ts"
import { commandLine } from "../lib/CommandLine.ts"
import { memoryBlobs, platform, storage } from "../lib/Layers.ts"
import { as, makeChatbot } from "../lib/Tenants.ts"

/*
 * Every command, in this process and over a database of its own. `CliProcess.deep.test.ts` shows that a process prints and
 * ends accordingly.
 */

const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"

const runtime = ManagedRuntime.make(
  Services.tenancy.pipe(
    Layer.provide(Layer.succeed(PublicUrl, "https://chat.example.com")),
    Layer.provideMerge(OrganizationRemoval.layer),
    Layer.provideMerge(Layer.mergeAll(storage, platform)),
  ),
)
afterAll(() => runtime.dispose())

/** The commands on backups share the database, and have a store of files in memory. */
const moving = ManagedRuntime.make(
  Layer.mergeAll(Backup.layer, Restore.layer).pipe(
    Layer.provide(Layer.effectContext(runtime.contextEffect)),
    Layer.provide([memoryBlobs, platform, Layer.provide(Secrets.layer({ keys: undefined }), platform)]),
  ),
)
afterAll(() => moving.dispose())

/** The findings of the doctor, which a test sets. */
let findings: ReadonlyArray<Finding> = []

const actions: Actions = {
  serve: Console.log("It serves."),
  tenancy: Layer.effectContext(runtime.contextEffect),
  existingTenancy: Layer.effectContext(runtime.contextEffect),
  doctor: Layer.succeed(Doctor, { examine: Effect.sync(() => findings) }),
  backup: Layer.effectContext(moving.contextEffect),
  importing: Layer.effectContext(moving.contextEffect),
  restoring: () => Layer.effectContext(moving.contextEffect),
  blobs: Layer.succeed(BlobCopy, { copy: (request) => Effect.sync(() => copied(request)) }),
  models: Layer.succeed(ModelPackage, { fetch: Effect.succeed(true) }),
}
/** The outcome of a copy of files, which a test sets. */
let copied = (_: CopyRequest): CopySummary => ({ copied: 3, bytes: 12, present: 1, different: [], failed: [] })
type Actions = Parameters<
  typeof Cli.make<
    never,
    never,
    unknown,
    never,
    unknown,
    never,
    unknown,
    never,
    unknown,
    never,
    unknown,
    never,
    unknown,
    never,
    unknown,
    never,
    unknown,
    never
  >
>[0]

/** The command line with these actions in place of the usual ones. */
const commandWith = (others: Partial<Actions> = {}) => commandLine(Cli.make({ ...actions, ...others }))
const run = commandWith()
const parley = (command: string) => run(...command.split(" "))

/** The output of a command that succeeds. */
const outputOf = async (command: string) => {
  const said = await parley(command)
  expect(said).toEqual({ code: 0, out: said.out, usage: "", why: "" })
  return said.out
}

/** The reason with which a command fails, while it prints nothing else. */
const failureOf = async (command: string) => {
  const said = await parley(command)
  expect(said).toEqual({ code: 1, out: "", usage: "", why: said.why })
  expect(said.why).toMatch(/^[^\n]+\.$/)
  return said.why
}

/** The error of a command line that is not understood, with a hint at its help, which is not printed. */
const usageErrorOf = async (command: string) => {
  const { code, out, usage, why } = await parley(command)
  expect({ code, out, why }).toEqual({ code: 1, out: "", why: "" })
  expect(usage).toMatch(/^parley: [^\n]+\n`parley [^\n]*--help` shows what there is\.\n$/)
  return usage
}

/** The first API key and the first id in an output. */
const keyAndId = (out: string) => ({
  key: /^(prl_\w+)$/m.exec(out)?.[1] ?? "",
  id: /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(out)?.[0] ?? "",
})

const newKey = async (flags: string) => keyAndId(await outputOf(`keys create ${flags}`))
const newOrganization = async (name: string) => (await outputOf(`organizations create ${name}`)).trim()

/** The line of a list that contains this name. */
const lineOf = async (command: string, name: string) =>
  (await outputOf(command)).split("\n").find((line) => line.includes(name))

const authentication = (key: string) => ApiKeys.use((keys) => keys.authenticate(Redacted.make(key)))
const authenticate = (key: string) => runtime.runPromise(authentication(key))
/** The tag of the failure with which a key is refused. */
const refusal = async (key: string) => (await runtime.runPromise(Effect.flip(authentication(key))))._tag

beforeAll(() => runtime.runPromise(Organizations.use(({ bootstrap }) => bootstrap(undefined))))

describe("the command line", () => {
  test.each([
    ["", "It serves."],
    ["serve", "It serves."],
    ["migrate", "The database is up to date."],
    ["--version", "parley v1.2.3"],
  ])("runs `parley %s`", async (command, out) => {
    expect(await run(...command.split(" ").filter((word) => word !== ""))).toEqual({
      code: 0,
      out: `${out}\n`,
      usage: "",
      why: "",
    })
  })

  test.each([
    [
      "--help",
      [
        "serve",
        "migrate",
        "doctor",
        "blobs",
        "models",
        "keys",
        "people",
        "organizations",
        "test",
        "backup",
        "verify-backup",
        "restore",
      ],
    ],
    ["people --help", ["invite", "list", "remove"]],
    ["keys --help", ["create", "list", "revoke", "budget"]],
    [
      "organizations --help",
      ["create", "list", "budget", "quota", "retention", "rename", "delete", "export", "import"],
    ],
  ])("lists the commands with their descriptions: `parley %s`", async (command, names) => {
    const listed = (await outputOf(command)).split("SUBCOMMANDS\n")[1] ?? ""
    const lines = listed.trimEnd().split("\n")
    expect(lines.map((line) => line.trim().split(/\s+/)[0])).toEqual(names)
    for (const line of lines) expect(line).toMatch(/^ {2}[\w-]+ +[A-Z].*[a-z)1]$/)
  })

  test.each([
    ["fly", 'Unknown subcommand "fly" for "parley"'],
    ["keys fly", 'Unknown subcommand "fly" for "parley keys"'],
    ["serve now", 'Unexpected positional argument: "now"'],
    ["serve --port 3000", "Unrecognized flag: --port"],
    ["keys create", "Missing required argument: name"],
    ["keys create website", "Missing required flag: --scope"],
    ["keys create website --scope fly", 'Invalid value for flag --scope: "fly"'],
    [`keys create ${"x".repeat(201)} --scope chat`, "Expected: 1 to 200 characters"],
    ["keys create website --scope chat --expires tomorrow", 'Invalid value for flag --expires: "tomorrow"'],
    ["keys create website --scope chat --chatbot seven", "Expected: the id of a chatbot, a UUID"],
    ["keys create website --scope chat --organization seven", "Expected: the id of an organization, a UUID"],
    ["keys list --organization seven", "Expected: the id of an organization, a UUID"],
    ["keys revoke", "Missing required argument: id"],
    ["keys revoke seven", '"seven". Expected: the id of an API key, a UUID'],
    ["keys budget seven", "Expected: the id of an API key, a UUID"],
    [`keys budget ${nowhere} --tokens-per-day -1`, 'Expected: a whole number, "unlimited" or "default"'],
    [`keys budget ${nowhere} --concurrent-chats 1.5`, 'Expected: a whole number, "unlimited" or "default"'],
    [`keys budget ${nowhere} --concurrent-chats many`, 'Expected: a whole number, "unlimited" or "default"'],
    ["organizations create", "Missing required argument: name"],
    ["organizations rename seven Other", "Expected: the id of an organization, a UUID"],
    ["organizations delete", "Missing required argument: id"],
    [`organizations delete ${nowhere} seven`, "Expected: the same id once more"],
    ["organizations budget seven", "Expected: the id of an organization, a UUID"],
    [`organizations retention ${nowhere} --days 0`, 'Expected: "default" or a whole number from 1 to 36500'],
    [`organizations retention ${nowhere} --days long`, 'Expected: "default" or a whole number from 1 to 36500'],
  ])("names the error in the usage of `parley %s`", async (command, words) => {
    expect(await usageErrorOf(command)).toContain(words)
  })

  test.each([{ words: ["create", "   "] }, { words: ["rename", nowhere, ""] }])(
    "refuses a blank name: organizations $words",
    async ({ words }) => {
      const { code, usage } = await run("organizations", ...words)
      expect(code).toBe(1)
      expect(usage).toContain("Expected: 1 to 200 characters, not all of them blank")
    },
  )
})

test("a name that tenants choose cannot command the terminal of whoever lists it", async () => {
  await run("organizations", "create", "\u001B[31mred")
  await run("keys", "create", "\u001B]0;title\u0007", "--scope", "chat")
  const listed = (await outputOf("organizations list")) + (await outputOf("keys list"))
  expect(listed).toContain(String.raw`\u001b[31mred`)
  expect(listed).not.toMatch(/(?!\n)\p{Cc}/u)
})

describe("a command fails when nothing has the given id:", () => {
  test.each([
    [`keys revoke ${nowhere}`, /no such API key/],
    [`keys create website --scope chat --chatbot ${nowhere}`, /no such chatbot/],
    [`keys create website --scope chat --organization ${nowhere}`, /no such organization/],
    [`keys list --organization ${nowhere}`, /no such organization/],
    [`keys budget ${nowhere} --concurrent-chats 1`, /no such API key/],
    [`organizations budget ${nowhere}`, /no such organization/],
    [`organizations retention ${nowhere} --days 1`, /no such organization/],
    [`organizations rename ${nowhere} Other`, /no such organization/],
    [`organizations delete ${nowhere} --yes`, /no such organization/],
  ])("%s", async (command, words) => {
    const why = await failureOf(command)
    expect(why).toMatch(words)
    expect(why).toMatch(/`organizations list`.* shows? which ones there are\.$/)
    expect(await outputOf("keys list")).not.toContain("website")
  })
})

test("people invites, lists and removes people of an organization", async () => {
  const organization = await newOrganization("Team")
  const of = `--organization ${organization}`
  const link = await outputOf(`people invite Ada --email ada@b.example --role owner --role editor ${of}`)
  expect(link).toMatch(/^https:\/\/chat\.example\.com\/console#invitation=inv_\w{49}$/m)
  const listed = await outputOf(`people list ${of}`)
  expect(listed).toContain("  Ada  ada@b.example  [editor, owner]  invited")
  expect(await outputOf("people list")).not.toContain("Ada")
  await outputOf(`people remove ${listed.split(" ")[0]}`)
  expect(await outputOf(`people list ${of}`)).toContain("[]  removed")
  expect(await failureOf(`people remove ${nowhere}`)).toContain("no such person")
  expect(await failureOf(`people invite Eve --role admin --chatbot ${nowhere} ${of}`)).toContain("not of one chatbot")
})

describe("keys create", () => {
  test("prints a new key with its scopes, chatbots and expiry", async () => {
    const out = await outputOf(
      "keys create widget --scope chat --scope knowledge:read --scope chat --expires 2999-12-31",
    )
    expect(out).toContain("widget  [knowledge:read chat]  all chatbots  expires 2999-12-31T00:00:00.000+00:00")
    expect(out).toContain("It is shown this once.")
    expect(await authenticate(keyAndId(out).key)).toMatchObject({ scopes: ["knowledge:read", "chat"], chatbots: null })
  })

  test("creates a key with all scopes that never expires", async () => {
    const out = await outputOf("keys create backup --scope all")
    expect(out).toContain(`backup  [${allScopes.join(" ")}]  all chatbots  never expires`)
    expect(await authenticate(keyAndId(out).key)).toMatchObject({ scopes: allScopes })
  })

  test("never makes a key of the operator for another organization", async () => {
    const organization = await newOrganization("Restricted")
    const out = await outputOf(`keys create theirs --scope all --organization ${organization}`)
    expect(out).toContain("theirs  [chatbots:read")
    expect(out).not.toContain("operator")
    expect(await failureOf(`keys create risen --scope operator --organization ${organization}`)).toBe(
      "--scope is not valid. Only keys of the operator's organization may have `operator`.",
    )
    expect(await outputOf(`keys list --organization ${organization}`)).not.toContain("risen")
  })

  test.each(["+275760-09-13T00:00:00Z", "+010000-01-01T00:00:00Z"])(
    "refuses the expiry %s, which no database holds",
    async (expiry) => {
      expect(await failureOf(`keys create eternal --scope chat --expires ${expiry}`)).toBe(
        "--expires is not valid. Expected a time before the year 10000.",
      )
      expect(await outputOf("keys list")).not.toContain("eternal")
    },
  )

  test("creates a key for another organization and one of its chatbots", async () => {
    const organization = await newOrganization("Elsewhere")
    const { id: chatbot } = await runtime.runPromise(
      makeChatbot.pipe(as(Schema.decodeSync(ApiKey.fields.organization_id)(organization))),
    )
    const { key } = await newKey(`bound --scope chat --organization ${organization} --chatbot ${chatbot}`)
    expect(await authenticate(key)).toMatchObject({ organizationId: organization, chatbots: [chatbot] })
    expect(await outputOf(`keys list --organization ${organization}`)).toContain(`bound  [chat]  chatbot ${chatbot}`)
    expect(await outputOf("keys list")).not.toContain("bound")
    expect(await failureOf(`keys create stolen --scope chat --chatbot ${chatbot}`)).toContain("no such chatbot")
  })

  test("refuses an expiry in the past, and creates no key", async () => {
    expect(await failureOf("keys create late --scope chat --expires 2001-01-01")).toBe(
      "--expires is not valid. Expected a time that is still to come.",
    )
    expect(await outputOf("keys list")).not.toContain("late")
  })
})

test("keys list shows all keys without their secrets, newest first, and which are expired or revoked", async () => {
  const { key } = await newKey("earlier --scope chat")
  const { id: gone } = await newKey("gone --scope chat")
  await newKey("old --scope admin --expires 2999-12-31")
  await outputOf(`keys revoke ${gone}`)
  await runtime.runPromise(
    SystemSql.use((sql) => sql`update api_keys set expires_at = '2001-01-01' where name = 'old'`),
  )
  const out = await outputOf("keys list")
  expect(out).not.toContain(key)
  expect(out).toMatch(
    new RegExp(
      [
        `\\S+ {2}prl_\\w+…\\w{4} {2}old {2}\\[admin\\] {2}all chatbots {2}expired 2001-01-01T00:00:00.000\\+00:00 {2}made by command line`,
        `${gone} {2}\\S+ {2}gone {2}\\[chat\\] {2}all chatbots {2}revoked \\d{4}-\\S+ {2}made by command line`,
        `\\S+ {2}${key.slice(0, 8)}\\w*…${key.slice(-4)} {2}earlier {2}\\[chat\\] {2}all chatbots {2}never expires`,
      ].join("\n"),
    ),
  )
})

test("keys revoke revokes one key, and may be repeated", async () => {
  const [gone, kept] = [await newKey("gone-now --scope chat"), await newKey("kept --scope chat")]
  const revoked = `Revoked ${gone.id} (gone-now). Running servers refuse it within a second.\n`
  expect(await outputOf(`keys revoke ${gone.id}`)).toBe(revoked)
  expect(await outputOf(`keys revoke ${gone.id}`)).toBe(revoked)
  expect(await refusal(gone.key)).toBe("Unauthorized")
  expect(await authenticate(kept.key)).toMatchObject({ scopes: ["chat"] })
})

describe.each([
  ["keys budget", async () => (await newKey("budgeted --scope chat")).id],
  ["organizations budget", () => newOrganization("Budgeted")],
])("%s", (command, make) => {
  const shown = (tokens: string, chats: string) =>
    `Tokens per day: ${tokens}. Concurrent chats: ${chats}. Running servers keep to it within a second.\n`

  test("changes the given limits, and shows all limits", async () => {
    const id = await make()
    expect(await outputOf(`${command} ${id}`)).toBe(shown("default", "default"))
    expect(await outputOf(`${command} ${id} --tokens-per-day 1000`)).toBe(shown("1000", "default"))
    expect(await outputOf(`${command} ${id} --concurrent-chats 0`)).toBe(shown("1000", "0"))
    expect(await outputOf(`${command} ${id} --concurrent-chats unlimited`)).toBe(shown("1000", "unlimited"))
    expect(await outputOf(`${command} ${id} --tokens-per-day default`)).toBe(shown("default", "unlimited"))
    expect(await outputOf(`${command} ${id}`)).toBe(shown("default", "unlimited"))
  })
})

describe("organizations", () => {
  test("are listed with the operator's own, and renamed", async () => {
    const id = await newOrganization("Some")
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
    expect(await lineOf("organizations list", id)).toBe(`${id}  Some`)
    expect(await outputOf(`organizations rename ${id} Other`)).toBe(`${id}  Other\n`)
    expect(await lineOf("organizations list", id)).toBe(`${id}  Other`)
    expect((await outputOf("organizations list")).match(/\(operator\)/g)).toHaveLength(1)
  })

  test("keep conversations for as long as is set, which the audit log says was set on the command line", async () => {
    const id = await newOrganization("Forgetful")
    const command = `organizations retention ${id}`
    const shown = (days: string) => `Conversations are kept for: ${days} (days after their last activity).\n`
    expect(await outputOf(command)).toBe(shown("default"))
    expect(await outputOf(`${command} --days 90`)).toBe(shown("90"))
    expect(await outputOf(command)).toBe(shown("90"))
    expect(await outputOf(`${command} --days default`)).toBe(shown("default"))
    const recorded = SystemSql.use(
      (sql) => sql`select action, actor, after from audit_log where target_id = ${id} order by created_at`,
    )
    expect(await runtime.runPromise(recorded)).toEqual([
      { action: "organization.created", actor: "command_line", after: { name: "Forgetful" } },
      { action: "organization.updated", actor: "command_line", after: { retention_days: 90 } },
      { action: "organization.updated", actor: "command_line", after: { retention_days: null } },
    ])
  })

  test("are deleted with everything they own when their id is given twice", async () => {
    const id = await newOrganization("Doomed")
    const { key } = await newKey(`doomed --scope chat --organization ${id}`)
    await runtime.runPromise(makeChatbot.pipe(as(Schema.decodeSync(ApiKey.fields.organization_id)(id))))
    const chatbots = SystemSql.use((sql) => sql`select id from chatbots where organization_id = ${id}`)
    const warning =
      "This deletes Doomed with its chatbots, documents, conversations, keys and usage. Give its id twice, or --yes, if that is meant."
    expect(await failureOf(`organizations delete ${id}`)).toBe(warning)
    expect(await failureOf(`organizations delete ${id} ${nowhere}`)).toBe(warning)
    expect(await failureOf(`organizations delete ${nowhere}`)).toContain(`This deletes ${nowhere} with`)
    expect(await runtime.runPromise(chatbots)).toHaveLength(1)
    expect(await outputOf(`organizations delete ${id} ${id.toUpperCase()}`)).toBe(
      `Deleted ${id}. Running servers refuse its keys within a second.\nAll that it owned is deleted; a running server, or the next to start, removes its files.\n`,
    )
    expect(await runtime.runPromise(chatbots)).toHaveLength(0)
    expect(await outputOf("organizations list")).not.toContain(id)
    expect(await refusal(key)).toBe("Unauthorized")
  })

  test("are deleted with --yes in place of the second id", async () => {
    const id = await newOrganization("Doomed")
    expect(await outputOf(`organizations delete ${id} --yes`)).toContain(`Deleted ${id}.`)
    expect(await failureOf(`organizations delete ${id} --yes`)).toContain("no such organization")
  })

  test("are never deleted when they are the operator's own", async () => {
    const own = /^(\S+) .*\(operator\)$/m.exec(await outputOf("organizations list"))?.[1] ?? ""
    expect(await failureOf(`organizations delete ${own} --yes`)).toContain(
      "The operator's own organization cannot be deleted.",
    )
    expect(await lineOf("organizations list", own)).toContain("(operator)")
  })
})

describe("doctor", () => {
  const ok: Finding = { state: "ok", part: "database", text: "PostgreSQL 18" }
  const note: Finding = { state: "note", part: "ingestion", text: "3 documents wait" }
  const wrong: Finding = { state: "wrong", part: "files", text: "a file is missing" }

  test("prints its findings in columns", async () => {
    findings = [ok, note]
    expect(await outputOf("doctor")).toBe("ok     database     PostgreSQL 18\nnote   ingestion    3 documents wait\n")
  })

  test.each([
    ["1 of these is wrong.", [ok, wrong]],
    ["2 of these are wrong.", [wrong, ok, wrong]],
  ])("fails with “%s”", async (words, found) => {
    findings = found
    const { code, out, why } = await parley("doctor")
    expect(code).toBe(1)
    expect(why).toBe(`${words} Mend that and run it again.`)
    expect(out.trim().split("\n")).toHaveLength(found.length)
  })
})

describe("while another process uses the database,", () => {
  const inUse = Layer.effectContext(Effect.fail(new StartupError({ what: "It is in use.", doThis: "", isInUse: true })))
  const settings = { PUBLIC_URL: "http://host:1", DATA_DIR: "/nowhere" }
  const busy = commandLine(Cli.make({ ...actions, tenancy: inUse, existingTenancy: inUse, doctor: inUse }), settings)

  test.each(["migrate", "doctor", "keys list", "organizations list"])("`%s` asks to stop it", async (command) => {
    const { code, why } = await busy(...command.split(" "))
    expect(code).toBe(command === "doctor" ? 2 : 1)
    expect(why).toBe("It is in use. Stop that process first. If it is a server, http://host:1/readyz answers.")
  })
})

describe("a command fails in one line while the database is unavailable:", () => {
  const detail = "The database cannot be reached right now."
  const gone = Effect.fail(new Unavailable({ detail, retry_after_seconds: 1 }))
  const tenancy = Layer.mergeAll(
    Layer.mock(ApiKeys, { issue: () => gone, list: () => gone, revoke: () => gone, update: () => gone }),
    Layer.mock(Organizations, { create: () => gone, list: () => gone, remove: () => gone, update: () => gone }),
    Layer.mock(People, { all: () => gone, issue: () => gone, revoke: () => gone }),
    Layer.succeed(OrganizationRemoval, { request: Effect.void, run: gone, runForever: () => Effect.never }),
  )
  const failing = commandWith({
    tenancy,
    existingTenancy: tenancy,
    doctor: Layer.succeed(Doctor, { examine: gone }),
  })

  test.each([
    "doctor",
    "keys create website --scope chat",
    "keys list",
    `keys revoke ${nowhere}`,
    `keys budget ${nowhere}`,
    "people invite Ada --role owner",
    "people list",
    `people remove ${nowhere}`,
    "organizations create Another",
    "organizations list",
    `organizations budget ${nowhere}`,
    `organizations retention ${nowhere}`,
    `organizations rename ${nowhere} Another`,
    `organizations delete ${nowhere} --yes`,
  ])("%s", async (command) => {
    expect(await failing(...command.split(" "))).toEqual({
      code: command === "doctor" ? 2 : 1,
      out: "",
      usage: "",
      why: `${detail} See that it runs, and try again.`,
    })
  })
})

test("keys create fails when there is no operator's organization", async () => {
  const lost = commandWith({
    tenancy: Layer.effectContext(
      Effect.map(runtime.contextEffect, (context) =>
        Context.add(context, Organizations, {
          ...Context.get(context, Organizations),
          list: () => Effect.succeed({ items: [], next: undefined }),
        }),
      ),
    ),
  })
  expect((await lost("keys", "create", "website", "--scope", "chat")).why).toBe(
    "There is no operator's organization. `organizations list` shows which ones there are.",
  )
})

describe("models fetch", () => {
  test("fetches the known model by its name", async () => {
    expect(await outputOf("models fetch minilm")).toContain("minilm: fetched.")
  })

  test("says where the files of another model belong", async () => {
    const { code, why } = await parley("models fetch e5")
    expect(code).toBe(1)
    expect(why).toContain("Only minilm is fetched by its name, and not e5. Put the files of another model into")
  })
})

describe("blobs copy", () => {
  test("says what it has copied", async () => {
    const out = await outputOf("blobs copy --from local --to s3")
    expect(out.trim()).toBe("Files copied: 3 (12 bytes). Already there: 1.")
  })

  test("fails when a file could not be copied, and when both stores are the same", async () => {
    copied = () => ({ copied: 0, bytes: 0, present: 0, different: [], failed: ["documents/a"] })
    expect((await parley("blobs copy --from local --to s3")).why).toContain(
      "Files that are not copied: 1. Run it again",
    )
    expect((await parley("blobs copy --from s3 --to s3")).why).toContain("Name two different ones.")
  })
})
