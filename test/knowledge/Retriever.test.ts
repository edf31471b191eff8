import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { Unavailable } from "../../src/domain/Errors.ts"
import { ChatbotId } from "../../src/domain/Ids.ts"
import { Embeddings } from "../../src/embeddings/Embeddings.ts"
import { LOCAL_MODEL } from "../../src/embeddings/LocalEmbedding.ts"
import { Indexer } from "../../src/knowledge/Indexer.ts"
import { KnowledgeIndexes } from "../../src/knowledge/search/KnowledgeIndexes.ts"
import { Retriever } from "../../src/knowledge/Retriever.ts"
import { Chunks } from "../../src/storage/search/Chunks.ts"
import { ChunksCalls, countedChunks, forget, indexing, learn, relearn, search, type Tenant } from "../lib/Knowledge.ts"
import { platform, storage } from "../lib/Layers.ts"
import { as, makeTenant } from "../lib/Tenants.ts"
import { bounded } from "../../src/text/BoundedText.ts"
import { effectTests } from "../lib/EffectTests.ts"

const MEBIBYTE = 2 ** 20

const runtime = ManagedRuntime.make(
  search({ indexBytes: 64 * MEBIBYTE, threshold: undefined }).pipe(
    Layer.provideMerge(indexing),
    Layer.provideMerge(countedChunks),
    Layer.provideMerge(Layer.merge(storage, platform)),
  ),
)
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

const find = Effect.fnUntraced(function* ({ organization, chatbot }: Tenant, query: string, topK = 5) {
  const found = yield* as(organization)((yield* Retriever).search({ chatbotId: chatbot, query, topK }))
  return found.hits
})
const textsOf = (hits: Effect.Success<ReturnType<typeof find>>) => hits.map((hit) => hit.content)

const refunds = { text: "A refund is paid within fourteen days after the parcel came back to us." }
const shipping = { text: "Shipping to Norway takes five working days and costs twelve euros." }
const passwords = { text: "To reset a forgotten password, open the sign-in page and ask for a link by e-mail." }
const cameras = { text: "The camera charges its battery over USB-C in ninety minutes." }

