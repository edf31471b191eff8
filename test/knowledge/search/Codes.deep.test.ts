import { afterAll, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { Retriever } from "../../../src/knowledge/Retriever.ts"
import { indexing, learn, search } from "../../lib/Knowledge.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as, makeTenant } from "../../lib/Tenants.ts"

/** Sentences that differ in their code alone, so that nothing else can tell them apart, and questions for it. */
const languages: ReadonlyArray<
  readonly [language: string, written: (code: string) => string, asked: (code: string) => string]
> = [
  ["Arabic", (code) => `القطعة ${code} محفوظة في المستودع الشمالي.`, (code) => `أين القطعة ${code}؟`],
  ["Chinese", (code) => `备件 ${code} 存放在北仓库，售价九欧元。`, (code) => `${code}存放在哪里？`],
  ["Dutch", (code) => `Het onderdeel ${code} ligt in het noordelijke magazijn.`, (code) => `Waar ligt ${code}?`],
  ["English", (code) => `The spare part ${code} is kept in the north warehouse.`, (code) => `Where is ${code} kept?`],
  ["French", (code) => `La pièce ${code} est gardée dans l'entrepôt du nord.`, (code) => `Où est gardée ${code} ?`],
  ["German", (code) => `Das Ersatzteil ${code} liegt im Nordlager.`, (code) => `Wo liegt ${code}?`],
  ["Italian", (code) => `Il ricambio ${code} si trova nel magazzino nord.`, (code) => `Dove si trova ${code}?`],
  ["Japanese", (code) => `部品${code}は北倉庫に保管されます。`, (code) => `${code}はどこに保管されていますか？`],
  ["Portuguese", (code) => `A peça ${code} fica no armazém do norte.`, (code) => `Onde fica ${code}?`],
  ["Russian", (code) => `Деталь ${code} хранится на северном складе.`, (code) => `Где хранится ${code}?`],
  ["Spanish", (code) => `El repuesto ${code} se guarda en el almacén.`, (code) => `¿Dónde se guarda ${code}?`],
  ["Turkish", (code) => `Yedek parça ${code} kuzey deposunda durur.`, (code) => `${code} nerede durur?`],
]

/** Each code as a document writes it, and as it is asked for. */
const codes: ReadonlyArray<readonly [written: string, ...asked: ReadonlyArray<string>]> = [
  ["PPR-9087", "PPR9087", "ppr 9087", "ppr-9087", "PPR_9087", "PPR.9087", "PPR–9087"],
  ["PPR-9088"],
  ["PPR-9187"],
  ["E1042", "E-1042", "e 1042", "E_1042"],
  ["E1043"],
  ["E1142"],
  ["AB 12-345-67", "AB1234567", "AB12-345-67", "ab 12 345 67"],
  ["AB 12-345-68"],
  ["XK4417Z", "XK-4417-Z", "xk 4417 z", "XK4417-Z"],
  ["XK4418Z"],
  ["500mg", "500 mg", "500-mg"],
  ["250mg", "250 mg"],
  ["75 kW", "75kW", "75kw"],
  ["55 kW", "55kW"],
  ["v3.2", "3.2", "V3.2"],
  ["v3.3", "3.3"],
  ["4.1.0", "v4.1.0", "V4.1.0"],
  ["4.2.0", "v4.2.0"],
  ["0800 123 456", "0800123456", "0800-123456", "0800/123456", "0800-123-456"],
  ["0800 123 457", "0800123457"],
  ["+49 30 901820", "+4930901820", "49 30 901 820"],
  ["DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "DE89-3704-0044-0532-0130-00"],
  ["4006381333931", "4 006381 333931", "4006381-333931"],
  ["SKU/77/A19", "SKU77A19", "SKU-77-A19", "sku 77 a19"],
  ["M8x40", "M8 x 40"],
  ["M8x50", "M8 x 50"],
]

const MEBIBYTE = 2 ** 20
/** Long numbers are taken apart as passages hold them, which only an index in memory tells. */
const isGrouped = (form: string): boolean => /\d{6}/.test(form)
/** With an index in memory, and where the knowledge is too large for one. */
const spaces = [
  { space: "in memory", indexBytes: 64 * MEBIBYTE, languages, codes },
  {
    space: "in the database",
    indexBytes: 1,
    languages: languages.slice(1, 4),
    codes: codes.map((forms) => forms.filter((form, index) => index === 0 || !isGrouped(form))),
  },
]

for (const { codes, indexBytes, languages, space } of spaces) {
  const runtime = ManagedRuntime.make(
    search({ indexBytes, threshold: undefined }).pipe(
      Layer.provideMerge(indexing),
      Layer.provideMerge(Layer.merge(storage, platform)),
    ),
  )
  afterAll(() => runtime.dispose())
  test.each(languages)(
    `a code is found in whatever way it is asked for, ${space}, in %s`,
    (_language, written, asked) =>
      runtime.runPromise(
        Effect.gen(function* () {
          const { chatbot, organization } = yield* makeTenant
          const retriever = yield* Retriever
          const first = Effect.fnUntraced(function* (query: string) {
            const { hits } = yield* as(organization)(retriever.search({ chatbotId: chatbot, query, topK: 5 }))
            return hits[0]?.content
          })
          for (const [code] of codes) {
            yield* learn({ chatbot, organization }, "Parts", [{ text: written(code) }])
          }
          const wrong: Array<string> = []
          for (const [code = "", ...forms] of codes) {
            for (const form of [code, ...forms]) {
              for (const query of [form, asked(form)]) {
                if ((yield* first(query)) !== written(code)) wrong.push(`${code}: ${query}`)
              }
            }
          }
          expect(wrong).toEqual([])
          for (const code of ["PPR-9089", "E-1044", "XK4419Z"])
            expect([code, yield* first(code)]).toEqual([code, undefined])
        }),
      ),
  )
}
