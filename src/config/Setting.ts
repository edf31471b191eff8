import { ConfigProvider, Effect, Option } from "effect"
import { StartupError } from "../system/StartupError.ts"

/** Describes a setting to operators. */
export interface About {
  /** The name of the environment variable. */
  readonly variable: string
  /** Describes the valid values; completes "Set it to …". */
  readonly expected: string
  /** The default as it would be written in the environment; undefined if the setting may be absent. */
  readonly default: string | undefined
  /** Effect of the setting and reasons to change it, in Markdown. */
  readonly description: string
  /** A secret value is never shown, not even when it is wrong. */
  readonly isSecret: boolean
}

/** Whether a text may be a URL with a user and a password, which no message may show. */
const holdsPassword = (text: string | undefined): boolean => text !== undefined && /:\/\/.*@/.test(text)

/** A value that is read from the environment. */
export class Setting<out A> {
  readonly about: About
  private readonly decode: (text: string | undefined) => Option.Option<A>

  /** @param decode returns None for an invalid text. The text is undefined if the setting is absent. */
  constructor(about: About, decode: (text: string | undefined) => Option.Option<A>) {
    this.about = about
    this.decode = decode
  }

  /** A setting whose value is computed from this one's. */
  map<B>(f: (value: A) => B): Setting<B> {
    return new Setting(this.about, (text) => Option.map(this.decode(text), f))
  }

  /**
   * Reads the setting from the `ConfigProvider`. An empty variable counts as absent, as shells and compose files unset
   * one.
   */
  readonly read: Effect.Effect<A, StartupError> = Effect.gen({ self: this }, function* () {
    const { default: fallback, expected, isSecret, variable } = this.about
    const provider = yield* ConfigProvider.ConfigProvider
    const node = yield* Effect.orDie(provider.load([variable]))
    const text = (node?.value === "" ? undefined : node?.value) ?? fallback
    return yield* Effect.fromOption(
      this.decode(text),
      () =>
        new StartupError({
          what:
            isSecret || holdsPassword(text)
              ? `${variable} is not valid.`
              : `${variable} is ${JSON.stringify(text)}, which is not valid.`,
          doThis: `Set it to ${expected}.`,
        }),
    )
  })
}

/** The settings of a layer, by the names that the layer uses. */
export interface Section {
  readonly [name: string]: Setting<unknown> | Section
}

export type ValuesOf<S> = S extends Setting<infer A> ? A : { readonly [Name in keyof S]: ValuesOf<S[Name]> }

/** Settings that an operator reads about together, for the layers that take them. */
export interface Group {
  /** The heading of the group in `docs/settings.md`. */
  readonly title: string
  /** Facts that the settings have in common, in Markdown. */
  readonly introduction: string
  readonly sections: Readonly<Record<string, Section>>
}
