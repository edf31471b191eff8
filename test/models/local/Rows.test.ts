import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { PassageJson } from "../../../src/domain/knowledge/Passage.ts"
import { answerTo, materialOf } from "../../../src/models/local/Answer.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

const passage = (content: string, chunk = 1, title = "Notes"): PassageJson => ({
  title,
  chunk,
  content,
  document_id: title,
  similarity: 0.5,
})

const answer = (question: string, ...contents: ReadonlyArray<string>) =>
  answerTo(bounded(question), materialOf(contents.map((content, index) => passage(content, index + 1))))?.text.replace(
    / \(Notes\)$/,
    "",
  )

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

const hoses = "| Product | Price |\n|---|---|\n| Hose reel | 54 EUR |\n| Hose Flexo | 29 EUR |"

const records = `Name: Anna Schmidt
Department: Sales
Phone: 555-1201

Name: Omar Haddad
Department: Support
Phone: 555-1202`

describe("a question", () => {
  test.each([
    // By the names of a row and a column, or the columns with values of the kind that is wanted.
    ["What is the price of the Enterprise plan?", plans, "Enterprise: Monthly price 900 EUR"],
    ["How much does the Team plan cost?", plans, "Team: Monthly price 50 EUR; Storage 200 GB; Users 6-50"],
    ["Combien coûte Team ?", plans, "Team: Monthly price 50 EUR; Storage 200 GB; Users 6-50"],
    ["¿Cuánto cuesta Basic?", plans, "Basic: Monthly price 10 EUR; Storage 5 GB; Users 1-5"],
    ["How much storage does Basic have?", plans, "Basic: Storage 5 GB"],
    ["Does the Basic plan include SSO?", plans, "Basic: SSO no"],
    ["Wann wurde Hamburg gegründet?", cities, "Hamburg: Gegründet 808"],
    ["Wie viele Einwohner sind es insgesamt?", cities, "Gesamt: Einwohner 2.984.544"],
    ["Who is the managing director?", company, "Managing director: Jane Roe"],
    ["What is the email address of Acme?", company, "E-mail: info@acme.example"],
    ["What is the phone number of Omar Haddad?", records, "Omar Haddad: Phone 555-1202"],
    // By a value, for the name of its row or column.
    ["Which plan has 200 GB?", plans, "Team: Storage 200 GB"],
    ["Who works in Support?", records, "Omar Haddad: Department Support"],
    ["On which day is there goulash?", week, "Main: Tuesday goulash"],
    // By other words than the table's: kinds of values.
    ["who runs the boxing?", gym, "Boxing Basics: Given by Lou Carver"],
    ["how long does spin take", gym, "Spin Express: Length 30 min"],
    ["which class on tuesdays", gym, "Boxing Basics: Day Tuesday"],
    // For a whole row, or several rows.
    [
      "kettlebells, anything to know",
      gym,
      "Kettlebell Power: Day Mon-Wed; Length 40 min; Room Weights floor; Given by Dana Whitlock; Level advanced",
    ],
    ["What is the Team plan?", plans, "Team: Monthly price 50 EUR; Storage 200 GB; SSO yes; Users 6-50"],
    ["Which plans are there?", plans, "Plan: Basic, Team, Enterprise"],
    ["Which plans include SSO?", plans, "Plan: Team, Enterprise"],
    ["What is the price of Basic and Team?", plans, "- Basic: Monthly price 10 EUR\n- Team: Monthly price 50 EUR"],
    ["How many plans are there?", plans, "Plan: Basic, Team, Enterprise"],
    // By what is not denied, or is.
    ["Which store is open on Mondays?", stores, "Store: Harbour"],
    ["Which store is closed on Mondays?", stores, "Old Town: Monday closed"],
    ["Is Old Town open on Mondays?", stores, "Old Town: Monday closed"],
    ["Which plans do not include SSO?", plans, "Plan: Basic"],
  ])("is answered from cells: %s", (question, content, text) => {
    expect(answer(question, content)).toBe(text)
  })

  test.each([
    ["How much is the Premium plan?", plans],
    ["What is the notice period of the Team plan?", plans],
    ["What is the colour of the Team plan?", plans],
    ["Wie viele Einwohner hat Köln?", cities],
    ["What is the fax number of Acme?", company],
    ["What is the phone number of Anna Miller?", records],
    ["What is the weather like?", plans],
    ["How much is the diamond membership?", gym],
    ["When is the class of Kevin Marsh?", gym],
    ["what do I pay in the west end", rents],
    ["How loud is the outdoor pool?", gym],
    ["How much is a sauna at the outdoor pool?", gym],
    // No values are compared.
    ["Which plans cost less than 100 EUR?", plans],
    ["Which plan has the most storage?", plans],
    ["Which hose is the cheapest?", hoses],
    ["Welche Stadt hat die meisten Einwohner?", cities],
  ])("is not answered from another row or column: %s", (question, content) => {
    expect(answer(question, content)).toBeUndefined()
  })

  test("is answered from the rows of a table that was split among passages", () => {
    const split = [
      "| Chair | Price |\n|---|---|\n| Windsor | 40 EUR |",
      "| Chair | Price |\n|---|---|\n| Stool | 1 EUR |",
    ]
    expect(answer("Which chairs are there?", ...split)).toBe("Chair: Windsor, Stool")
  })

  test("is answered from the line of a list of names and values that it names, and from no other one", () => {
    const list = "# Shipping costs\n\nGermany: 4.90 EUR\nAustria: 9.90 EUR\nSwitzerland: 14.90 EUR"
    expect(answer("How much is shipping to Austria?", list)).toContain("Austria: 9.90 EUR")
    expect(answer("How much is shipping to Austria?", list)).not.toContain("4.90")
    expect(answer("How much is shipping to Norway?", list)).toBeUndefined()
  })

  test("is answered from a line of a list whose values are of all kinds", () => {
    const contact = `# Contact

Phone: 555-1201
E-mail: info@acme.example
Address: 12 Main Street, Springfield
Opening hours: Monday to Friday, 9:00 to 17:00
Managing director: Jane Roe`
    expect(answer("Who is the managing director?", contact)).toBe("Managing director: Jane Roe")
    expect(answer("What is the address?", contact)).toBe("Address: 12 Main Street, Springfield")
    const fees = "# Fees\n\n- Adults: 12 EUR\n- Dogs: not admitted, except guide dogs\n- Parking: free\n- Since: 1 May"
    expect(answer("Are dogs admitted?", fees)).toBe("Dogs: not admitted, except guide dogs")
    expect(answer("How much is parking?", fees)).toBe("Parking: free")
  })

  test("is answered from the only record that was found, by the name of what it is about", () => {
    const [anna = ""] = records.split("\n\n")
    expect(answer("What is the phone number of Anna Schmidt?", anna)).toBe("Phone: 555-1201")
    expect(answer("What is the phone number of Omar Haddad?", ...records.split("\n\n"))).toBe(
      "Omar Haddad: Phone 555-1202",
    )
  })

  test("quotes the whole row", () => {
    const found = answerTo(bounded("How much does the Team plan cost?"), materialOf([passage(plans)]))
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
