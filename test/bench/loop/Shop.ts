import { SQL } from "bun"
import { Context, Effect } from "effect"
import type { TestInput } from "../../../src/domain/evaluation/ChatbotTest.ts"
import { random } from "../../lib/Random.ts"

/*
 * Made documents about the goods of a shop, with a test for each of their facts, and a server that runs the tests.
 */

export interface Good {
  readonly name: string
  readonly facts: Readonly<Record<keyof typeof asking, string>>
}

/** How each fact is stated, and asked for. */
const asking = {
  price: ["costs", "How much does the NAME cost?"],
  weight: ["weighs", "How much does the NAME weigh?"],
  warranty: ["has a warranty of", "How long is the warranty of the NAME?"],
  colour: ["is sold in the colour", "In which colour is the NAME sold?"],
  maker: ["is made by", "Who makes the NAME?"],
} as const

export const kinds = Object.keys(asking) as ReadonlyArray<keyof typeof asking>

const starts = [
  "Al",
  "Bra",
  "Cor",
  "Del",
  "Er",
  "Fio",
  "Gra",
  "Hel",
  "Ir",
  "Jo",
  "Kal",
  "Lu",
  "Mar",
  "Nor",
  "Os",
  "Pel",
  "Qua",
  "Ros",
  "Sil",
  "Tor",
]
const ends = ["dana", "vik", "mento", "rix", "lund", "bari", "ston", "quin", "zero", "phia"]
const sorts = ["lamp", "kettle", "chair", "drill", "tent", "rucksack", "radio", "scooter"]
const colours = ["red", "blue", "green", "black", "white", "silver", "yellow", "brown"]

/** Makes so many goods, the same for the same seed, each of a name of its own. */
export const makeGoods = (count: number, seed = 1): ReadonlyArray<Good> => {
  const draw = random(seed)
  const one = <A>(items: ReadonlyArray<A>): A => items[Math.floor(draw() * items.length)] ?? items[0]!
  return Array.from({ length: count }, (_, index) => ({
    name: `${starts[index % starts.length]}${ends[Math.floor(index / starts.length) % ends.length]} ${one(sorts)}`,
    facts: {
      price: `${10 + Math.floor(draw() * 900)} euros`,
      weight: `${100 + Math.floor(draw() * 9_000)} grams`,
      warranty: `${2 + Math.floor(draw() * 58)} months`,
      colour: one(colours),
      maker: `${one(starts)}${one(ends)} ${one(["Works", "Brothers", "Company"])}`,
    },
  }))
}

export const fileOf = ({ facts, name }: Good): string =>
  [`# ${name}`, ...kinds.map((kind) => `The ${name} ${asking[kind][0]} ${facts[kind]}.`)].join("\n\n")

/** A test of a fact: its document is found, and the answer says it. */
export const testOf = ({ facts, name }: Good, kind: keyof typeof asking): TestInput => ({
  question: asking[kind][1].replace("NAME", name),
  expectations: { find: [{ title: name }], say: [{ kind: "words", value: facts[kind] }] },
  tags: [name, kind],
})

