import { Context, Effect, Layer } from "effect"
import { address } from "./config/Address.ts"
import { chats, spending } from "./config/Chats.ts"
import { consoleAndEvents } from "./config/Console.ts"
import { data } from "./config/Data.ts"
import { documents } from "./config/Documents.ts"
import { languageModels } from "./config/LanguageModels.ts"
import { rateLimits } from "./config/Rates.ts"
import { requestsAndUploads } from "./config/Requests.ts"
import { search } from "./config/Search.ts"
import { type About, type Group, type Section, Setting, type ValuesOf } from "./config/Setting.ts"
import { telemetry } from "./config/Telemetry.ts"
import { tools } from "./config/Tools.ts"
import { widget } from "./config/Widget.ts"
import { severalWorkers } from "./config/Workers.ts"
import { sharesAndQuotas } from "./config/Shares.ts"
import type { StartupError } from "./system/StartupError.ts"

const groups: ReadonlyArray<Group> = [
  address,
  severalWorkers,
  telemetry,
  data,
  languageModels,
  search,
  rateLimits,
  widget,
  requestsAndUploads,
  documents,
  chats,
  tools,
  spending,
  sharesAndQuotas,
  consoleAndEvents,
]

const sections = {
  ...address.sections,
  ...severalWorkers.sections,
  ...telemetry.sections,
  ...data.sections,
  ...languageModels.sections,
  ...search.sections,
  ...rateLimits.sections,
  ...widget.sections,
  ...requestsAndUploads.sections,
  ...documents.sections,
  ...chats.sections,
  ...tools.sections,
  ...spending.sections,
  ...sharesAndQuotas.sections,
  ...consoleAndEvents.sections,
}

type Values = ValuesOf<typeof sections>

const settingsIn = (section: Section): ReadonlyArray<Setting<unknown>> =>
  Object.values(section).flatMap((one) => (one instanceof Setting ? [one] : settingsIn(one)))

/** Describes every setting once, in the groups of `docs/settings.md`, which is generated from this list. */
export const documentation: ReadonlyArray<
  Pick<Group, "title" | "introduction"> & { readonly settings: ReadonlyArray<About> }
> = groups.map(({ title, introduction, sections }) => {
  const listed = settingsIn(sections).flatMap(({ about }) => (about.isElsewhere === true ? [] : [about]))
  // A setting that several layers of a group share is listed once, where its last layer lists it.
  const settings = listed.filter((about, index) => listed.lastIndexOf(about) === index)
  return { title, introduction, settings }
})

/** Describes every setting once, without the groups. */
export const settings: ReadonlyArray<About> = documentation.flatMap((group) => group.settings)

const readAll: (section: Section) => Effect.Effect<Record<string, unknown>, StartupError> = Effect.fnUntraced(
  function* (section) {
    const values: Record<string, unknown> = {}
    for (const [name, one] of Object.entries(section)) {
      values[name] = yield* one instanceof Setting ? one.read : readAll(one)
    }
    return values
  },
)

/**
 * The settings of this process, read once from the environment (Bun reads a `.env` file into it). Each section holds
 * the settings of one layer, under the names that the layer uses, and is passed to that layer whole.
 */
export class Config extends Context.Service<Config, Values>()("parley/Config") {
  /** Fails at the first invalid value, with a message that shows the value and says which values are valid. */
  static readonly layer: Layer.Layer<Config, StartupError> = Layer.effect(
    this,
    // The names are those of `sections`, which TypeScript cannot follow through `Object.entries`.
    Effect.map(readAll(sections), (values) => values as Values),
  )
}
