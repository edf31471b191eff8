import { ConfigProvider, Effect, Option } from "effect"
import { StartupError } from "../system/StartupError.ts"

/** What an operator has to know of a setting. */
export interface About {
  /** Name of the environment variable. */
  readonly variable: string
  /** The values that the setting takes; completes "Set it to …". */
  readonly expected: string
  /** As it would be written into the environment; undefined when the setting may be absent. */
  readonly default: string | undefined
  /** What the setting does and when to change it, in Markdown. */
  readonly description: string
  /** A secret value is never shown, not even when it is wrong. */
  readonly isSecret: boolean
  /** Whether another group declares and documents the setting, and this one only passes it to a layer. */
  readonly isElsewhere?: boolean
}

/** A value that the environment decides. */
export class Setting<out A> {
  readonly about: About
  private readonly decode: (text: string | undefined) => Option.Option<A>

  /** @param decode None when the text is not a value of the setting. The text is undefined when the setting is absent. */
  constructor(about: About, decode: (text: string | undefined) => Option.Option<A>) {
    this.about = about
    this.decode = decode
  }

  /** A value that follows from this setting's. */
  map<B>(f: (value: A) => B): Setting<B> {
    return new Setting(this.about, (text) => Option.map(this.decode(text), f))
  }

  /** The same setting for a layer of another group than the one that documents it. */
  get elsewhere(): Setting<A> {
    return new Setting({ ...this.about, isElsewhere: true }, this.decode)
  }

  /** Reads the setting from the `ConfigProvider`. An empty variable counts as absent, as shells and compose files unset one. */
  readonly read: Effect.Effect<A, StartupError> = Effect.gen({ self: this }, function* () {
    const { default: fallback, expected, isSecret, variable } = this.about
    const provider = yield* ConfigProvider.ConfigProvider
    const node = yield* Effect.orDie(provider.load([variable]))
    const given = (node?.value === "" ? undefined : node?.value) ?? fallback
    return yield* Effect.fromOption(
      this.decode(given),
      () =>
        new StartupError({
          what: isSecret ? `${variable} is not valid.` : `${variable} is ${JSON.stringify(given)}, which is not valid.`,
          doThis: `Set it to ${expected}.`,
        }),
    )
  })
}

/** Settings by the names that the layer which takes them gives them. */
export interface Section {
  readonly [name: string]: Setting<unknown> | Section
}

/** The values of a section. */
export type ValuesOf<S> = S extends Setting<infer A> ? A : { readonly [Name in keyof S]: ValuesOf<S[Name]> }

/** Settings that an operator reads about together, for the layers that take them. */
export interface Group {
  /** Heading of the group, as in `docs/settings.md`. */
  readonly title: string
  /** What the settings have in common, in Markdown. */
  readonly introduction: string
  readonly sections: Readonly<Record<string, Section>>
}
