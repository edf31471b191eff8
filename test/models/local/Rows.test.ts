import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { PassageJson } from "../../../src/domain/knowledge/Passage.ts"
import { answerTo } from "../../../src/models/local/Answer.ts"
import { read } from "../../../src/models/local/Reading.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

const passage = (content: string, chunk = 1, title = "Notes"): PassageJson => ({
  title,
  chunk,
  content,
  document_id: title,
  similarity: 0.5,
})

const answer = (question: string, ...contents: ReadonlyArray<string>) =>
  answerTo(bounded(question), read(contents.map((content, index) => passage(content, index + 1))))?.text

const plans = `# Plans

| Plan | Monthly price | Storage | SSO | Users |
| --- | --- | --- | --- | --- |
| Basic | 10 EUR | 5 GB | no | 1-5 |
| Team | 50 EUR | 200 GB | yes | 6-50 |
| Enterprise | 900 EUR | 4 TB | yes | 51+ |`

const cities = `# Städte

| Stadt | Einwohner | Bundesland | Gegründet |
|---|---|---|---|
| Bremen | 569.396 | Bremen | 782 |
| Hamburg | 1.892.122 | Hamburg | 808 |
| Nürnberg | 523.026 | Bayern | 1050 |
| Gesamt | 2.984.544 | | |`

const week = `| Dish | Monday | Tuesday | Friday | Price |
|---|---|---|---|---|
| Soup | tomato | pea | fish | 2.30 |
| Main | meatballs | goulash | cod | 5.80 |`

const company = `# Acme

| Phone | +49 421 123 |
|---|---|
| E-mail | info@acme.example |
| Managing director | Jane Roe |`

const gym = `# Gym

| Class | Day | Length | Room | Given by | Level |
|---|---|---|---|---|---|
| Spin Express | Monday | 30 min | Studio 2 | Dana Whitlock | all |
| Boxing Basics | Tuesday | 60 min | Ring | Lou Carver | beginners |
| Kettlebell Power | Mon-Wed | 40 min | Weights floor | Dana Whitlock | advanced |

| Facility | Size | Heated | Open until |
|---|---|---|---|
| Indoor pool | 25 m | yes | 21:30 |
| Outdoor pool | 50 m | no | 19:00 |
| Climbing wall | 14 m high | no | 22:00 |`

const stores = `| Store | Monday | Tuesday |
|---|---|---|
| Old Town | closed | 9–17 |
| Harbour | 9–17 | 9–17 |`

const rents = `| Area | until 1949 | 1950 to 1977 | from 1978 |
|---|---|---|---|
| Old town | 9.80 | 8.40 | 10.10 |
| Harbour | 6.80 | 6.10 | 7.70 |`

const records = `Name: Anna Schmidt
Department: Sales
Phone: 555-1201

Name: Omar Haddad
Department: Support
Phone: 555-1202`

/** The first cells of the rows of an answer, and which of them is marked. */
const rowsOf = (text: string | undefined) =>
  text
    ?.split("\n")
    .filter((line) => line.startsWith("- "))
    .map((line) => line.replace(/^- (\**)[^:]*: ([^;]*);.*$/, "$1$2"))
    .join(", ")