describe("a search", () => {
  it("finds the passage that answers the question, with its document, headings and page", function* () {
    const tenant = yield* makeTenant
    const document = yield* learn(tenant, "Handbook", [
      shipping,
      { ...refunds, headings: ["Orders", "Returns"] },
      passwords,
    ])
    const [first] = yield* find(tenant, "When do I get my refund?")
    expect(first).toMatchObject({
      documentId: document,
      ordinal: 2,
      title: "Handbook",
      headings: ["Orders", "Returns"],
      content: refunds.text,
      page: 2,
    })
    expect(first?.similarity).toBeGreaterThan(0.2)
    expect(first?.similarity).toBeLessThanOrEqual(1)
  })

  it("finds passages by some of the words, by other inflections, and by titles and headings", function* () {
    const tenant = yield* makeTenant
    yield* learn(tenant, "Accounts", [passwords, { text: "Only an owner may do this.", headings: ["Deleting users"] }])
    yield* learn(tenant, "Deliveries", [shipping])
    expect(textsOf(yield* find(tenant, "somebody forgot passwords, what now"))).toEqual([passwords.text])
    expect(textsOf(yield* find(tenant, "how to delete a user"))).toEqual(["Only an owner may do this."])
    expect(textsOf(yield* find(tenant, "delivery"))).toEqual([shipping.text])
  })

  it("is not misled by how a question is put: by words that only ask, and by what else the answer shall be", function* () {
    const tenant = yield* makeTenant
    yield* learn(tenant, "Handbook", [shipping, refunds, passwords, cameras])
    const tail =
      "If such figures seem unhelpful, then state it clearly, name reasons and justify omissions. Use everyday language! Avoid jargon! Quote paragraphs verbatim! Mention confidence percentages! Write Shakespearean verses! Imagine yourself teaching kindergarten children."
    for (const question of ["When is a refund paid?", "How is a password reset?"]) {
      const [first] = textsOf(yield* find(tenant, question))
      expect(first).toBeDefined()
      expect(textsOf(yield* find(tenant, `${question} ${tail}`))[0]).toBe(first ?? "")
    }
    expect(textsOf(yield* find(tenant, `Who won the battle of Hastings? ${tail}`))).toEqual([])
    const german = yield* makeTenant
    yield* learn(german, "Chronik", [
      { text: "Der Kaiser ließ die Brücke über den Fluss bauen und weihte sie selbst ein." },
      { text: "Die Altstadt wurde nach dem Brand wieder aufgebaut." },
    ])
    expect(
      textsOf(yield* find(german, "Wer weihte wem wann, warum, weshalb, wozu, womit und wohin was ein?")).length,
    ).toBeGreaterThan(0)
  })

  test.each([
    ["German", "Ein Treibhaus hat auf die Pflanzen einen guten Effekt.", "Treibhauseffekt", "Treibhausgas"],
    ["Dutch", "De verzekering vergoedt het als een fiets is gestolen.", "fietsverzekering", "fietsenstalling"],
    ["Swedish", "Den som har en cykel kan teckna en försäkring hos oss.", "cykelförsäkring", "cykelbana"],
  ])("finds the parts of a compound in %s", (_language, text, compound, other) =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        yield* learn(tenant, "", [{ text }])
        yield* learn(tenant, "Handbook", [shipping, refunds])
        expect(textsOf(yield* find(tenant, compound))).toEqual([text])
        expect(textsOf(yield* find(tenant, other))).toEqual([])
      }),
    ),
  )

  it("finds nothing for an unrelated question", function* () {
    const tenant = yield* makeTenant
    yield* learn(tenant, "Handbook", [shipping, refunds, passwords, cameras])
    for (const query of [
      "Who won the battle of Hastings?",
      "the",
      "???",
      "Which page of the almanac gives the boiling point of wax?",
    ]) {
      expect(textsOf(yield* find(tenant, query))).toEqual([])
    }
  })

  test.each([
    [
      "Vietnamese",
      [
        "Khách hàng có thể trả hàng trong vòng ba mươi ngày kể từ ngày mua nếu sản phẩm còn nguyên hộp.",
        "Thời gian giao hàng trong nước là từ hai đến bốn ngày làm việc, tùy theo khu vực.",
        "Để đặt lại mật khẩu, hãy mở trang đăng nhập và chọn quên mật khẩu.",
      ],
      "Giao hàng trong nước mất bao lâu?",
      "Ai đã viết trang đầu tiên trong lịch sử của nước này?",
    ],
    [
      "Greek",
      [
        "Οι πελάτες μπορούν να επιστρέψουν ένα προϊόν μέσα σε τριάντα ημέρες από την αγορά.",
        "Η παράδοση στο εσωτερικό διαρκεί από δύο έως τέσσερις εργάσιμες ημέρες.",
        "Για να αλλάξετε τον κωδικό σας, ανοίξτε τη σελίδα σύνδεσης που έχετε στον υπολογιστή.",
      ],
      "Πόσο διαρκεί η παράδοση στο εσωτερικό;",
      "Ποιος ήταν ο πρώτος άνθρωπος που πάτησε στη σελήνη μέσα σε όλη την ιστορία;",
    ],
  ])("in %s finds what passages answer, and nothing by words that most texts have", (_, texts, asked, unrelated) =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        yield* learn(
          tenant,
          "",
          texts.map((text) => ({ text })),
        )
        expect(textsOf(yield* find(tenant, asked))[0]).toBe(texts[1])
        expect(textsOf(yield* find(tenant, unrelated))).toEqual([])
      }),
    ),
  )

  it("takes a Vietnamese name in an English question for a name", function* () {
    const tenant = yield* makeTenant
    const office = { text: "Nguyễn leads the office in Hanoi and answers all calls about invoices." }
    yield* learn(tenant, "", [shipping, refunds, passwords, office])
    yield* learn(tenant, "", [{ text: "Thời gian giao hàng trong nước là từ hai đến bốn ngày làm việc." }])
    expect(textsOf(yield* find(tenant, "When does Nguyễn take the train to the office?"))[0]).toBe(office.text)
  })

  it("returns at most `topK` passages", function* () {
    const tenant = yield* makeTenant
    yield* learn(
      tenant,
      "Rooms",
      Array.from({ length: 60 }, (_, number) => ({ text: `Room ${number} has a projector.` })),
    )
    expect(yield* find(tenant, "projector", 50)).toHaveLength(50)
    expect(yield* find(tenant, "projector", 3)).toHaveLength(3)
  })

  it("finds passages in every language of the knowledge base", function* () {
    const tenant = yield* makeTenant
    const german = "Die Häuser der Altstadt wurden nach dem großen Brand wieder aufgebaut."
    const chinese = "黑豹队在超级碗比赛中输给了野马队。"
    yield* learn(tenant, "English", [shipping, refunds])
    yield* learn(tenant, "Altstadt", [{ text: german }])
    yield* learn(tenant, "体育", [{ text: chinese }])
    // The particles differ: 은 in the question, 을 in the text.
    const korean = "환불을 신청하면 십사 일 이내에 대금을 돌려드립니다."
    yield* learn(tenant, "안내", [{ text: korean }, { text: "배송은 닷새가 걸립니다." }])
    expect(textsOf(yield* find(tenant, "환불은 언제 받을 수 있나요?"))).toEqual([korean])
    expect(textsOf(yield* find(tenant, "Wann wurde das Haus aufgebaut?"))).toEqual([german])
    expect(textsOf(yield* find(tenant, "超级碗谁输了？"))).toEqual([chinese])
    expect(textsOf(yield* find(tenant, "refunds"))).toEqual([refunds.text])
  })

  it("finds what one sentence of a Chinese question asks, whatever the others tell", function* () {
    const tenant = yield* makeTenant
    const returns = "商品可以在收到后十四天内退货,运费由买家承担。"
    yield* learn(tenant, "", [{ text: returns }, { text: "商店每天早上九点开门,晚上六点关门。" }])
    const told = "你好,我叫王小明,上个星期跟朋友在北京看电影的时候丢了一把雨伞。"
    expect(textsOf(yield* find(tenant, `${told}商品多少天内可以退货？`))[0]).toBe(returns)
    expect(yield* find(tenant, told)).toEqual([])
  })

  it("finds nothing in Thai where no passage answers", function* () {
    const tenant = yield* makeTenant
    const cats = "แมวนอนวันละสิบหกชั่วโมงและชอบกินปลา"
    yield* learn(tenant, "", [
      { text: cats },
      { text: "ร้านเปิดทุกวันตั้งแต่เก้าโมงเช้าถึงหกโมงเย็น" },
      { text: "การจัดส่งสินค้าภายในประเทศใช้เวลาห้าวัน" },
    ])
    expect(textsOf(yield* find(tenant, "แมวนอนวันละกี่ชั่วโมง"))[0]).toBe(cats)
    expect(yield* find(tenant, "ใครเป็นผู้เขียนนวนิยายเรื่องสงครามและสันติภาพ")).toEqual([])
  })

  it("finds passages in both languages of one document", function* () {
    const tenant = yield* makeTenant
    const german = "Rückzahlungen dauern vierzehn Tage, nachdem die Ware bei uns angekommen ist."
    yield* learn(tenant, "Handbook", [shipping, refunds, passwords, { text: german }])
    expect(textsOf(yield* find(tenant, "When is the refund paid to me?"))[0]).toBe(refunds.text)
    expect(textsOf(yield* find(tenant, "Wie lange dauern die Rückzahlungen?"))[0]).toBe(german)
  })

  it("stems a document as most of its chunks are written, and in case of doubt as the other documents", function* () {
    const tenant = yield* makeTenant
    const languages = Effect.flatMap(Chunks, (chunks) => as(tenant.organization)(chunks.languages(tenant.chatbot)))
    const german = "Die Häuser der Altstadt wurden nach dem großen Brand wieder aufgebaut und stehen bis heute."
    yield* learn(tenant, "Altstadt", [shipping, ...Array.from({ length: 4 }, () => ({ text: german }))])
    yield* learn(tenant, "Nummern", [{ text: "17.5 2024 33" }])
    expect(yield* languages).toEqual([{ language: "german", texts: 6 }])
    yield* learn(tenant, "Shipping", [shipping])
    expect(yield* languages).toEqual([
      { language: "english", texts: 1 },
      { language: "german", texts: 6 },
    ])
  })

  it("fails in the same way for a missing chatbot and for one of another organization", function* () {
    const [mine, theirs] = [yield* makeTenant, yield* makeTenant]
    yield* learn(theirs, "Secrets", [passwords])
    expect(yield* find(theirs, "password")).toHaveLength(1)
    const foreign = yield* Effect.flip(find({ ...mine, chatbot: theirs.chatbot }, "password"))
    const missing = yield* Effect.flip(find({ ...mine, chatbot: ChatbotId.make(crypto.randomUUID()) }, "password"))
    expect(foreign).toEqual(missing)
    expect(foreign._tag).toBe("NotFound")
    expect(yield* find(mine, "password")).toEqual([])
  })
})