/** Starts servers one after the other on a database of their own in Postgres, until the scope closes. */
export const openShop = Effect.fnUntraced(function* (
  goods: ReadonlyArray<Good>,
  settings: Record<string, string> = {},
) {
  const [
    { operatorKey, serverProcess, settingsFor },
    { fresh },
    { Client, until },
    { listRuns, endOf, resultsOf, runsPath },
  ] = yield* Effect.promise(() =>
    Promise.all([
      import("../../lib/ServerProcess.ts"),
      import("../../lib/TestDatabase.ts"),
      import("../../lib/Client.ts"),
      import("../../lib/Evaluation.ts"),
    ]),
  )
  const database = yield* fresh
  if (database.kind === "embedded") return yield* Effect.die("DATABASE_URL names no Postgres server.")
  const given = { ...(yield* settingsFor(database)), LOG_LEVEL: "info", ...settings }
  const sql = yield* Effect.acquireRelease(
    Effect.sync(() => new SQL(database.url, { max: 1 })),
    (sql) => Effect.promise(() => sql.end()),
  )
  const start = Effect.fnUntraced(function* (
    command?: ReadonlyArray<string>,
    constants: Context.Context<never> = Context.empty(),
  ) {
    const { spawn } = yield* Effect.promise(() => import("../../lib/ServerProcess.ts"))
    const server =
      command === undefined
        ? yield* serverProcess(given, [], constants)
        : yield* Effect.acquireRelease(
            Effect.sync(() => spawn(given, [process.execPath, ...command])),
            (server) => Effect.promise(() => (server.kill("SIGKILL"), server.exited)),
          )
    const url = yield* Effect.promise(() => server.listening)
    return { server, client: new Client(url, operatorKey) }
  })
  const { client, server } = yield* start()
  const chatbot = yield* Effect.promise(() => client.newChatbot({ settings: { model: "local/extractive" } }))
  const documents = new Map<string, string>()
  for (let from = 0; from < goods.length; from += 10) {
    const files = Object.fromEntries(goods.slice(from, from + 10).map((good) => [`${good.name}.md`, fileOf(good)]))
    for (const { id, name } of yield* Effect.promise(() => client.learn(chatbot.id, files)))
      documents.set(name.replace(/\.md$/, ""), id)
  }

  const make = (input: Record<string, unknown> = {}) =>
    Effect.promise(async () => {
      const begin = performance.now()
      const { body } = await client.post(runsPath(chatbot.id), { json: input })
      const run = await endOf(client, chatbot.id, Object(body).run.id)
      return { run, seconds: (performance.now() - begin) / 1_000 }
    })

  return {
    client,
    server,
    start,
    sql,
    chatbot: chatbot.id,
    make,
    results: (of: typeof client, run: string) => Effect.promise(() => resultsOf(of, chatbot.id, run)),
    runs: (of: typeof client) => Effect.promise(() => listRuns(of, chatbot.id)),
    addTests: (tests: ReadonlyArray<TestInput>) =>
      Effect.promise(async () => {
        for (const { expectations, question, tags } of tests) {
          await sql`insert into tests (id, organization_id, chatbot_id, question, expectations, tags)
            select ${Bun.randomUUIDv7()}, organization_id, id, ${question}, ${expectations}::jsonb,
              array(select jsonb_array_elements_text(${tags}::jsonb)) from chatbots where id = ${chatbot.id}`
        }
        await sql`delete from test_queue`
      }),
    /** Replaces the document of a good. */
    rewrite: (good: Good) =>
      Effect.promise(async () => {
        const reply = await client.replace(
          chatbot.id,
          documents.get(good.name) ?? "",
          `${good.name}.md`,
          fileOf(good),
          {
            query: "?wait=30",
          },
        )
        if (reply.status >= 300) throw new Error(reply.text)
      }),
    learn: (files: Record<string, string>) => Effect.promise(() => client.learn(chatbot.id, files)),
    /** Waits for the run that a change brings, without the half a minute that it waits for further changes. */
    afterChange: Effect.promise(async () => {
      const begin = performance.now()
      await until(
        () => sql`select from test_queue where chatbot_id = ${chatbot.id}`,
        (rows) => rows.length > 0,
      )
      await sql`update test_queue set run_at = now() where lease_id is null`
      await until(
        () => sql`select from test_queue where chatbot_id = ${chatbot.id}`,
        (rows) => rows.length === 0,
      )
      const { data } = await listRuns(client, chatbot.id)
      return { run: data[0]?.trigger === "change" ? data[0] : undefined, seconds: (performance.now() - begin) / 1_000 }
    }),
    forget: Effect.promise(async () => void (await sql`delete from test_runs`)),
  }
})

export const tell = (line: string): void => void process.stdout.write(`${line}\n`)
