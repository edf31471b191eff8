import { Context, Effect, Layer, type Types } from "effect"
import { address } from "./config/Address.ts"
import { chats } from "./config/Chats.ts"
import { data } from "./config/Data.ts"
import { documents } from "./config/Documents.ts"
import { languageModels } from "./config/LanguageModels.ts"
import { organizations } from "./config/Organizations.ts"
import { people } from "./config/People.ts"
import { rateLimits } from "./config/Rates.ts"
import { search } from "./config/Search.ts"
import { type About, type Group, type Section, Setting, type ValuesOf } from "./config/Setting.ts"
import { telemetry } from "./config/Telemetry.ts"
import { voices } from "./config/Voice.ts"
import type { StartupError } from "./system/StartupError.ts"

const groups = [
  address,
  data,
  languageModels,
  voices,
  search,
  documents,
  chats,
  rateLimits,
  organizations,
  people,
  telemetry,
] as const

type Values = Types.UnionToIntersection<ValuesOf<(typeof groups)[number]["sections"]>>

const settingsIn = (section: Section): ReadonlyArray<Setting<unknown>> =>
  Object.values(section).flatMap((one) => (one instanceof Setting ? [one] : settingsIn(one)))

const variables = new Set<string>()

/**
 * Describes every setting once, in the groups of `docs/settings.md`, which is generated from this list. A setting that
 * layers of several groups take belongs to the first of them.
 */
export const documentation: ReadonlyArray<
  Pick<Group, "title" | "introduction"> & { readonly settings: ReadonlyArray<About> }
> = groups.map(({ title, introduction, sections }) => ({
  title,
  introduction,
  settings: settingsIn(sections).flatMap(({ about }) => {
    if (variables.has(about.variable)) return []
    variables.add(about.variable)
    return [about]
  }),
}))

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
    // The names are those of the sections, which TypeScript cannot follow through `Object.entries`.
    Effect.map(readAll(Object.assign({}, ...groups.map(({ sections }) => sections))), (values) => values as Values),
  )
}