describe("a change to a knowledge base", () => {
  it("is visible to the next search, whether a document was added, replaced or deleted", function* () {
    const tenant = yield* makeTenant
    expect(yield* find(tenant, "refund")).toEqual([])
    const document = yield* learn(tenant, "Terms", [refunds])
    expect(textsOf(yield* find(tenant, "refund"))).toEqual([refunds.text])
    yield* relearn(tenant, document, "Terms", [{ text: "A refund takes a month." }])
    expect(textsOf(yield* find(tenant, "refund"))).toEqual(["A refund takes a month."])
    yield* forget(tenant, document)
    expect(yield* find(tenant, "refund")).toEqual([])
  })

  it("is not visible before it is published", function* () {
    const tenant = yield* makeTenant
    yield* learn(tenant, "Terms", [refunds])
    yield* learn(tenant, "Draft", [{ text: "A refund takes a month." }], false)
    expect(textsOf(yield* find(tenant, "refund"))).toEqual([refunds.text])
  })

  it("has only the new chunks read, and an unchanged knowledge base is not read again", function* () {
    const calls = yield* ChunksCalls
    const tenant = yield* makeTenant
    yield* learn(
      tenant,
      "Rooms",
      Array.from({ length: 10 }, (_, number) => ({ text: `Room ${number} has a projector.` })),
    )
    yield* find(tenant, "projector")
    yield* learn(tenant, "Terms", [refunds])
    calls.clear()
    yield* find(tenant, "projector")
    yield* find(tenant, "refund")
    // The first search finds that its cached index is outdated, and searches again.
    expect(Object.fromEntries(calls)).toEqual({ probe: 1, serving: 1, lexemes: 1, fetch: 3 })
    calls.clear()
    yield* Effect.forEach(["projector", "refund", "projector"], (query) => find(tenant, query), {
      concurrency: "unbounded",
    })
    expect(Object.fromEntries(calls)).toEqual({ fetch: 3 })
  })

  it("is read only once by concurrent searches", function* () {
    const calls = yield* ChunksCalls
    const tenant = yield* makeTenant
    yield* learn(tenant, "Terms", [refunds])
    calls.clear()
    const found = yield* Effect.all(
      Array.from({ length: 20 }, () => find(tenant, "refund")),
      { concurrency: "unbounded" },
    )
    for (const hits of found) expect(textsOf(hits)).toEqual([refunds.text])
    expect(calls.get("lexemes")).toBe(1)
  })
})

