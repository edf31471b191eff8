import { writeSync } from "node:fs"
import { Cause, Context, Effect, Layer, Logger, Predicate, References } from "effect"
import { RequestId } from "../domain/RequestId.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { printable } from "../system/Printable.ts"
import { traceIdOf } from "./Traces.ts"

const levels = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  none: "None",
} as const

export interface LogSettings {
  /** Lowest level that is logged. */
  readonly level: keyof typeof levels
  /** The form of a line. The default is `pretty` on a terminal, else `json`. */
  readonly format: "pretty" | "json" | undefined
}

const STDOUT = 1
/** Longest time that a line waits in memory, so that a busy server writes many lines at once. */
const FLUSH_MILLISECONDS = 20

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** Describes an error by its detail or message and those of its causes, without the names of classes. */
const describe = (part: unknown): string => {
  if (!Predicate.isError(part)) return String(part)
  const own = Predicate.hasProperty(part, "detail") && Predicate.isString(part.detail) ? part.detail : part.message
  const why = Predicate.isError(part.cause) ? describe(part.cause) : ""
  return own.includes(why) ? own : `${own}: ${why}`
}

/** The message and the fields of a log entry: those of the call and those of the fiber. Secrets are `Redacted`. */
export const entryOf = ({ message, cause, fiber }: Logger.Options<unknown>) => {
  const parts = Array.isArray(message) ? message : [message]
  const requestId = fiber.getRef(RequestId)
  const organization = Context.getOrUndefined(fiber.context, CurrentOrganization)
  const { span } = fiber.cache
  const traceId = traceIdOf(span)
  const fields: Record<string, unknown> = { ...fiber.getRef(References.CurrentLogAnnotations) }
  for (const part of parts) if (isFields(part)) Object.assign(fields, part)
  if (organization !== undefined) fields["organization_id"] = organization
  if (requestId !== "") fields["request_id"] = requestId
  if (traceId !== undefined) Object.assign(fields, { trace_id: traceId, span_id: span?.spanId })
  if (cause.reasons.length > 0) fields["cause"] = Cause.pretty(cause)
  return {
    message: parts
      .filter((part) => !isFields(part))
      .map(describe)
      .join(" "),
    fields,
  }
}

const json = (common: Fields) =>
  Logger.make((options: Logger.Options<unknown>) => {
    const { message, fields } = entryOf(options)
    const own = { time: options.date.toISOString(), level: options.logLevel.toLowerCase(), message }
    // Fields may not replace the time, level and message; those keys come first and win.
    return printable(JSON.stringify(Object.assign({ ...own }, common, fields, own)))
  })

const dim = (text: string) => `\u001b[2m${text}\u001b[0m`
const colors: Partial<Record<string, string>> = { Warn: "\u001b[33m", Error: "\u001b[31m", Fatal: "\u001b[31m" }

const pretty = (common: Fields) =>
  Logger.make((options: Logger.Options<unknown>) => {
    const { message, fields: ofEntry } = entryOf(options)
    const fields: Fields = { ...common, ...ofEntry }
    const { cause, ...rest } = fields
    const level = `${colors[options.logLevel] ?? ""}${options.logLevel.toLowerCase().padEnd(5)}\u001b[0m`
    const shown = Object.entries(rest)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${dim(`${printable(key)}=`)}${printable(String(value))}`)
    const first = [dim(options.date.toISOString().slice(11, 23)), level, printable(message), ...shown].join(" ")
    // The lines of a cause are indented, so that none of them looks like an entry of its own.
    return [first, ...(cause === undefined ? [] : String(cause).split("\n").map(printable))].join("\n  ")
  })

/** Errors of a reader or terminal that has gone. They must not end the server; the lines are lost. */
const GONE: ReadonlySet<unknown> = new Set(["EPIPE", "EIO"])

const writeOut = (text: string): void => {
  try {
    writeSync(STDOUT, text)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && GONE.has(error.code))) throw error
  }
}

/**
 * Writes lines in batches, and the last batch when the process ends. Its timer is not one of Effect's, because a
 * logger is a synchronous function, not an effect.
 */
const writer = Effect.acquireRelease(
  Effect.sync(() => {
    let pending = ""
    let timer: Timer | undefined
    const flush = () => {
      clearTimeout(timer)
      timer = undefined
      const text = pending
      pending = ""
      if (text !== "") writeOut(text)
    }
    process.on("exit", flush)
    return {
      flush,
      write: (line: string) => {
        pending += `${line}\n`
        timer ??= setTimeout(flush, FLUSH_MILLISECONDS)
      },
    }
  }),
  ({ flush }) =>
    Effect.sync(() => {
      flush()
      process.off("exit", flush)
    }),
)

/**
 * Logs one line for each entry to standard output: JSON for machines, or coloured text for people. Each line has the
 * fields `common`.
 */
export const layer = (settings: LogSettings, common: Fields = {}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const format = settings.format ?? (process.stdout.isTTY ? "pretty" : "json")
      const { write } = yield* writer
      const logger = Logger.map((format === "json" ? json : pretty)(common), write)
      return Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, levels[settings.level]))
    }),
  )
