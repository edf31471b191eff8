import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { files, ownQuestion } from "../../src/quickstart/Story.ts"
import { docxFile, paragraph, rows, xlsxFile } from "../lib/files/OfficeFile.ts"
import { sharedServer } from "../lib/TestServer.ts"
import { uiEvents } from "../lib/UiEvents.ts"

/*
 * Questions whose answers are in tables, to a chatbot without a language model.
 */
const { client } = await sharedServer()
const root = join(import.meta.dir, "../..")

const extractive = { settings: { model: "local/extractive" } }
const table = [
  ["Plan", "Monthly price", "Storage"],
  ["Basic", "10 EUR", "5 GB"],
  ["Team", "50 EUR", "200 GB"],
  ["Enterprise", "900 EUR", "4 TB"],
]
const markdown = table
  .toSpliced(1, 0, ["---", "---", "---"])
  .map((cells) => `| ${cells.join(" | ")} |`)
  .join("\n")

const documents: Readonly<Record<string, () => Bun.BlobPart>> = {
  "plans.md": () => `# Plans\n\n${markdown}\n`,
  "plans.csv": () => table.map((cells) => cells.join(",")).join("\n"),
  "plans.html": () =>
    `<h1>Plans</h1><table>${table.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("")}</table>`,
  "plans.xlsx": () => xlsxFile([{ name: "Plans", content: rows(...table) }]),
  "plans.docx": () => {
    const row = (cells: ReadonlyArray<string>) => cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join("")
    return docxFile(`<w:tbl>${table.map((cells) => `<w:tr>${row(cells)}</w:tr>`).join("")}</w:tbl>`)
  },
}

const streamedText = async (id: string, content: string) => {
  const reply = await client.post(`/api/external/chatbot/${id}/chat?stream=true`, {
    json: { messages: [{ role: "user", content }] },
  })
  const events = await uiEvents(reply.text)
  return events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : [])).join("")
}

describe.each(Object.entries(documents))("a table in %s", (name, make) => {
  test("answers with the row that is asked for and the names of its columns, as JSON and as a stream", async () => {
    const { id } = await client.newChatbot(extractive)
    await client.learn(id, { [name]: make() })
    const question = "What is the price of the Enterprise plan?"
    const { output, sources } = await client.chat(id, question)
    expect(output).toMatch(/^(?:Plans:\n)?- Plan: Enterprise; Monthly price: 900 EUR; Storage: 4 TB\n\(plans\)$/i)
    expect(sources?.[0]?.quote).toContain("900 EUR")
    expect(await streamedText(id, question)).toBe(output)
  })

  test("does not answer for a row that it lacks, and shows no other row for a column that it lacks", async () => {
    const { id } = await client.newChatbot(extractive)
    await client.learn(id, { [name]: make() })
    const { output, sources } = await client.chat(id, "What is the price of the Premium plan?")
    expect(output).not.toMatch(/EUR|GB/)
    expect(sources ?? []).toEqual([])
    const { output: row } = await client.chat(id, "What is the notice period of the Team plan?")
    expect(row).not.toMatch(/Basic|Enterprise/)
  })
})

test("one row of two thousand answers a question for it, and none answers for an article that is not among them", async () => {
  const { id } = await client.newChatbot(extractive)
  const articles = Array.from({ length: 2_000 }, (_, index) => `${4_000 + index},Chair ${index},${index % 97}.50 EUR`)
  await client.learn(id, { "articles.csv": ["Article,Name,Price", ...articles].join("\n") })
  const { output } = await client.chat(id, "What does article 4711 cost?")
  expect(output).toBe("- Article: 4711; Name: Chair 711; Price: 32.50 EUR\n(articles)")
  const missing = await client.chat(id, "What does article 9999 cost?")
  expect(missing.output).not.toContain("EUR")
}, 180_000)

test("a German table answers questions in German, and for the least value with all rows", async () => {
  const { id } = await client.newChatbot(extractive)
  const tickets = [
    "Karte;Preis;Gültigkeit",
    "Tageskarte;7,50 €;1 Tag",
    "Wochenkarte;29,00 €;7 Tage",
    "Jahreskarte;390,00 €;1 Jahr",
  ]
  await client.learn(id, { "Fahrkarten.csv": tickets.join("\n") })
  const said = [
    ["Was kostet die Wochenkarte?", "- Karte: Wochenkarte; Preis: 29,00 €; Gültigkeit: 7 Tage\n("],
    ["Welche Gültigkeit hat die Jahreskarte?", "- Karte: Jahreskarte; Preis: 390,00 €; Gültigkeit: 1 Jahr\n("],
    ["Welche Karte ist am günstigsten?", "- Karte: Tageskarte; Preis: 7,50 €; Gültigkeit: 1 Tag\n- Karte: Wochenkarte"],
  ] as const
  for (const [question, answer] of said) expect((await client.chat(id, question)).output).toStartWith(answer)
})

test("the documents of the quickstart answer the question that it suggests, and others", async () => {
  const { id } = await client.newChatbot(extractive)
  await client.learn(id, Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file))])))
  const said = [
    [ownQuestion, ""],
    ["What is the default of CHAT_STEPS_LIMIT?", "Setting: CHAT_STEPS_LIMIT; Default: 6;"],
  ] as const
  for (const [question, row] of said) {
    const { output, sources } = await client.chat(id, question)
    expect(output).toContain(row)
    expect(output.trim().length).toBeGreaterThan(40)
    expect(output).not.toContain("|")
    expect(sources?.length).toBeGreaterThan(0)
  }
})