describe("the memory of search indexes", () => {
  const tiny = search({ indexBytes: 1, threshold: undefined })

  it("is bounded: where an index does not fit, the database finds the same passages with nearly the same similarity", function* () {
    const tenant = yield* makeTenant
    yield* learn(tenant, "Handbook", [shipping, refunds, passwords, cameras])
    yield* learn(tenant, "Altstadt", [{ text: "Die Häuser der Altstadt wurden nach dem Brand aufgebaut." }])
    for (const query of ["When is a refund paid?", "Haus in der Altstadt", "reset password by e-mail", "Hastings"]) {
      const indexed = yield* find(tenant, query)
      const calls = yield* ChunksCalls
      calls.clear()
      const direct = yield* find(tenant, query).pipe(Effect.provide(tiny))
      expect(calls.get("matching")).toBe(1)
      expect(calls.has("lexemes")).toBe(false)
      expect(textsOf(direct)).toEqual(textsOf(indexed))
      for (const [rank, hit] of direct.entries()) {
        // The index keeps rounded vectors.
        expect(hit.similarity).toBeCloseTo(indexed[rank]?.similarity ?? 0, 1)
      }
    }
  })

  it("is given to the knowledge bases that were searched most recently", function* () {
    const calls = yield* ChunksCalls
    const tenants = [yield* makeTenant, yield* makeTenant, yield* makeTenant] as const
    const words = Array.from({ length: 1_000 }, (_, number) => `word${number}`).join(" ")
    for (const tenant of tenants) yield* learn(tenant, "Words", [{ text: words }])
    const open = ({ organization, chatbot }: Tenant) =>
      Effect.flatMap(KnowledgeIndexes, (indexes) =>
        as(organization)(indexes.open(chatbot, bounded("word7"), "current")),
      )
    const [first, second, third] = tenants
    const { bytes } = (yield* open(first)).index
    yield* Effect.gen(function* () {
      for (const tenant of [first, second, first, third]) yield* open(tenant)
      calls.clear()
      yield* open(first)
      yield* open(third)
      expect(calls.has("lexemes")).toBe(false)
      yield* open(second)
      expect(calls.get("lexemes")).toBe(1)
    }).pipe(Effect.provide(search({ indexBytes: 2.5 * bytes, threshold: undefined })))
  })
})

