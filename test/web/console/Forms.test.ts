import { describe, expect, test } from "bun:test"
import {
  clashesOf,
  differences,
  fieldsOf,
  makeForm,
  merge,
  patchOf,
  type Stored,
} from "../../../src/web/console/forms/Form.ts"
import { lookOf } from "../../../src/web/console/preview/WidgetPreview.tsx"
import { failureOf } from "../../../src/web/console/server/Failure.ts"

const chatbot = {
  name: "Support",
  settings: { prompt: "Be kind.", isToolEnabled: true, fallbackModels: ["a", "b"], snippet: { header: "Help" } },
  voice_widget_config: null,
}

describe("the fields of a configuration", () => {
  test("are named by their paths, and lists are values", () => {
    expect(fieldsOf(chatbot)).toEqual({
      name: "Support",
      "settings.prompt": "Be kind.",
      "settings.isToolEnabled": true,
      "settings.fallbackModels": ["a", "b"],
      "settings.snippet.header": "Help",
      voice_widget_config: null,
    })
  })

  test("make a change that holds nothing but what differs, and null for what is taken away", () => {
    const base = fieldsOf(chatbot)
    const draft = {
      ...base,
      "settings.prompt": "Be brief.",
      "settings.fallbackModels": [],
      "voice.text.endCall": "Bye",
    }
    const paths = differences(base, draft)
    expect(patchOf(draft, paths)).toEqual({
      settings: { prompt: "Be brief.", fallbackModels: null },
      voice: { text: { endCall: "Bye" } },
    })
  })

  test("show a list of lists as lines, with commas in between, however they are written", () => {
    const fields = fieldsOf({ settings: { synonyms: [["PTO", "paid leave"]] } })
    expect(fields).toEqual({ "settings.synonyms": ["PTO, paid leave"] })
    const draft = { "settings.synonyms": ["PTO,paid leave ,", "", "年假、休假"] }
    expect(patchOf(draft, differences(fields, draft))).toEqual({
      settings: {
        synonyms: [
          ["PTO", "paid leave"],
          ["年假", "休假"],
        ],
      },
    })
  })

  test("that are not set do not differ from null or an empty list", () => {
    expect(differences({ a: null, b: [] }, {})).toEqual([])
  })
})

describe("what two people change at once", () => {
  const base = { name: "Support", prompt: "Be kind.", greeting: "Hello" }

  test("is put together where they changed different fields", () => {
    const mine = { ...base, name: "Shop" }
    const theirs = { ...base, greeting: "Hi" }
    expect(merge(base, mine, theirs)).toEqual({ name: "Shop", prompt: "Be kind.", greeting: "Hi" })
    expect(clashesOf(base, mine, theirs)).toEqual([])
  })

  test("clashes only where both changed a field, and not to the same value", () => {
    const mine = { ...base, name: "Shop", prompt: "Be brief." }
    const theirs = { ...base, name: "Store", prompt: "Be brief." }
    expect(clashesOf(base, mine, theirs)).toEqual([{ path: "name", mine: "Shop", theirs: "Store" }])
    expect(merge(base, mine, theirs)["name"]).toBe("Shop")
  })
})

describe("a form", () => {
  const first: Stored = { fields: { name: "Support", greeting: "Hello" }, etag: '"1"' }
  const choose = () => Promise.reject(new Error("Nothing to choose"))

  test("sends the version that it began with, and only what was changed", async () => {
    const sent: Array<unknown> = []
    const form = makeForm(first, {
      load: async () => first,
      choose,
      save: async (fields, paths, etag) => {
        sent.push([paths, etag])
        return { fields, etag: '"2"' }
      },
    })
    form.set("name", "Shop")
    expect(await form.save()).toBe(true)
    form.set("greeting", "Hi")
    await form.save()
    expect(sent).toEqual([
      [["name"], '"1"'],
      [["greeting"], '"2"'],
    ])
    expect(form.changes.value).toEqual([])
  })

  test("keeps what is written while it is being saved", async () => {
    const form = makeForm(first, {
      load: async () => first,
      choose,
      save: async (fields) => {
        form.set("greeting", "Hi")
        return { fields, etag: '"2"' }
      },
    })
    form.set("name", "Shop")
    await form.save()
    expect(form.text("greeting")).toBe("Hi")
    expect(form.changes.value).toEqual(["greeting"])
  })

  /** A form whose configuration somebody else has stored meanwhile, and the fields that are asked about. */
  const overtaken = (theirs: Stored, taken: ReadonlyArray<string> | undefined) => {
    const asked: Array<string> = []
    const form = makeForm(first, {
      load: async () => theirs,
      choose: async (clashes) => {
        asked.push(...clashes.map(({ path }) => path))
        return taken
      },
      save: async (fields, _, etag) => {
        if (etag !== theirs.etag) throw failureOf(412, { code: "precondition_failed", detail: "It has changed." })
        return { fields, etag: '"3"' }
      },
    })
    form.set("name", "Shop")
    return { form, asked }
  }

  test("saves onto what somebody else has stored meanwhile in other fields", async () => {
    const { asked, form } = overtaken({ fields: { name: "Support", greeting: "Hi" }, etag: '"2"' }, [])
    expect(await form.save()).toBe(true)
    expect(form.fields.value).toEqual({ name: "Shop", greeting: "Hi" })
    expect(asked).toEqual([])
  })

  test("asks whose values stay where both have changed a field, and saves those", async () => {
    for (const [taken, name] of [
      [[], "Shop"],
      [["name"], "Store"],
    ] as const) {
      const { asked, form } = overtaken({ fields: { name: "Store", greeting: "Hi" }, etag: '"2"' }, taken)
      expect(await form.save()).toBe(true)
      expect(form.fields.value).toEqual({ name, greeting: "Hi" })
      expect(asked).toEqual(["name"])
    }
  })

  test("stays as it is when the person goes on editing", async () => {
    const { form } = overtaken({ fields: { name: "Store", greeting: "Hi" }, etag: '"2"' }, undefined)
    expect(await form.save()).toBe(false)
    expect(form.fields.value).toEqual({ name: "Shop", greeting: "Hello" })
    expect([form.isSaving.value, form.failure.value]).toEqual([false, undefined])
  })

  test("says at a field what the server finds wrong with it, until it is changed", async () => {
    const problem = { code: "invalid_request", detail: "Invalid", errors: [{ path: "name", message: "Too long" }] }
    const form = makeForm(first, {
      load: async () => first,
      choose,
      save: () => Promise.reject(failureOf(400, problem)),
    })
    form.set("name", "Shop")
    await form.save()
    expect(form.errors.value).toEqual([{ path: "name", message: "Too long" }])
    form.set("name", "Store")
    expect(form.errors.value).toEqual([])
  })
})

test("the preview shows the widget's own texts, and where those are empty the chatbot's, as the server does", () => {
  const fields = fieldsOf({
    id: "1",
    name: "Support",
    active: true,
    settings: { greeting: "Hello", snippet: { header: "Help", primaryColor: "#11223344", slogan: "" } },
  })
  const look = lookOf(fields, { header: "", slogan: "Always there", language: "de" })
  expect(look).toMatchObject({ header: "Help", name: "Support", slogan: "Always there", language: "de" })
  expect(look.primary_color).toBe("#112233")
})