describe("a question", () => {
  test("is answered with the row that it names, with the names of its columns, under its heading", () => {
    expect(answer("What is the price of the Enterprise plan?", plans)).toBe(
      "Plans:\n- Plan: Enterprise; Monthly price: 900 EUR; Storage: 4 TB; SSO: yes; Users: 51+\n(Notes)",
    )
  })

  test.each([
    ["How much does the Team plan cost?", plans, "Team"],
    ["Combien coûte Team ?", plans, "Team"],
    ["Does the Basic plan include SSO?", plans, "Basic"],
    ["Which plan has 200 GB?", plans, "Basic, **Team"],
    ["Wann wurde Hamburg gegründet?", cities, "Hamburg"],
    ["Wie viele Einwohner sind es insgesamt?", cities, "Gesamt"],
    ["What is the phone number of Omar Haddad?", records, "Omar Haddad"],
    ["Who works in Support?", records, "Omar Haddad"],
    ["On which day is there goulash?", week, "Main"],
    ["who runs the boxing?", gym, "Boxing Basics"],
    ["how long does spin take", gym, "Spin Express"],
    ["which class on tuesdays", gym, "Boxing Basics"],
    ["kettlebells, anything to know", gym, "Kettlebell Power"],
    ["What is the price of Basic and Team?", plans, "Basic, Team"],
    ["Is Old Town open on Mondays?", stores, "Old Town"],
    // By the names of columns alone: all rows, from which the reader chooses.
    ["Which plans are there?", plans, "Basic, Team, Enterprise"],
    ["Which plans do not include SSO?", plans, "Basic, Team, Enterprise"],
    ["Which store is open on Mondays?", stores, "Old Town, Harbour"],
    ["Welche Stadt hat die meisten Einwohner?", cities, "Bremen, Hamburg, Nürnberg, Gesamt"],
  ])("is answered with rows: %s", (question, content, rows) => {
    expect(rowsOf(answer(question, content))).toBe(rows)
  })

  test("is answered with a pair of a table whose columns have no names", () => {
    expect(answer("Who is the managing director?", company)).toBe("Acme:\n- Managing director: Jane Roe\n(Notes)")
    expect(answer("What is the email address of Acme?", company)).toBe("Acme:\n- E-mail: info@acme.example\n(Notes)")
  })

  test.each([
    ["How much is the Premium plan?", plans],
    ["Wie viele Einwohner hat Köln?", cities],
    ["What is the fax number of Acme?", company],
    ["What is the phone number of Anna Miller?", records],
    ["What is the weather like?", plans],
    ["How much is the diamond membership?", gym],
    ["When is the class of Kevin Marsh?", gym],
    ["what do I pay in the west end", rents],
  ])("is not answered from another row or column: %s", (question, content) => {
    expect(answer(question, content)).toBeUndefined()
  })

  test("is answered from the rows of a table that was split among passages", () => {
    const split = [
      "| Chair | Price |\n|---|---|\n| Windsor | 40 EUR |",
      "| Chair | Price |\n|---|---|\n| Stool | 1 EUR |",
    ]
    expect(answer("Which chairs are there?", ...split)).toBe(
      "- Chair: Windsor; Price: 40 EUR\n- Chair: Stool; Price: 1 EUR\n(Notes)",
    )
  })

  test("is answered with a list of names and values, with the line marked that it names", () => {
    const list = "# Shipping costs\n\nGermany: 4.90 EUR\nAustria: 9.90 EUR\nSwitzerland: 14.90 EUR"
    expect(answer("How much is shipping to Austria?", list)).toBe(
      "Shipping costs:\n- Germany: 4.90 EUR\n- **Austria: 9.90 EUR**\n- Switzerland: 14.90 EUR\n(Notes)",
    )
    expect(answer("How much is shipping to Norway?", list)).toBeUndefined()
    const contact = `# Contact

Phone: 555-1201
Address: 12 Main Street, Springfield
Opening hours: Monday to Friday, 9:00 to 17:00
Managing director: Jane Roe`
    expect(answer("Who is the managing director?", contact)).toContain("- **Managing director: Jane Roe**")
  })

  test("is answered with the paragraph of names and values that is about one thing", () => {
    const [anna = ""] = records.split("\n\n")
    const found = answer("What is the phone number of Anna Schmidt?", anna)
    expect(found?.replaceAll("**", "")).toBe("- Name: Anna Schmidt\n- Department: Sales\n- Phone: 555-1201\n(Notes)")
  })

  test("quotes the whole row", () => {
    const found = answerTo(bounded("How much does the Team plan cost?"), read([passage(plans)]))
    expect(found?.quotes).toEqual([
      { text: "Plan: Team; Monthly price: 50 EUR; Storage: 200 GB; SSO: yes; Users: 6-50", passage: passage(plans) },
    ])
  })

  test("is answered in a bounded length from any table", () => {
    const cell = fc.oneof(
      fc.constantFrom(
        "",
        "Team",
        "50 EUR",
        "|",
        "12:30",
        "1-5",
        "2024-01-01",
        "yes",
        "a".repeat(100_000),
        "x ".repeat(5_000),
      ),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(fc.array(cell, { maxLength: 5 }), { maxLength: 6 }), (rows) => {
        const content = rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n")
        for (const question of ["How much is Team?", "Which is the cheapest?", "How many are there for 3 users?"]) {
          expect((answer(question, content) ?? "").length).toBeLessThan(40_000)
        }
      }),
      { numRuns: 50 },
    )
  })
})