describe("semantic embeddings", () => {
  const meaning = (text: string): Float32Array =>
    Float32Array.of(/refund|money/.test(text) ? 1 : 0.05, /ship|parcel/.test(text) ? 1 : 0.05, 0.1)
  const named = (model: string, unrelatedCosine = 0) =>
    Layer.succeed(Embeddings, {
      model,
      weight: 0.5,
      isSemantic: true,
      unrelatedCosine,
      embedQuery: (text) => Effect.sync(() => meaning(text)),
      embedDocuments: (texts) => Effect.sync(() => texts.map(meaning)),
    })
  const semantic = named("test/semantic")

  for (const [place, indexBytes, comparisons] of [
    ["memory", 64 * MEBIBYTE, 0],
    ["the database", 0, 1],
  ] as const) {
    test(`compared in ${place} find passages that share no word with the question, but none that is unpublished`, () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* makeTenant
          yield* learn(tenant, "Terms", [{ text: "A refund takes a month." }, cameras])
          yield* learn(tenant, "Draft", [{ text: "A refund takes a year." }], false)
          const calls = yield* ChunksCalls
          calls.clear()
          const hits = yield* find(tenant, "my money back please")
          expect(textsOf(hits).at(0)).toBe("A refund takes a month.")
          expect(textsOf(hits)).not.toContain("A refund takes a year.")
          expect(hits[0]?.similarity).toBeGreaterThan(0.9)
          expect(calls.get("cosines") ?? 0).toBe(comparisons)
        }).pipe(
          Effect.provide(
            search({ indexBytes, threshold: 0.5 }).pipe(
              Layer.provideMerge(Layer.fresh(Indexer.layer)),
              Layer.provideMerge(semantic),
            ),
          ),
        ),
      ))
  }

  test("stay compared in memory while documents beside them have no vectors, or those of another model", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const calls = yield* ChunksCalls
        const indexer = (embeddings: Layer.Layer<Embeddings>) =>
          Effect.provide(Layer.fresh(Indexer.layer).pipe(Layer.provide(embeddings)))
        yield* learn(tenant, "Cameras", [cameras]).pipe(indexer(named("test/former")))
        calls.clear()
        expect(textsOf(yield* find(tenant, "cameras"))).toEqual([cameras.text])
        yield* learn(tenant, "Terms", [{ text: "A refund takes a month." }]).pipe(indexer(semantic))
        yield* learn(tenant, "Lenses", [{ text: "Lenses are cleaned with a cloth." }]).pipe(
          indexer(named("test/former")),
        )
        expect(textsOf(yield* find(tenant, "my money back please")).at(0)).toBe("A refund takes a month.")
        expect(textsOf(yield* find(tenant, "How are lenses cleaned?"))).toContain("Lenses are cleaned with a cloth.")
        expect(calls.get("cosines") ?? 0).toBe(0)
      }).pipe(Effect.provide(search({ indexBytes: 64 * MEBIBYTE, threshold: 0.2 }).pipe(Layer.provideMerge(semantic)))),
    ))

  it("find nothing where no cosine is above that of unrelated texts, and otherwise what the ranking gives", function* () {
    const tenant = yield* makeTenant
    const found = (query: string, unrelatedCosine: number) =>
      find(tenant, query).pipe(
        Effect.provide(
          search({ indexBytes: 64 * MEBIBYTE, threshold: 0.2 }).pipe(
            Layer.provide(named("test/unrelated", unrelatedCosine)),
          ),
        ),
        Effect.map((hits) => hits.map(({ content, similarity }) => [content, Number(similarity.toFixed(2))])),
      )
    yield* learn(tenant, "Terms", [{ text: "A refund takes a month." }, { text: "We ship on Mondays." }]).pipe(
      Effect.provide(Layer.fresh(Indexer.layer).pipe(Layer.provide(named("test/unrelated")))),
    )
    // The cosine of the question is 1 with one passage, and 0.11 with the other one.
    expect(yield* found("money back", 0)).toEqual([
      ["A refund takes a month.", 1],
      ["We ship on Mondays.", 0.2],
    ])
    // That of a question about neither is 0.51 with both.
    expect(yield* found("holidays", 0)).toHaveLength(2)
    expect(yield* found("holidays", 0.5)).toEqual([])
  })

  test("are asked for once for a question that is repeated, but again by another organization and after a failure", () => {
    const asked: Array<string> = []
    const counting = Layer.effect(
      Embeddings,
      Effect.map(Embeddings, (embeddings) => ({
        ...embeddings,
        embedQuery: (text) =>
          Effect.suspend(() =>
            asked.push(text) === 1
              ? Effect.fail(new Unavailable({ detail: "It rests.", retry_after_seconds: 1 }))
              : embeddings.embedQuery(text),
          ),
      })),
    ).pipe(Layer.provide(named("test/counting")))
    return run(
      Effect.gen(function* () {
        const [one, other] = [yield* makeTenant, yield* makeTenant]
        for (const tenant of [one, one, one, other]) yield* find(tenant, "refund")
        yield* find(one, "money")
        expect(asked).toEqual(["refund", "refund", "refund", "money"])
      }).pipe(Effect.provide(search({ indexBytes: 64 * MEBIBYTE, threshold: 0.5 }).pipe(Layer.provide(counting)))),
    )
  })

  test.each([
    ["model", "test/semantic"],
    ["dimension", LOCAL_MODEL],
  ])("are not compared with vectors of another %s", (_, name) =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        yield* learn(tenant, "Terms", [refunds])
        const hits = yield* find(tenant, "refund").pipe(
          Effect.provide(search({ indexBytes: 64 * MEBIBYTE, threshold: undefined }).pipe(Layer.provide(named(name)))),
        )
        expect(textsOf(hits)).toEqual([refunds.text])
        expect(hits[0]?.scores.vector).toBeNull()
      }),
    ),
  )
})
