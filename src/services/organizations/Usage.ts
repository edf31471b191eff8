import * as Storage from "../../storage/usage/Usage.ts"
import { DateTime, Duration, Effect, Option, Stream } from "effect"
import { Caller } from "../../domain/Caller.ts"
import { InvalidRequest } from "../../domain/Errors.ts"
import type { Page } from "../../domain/Page.ts"
import {
  type ConversationGroups,
  dayAt,
  dayNumber,
  FILE_ROWS_MAX,
  USAGE_DAYS_MAX,
  type UsageGroup,
  ConversationCounts,
  ConversationUsage,
} from "../../domain/organizations/Usage.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import { Service } from "../../domain/Service.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { ConversationSums } from "../../storage/conversations/ConversationSums.ts"
import { Budgets } from "../../storage/usage/Budgets.ts"
import { regularly } from "../../system/Background.ts"
import { csvHeader, csvLine } from "../Csv.ts"
import { chatbotsWithinReach } from "../Reach.ts"

const { first_word_ms: _, ...counts } = ConversationCounts.fields
const { first_word_ms: __, ...fields } = ConversationUsage.fields

/** Rows of a report on conversations as a piece of a CSV file, whose columns are their fields. The first has the header. */
const conversationsCsv = (rows: ReadonlyArray<ConversationUsage>, isFirst: boolean): string => {
  const columns = Object.keys(fields).filter((name) => name in counts || rows.some((row) => name in row))
  const lines = rows.map(({ first_word_ms: word, ...row }) => {
    const values: Readonly<Record<string, string | number | null>> = row
    return csvLine([...columns.map((name) => values[name] ?? ""), word?.median ?? "", word?.p95 ?? ""].map(String))
  })
  const header = isFirst ? csvHeader([...columns, "first_word_median_ms", "first_word_p95_ms"]) : ""
  return header + lines.join("")
}

/** The days of a report, and a page of it. */
interface ReportRequest<Groups> {
  /** The first day, UTC, such as `2027-12-31`. The default is 29 days before the last. */
  readonly from?: string | undefined
  /** The last day, UTC. The default is today. */
  readonly to?: string | undefined
  readonly groups: Groups
  readonly page: Page
}

interface ConversationsRequest extends ReportRequest<ConversationGroups> {
  /** The only chatbot whose conversations count. */
  readonly chatbot?: ChatbotId | undefined
  readonly timeZone: string
}

const DEFAULT_DAYS = 30
/** The rows of a file that are read at once: each time, the database counts anew. */
const FILE_ROWS_AT_ONCE = 5_000
/** Entries count even before they are folded into days, so the interval only keeps their number small. */
const FOLD_INTERVAL = Duration.seconds(10)
/** Days for which usage is kept: a year to look back on, and the month to compare it with. */
const RETENTION_DAYS = 400
const FORGET_INTERVAL = Duration.hours(1)

/**
 * Reports the tokens that the chats of an organization have used. Folds entries into days, and deletes old ones, in the
 * background as long as the layer lives.
 */
export class Usage extends Service<Usage>()("parley/services/organizations/Usage", function* () {
  const storage = yield* Storage.Usage
  const budgets = yield* Budgets
  const sums = yield* ConversationSums
  const reachOf = yield* chatbotsWithinReach

  const warning = "Usage could not be counted"
  const forget = Effect.andThen(storage.forget(RETENTION_DAYS), budgets.drop("expired"))
  yield* Effect.forkScoped(regularly(FOLD_INTERVAL, warning, storage.fold))
  yield* Effect.forkScoped(regularly(FORGET_INTERVAL, warning, forget))

  /** The days of a report. */
  const daysOf = Effect.fnUntraced(function* ({ from, to }: Pick<ReportRequest<unknown>, "from" | "to">) {
    const last = to ?? DateTime.formatIsoDateUtc(yield* DateTime.now)
    const first = from ?? dayAt(dayNumber(last) - DEFAULT_DAYS + 1)
    const days = dayNumber(last) - dayNumber(first) + 1
    if (days < 1) return yield* InvalidRequest.at("query.to", "Expected a day that is not before `from`")
    if (days > USAGE_DAYS_MAX) {
      return yield* InvalidRequest.at("query.from", `Expected at most ${USAGE_DAYS_MAX} days up to \`to\``)
    }
    return { from: first, to: last }
  })

  /** The days and the chatbots of a report on conversations. */
  const scopeOf = Effect.fnUntraced(function* ({ chatbot, ...days }: Omit<ConversationsRequest, "page">) {
    return { ...(yield* daysOf(days)), reach: yield* reachOf(chatbot === undefined ? null : [chatbot]) }
  })

  return {
    /**
     * Returns the usage of the organization, as far as the caller reaches, with the
     * first and the last day that it covers.
     */
    read: Effect.fn("Usage.read")(function* ({ groups, page, ...days }: ReportRequest<ReadonlyArray<UsageGroup>>) {
      const scope = { ...(yield* daysOf(days)), reach: (yield* Caller).chatbots }
      return { ...scope, ...(yield* storage.read({ ...scope, groups, page })) }
    }),

    /**
     * Returns numbers of the conversations of the organization, as far as the caller reaches; of
     * as many days before, too, if they are to be compared.
     */
    conversations: Effect.fn("Usage.conversations")(function* (request: ConversationsRequest, isCompared: boolean) {
      const scope = yield* scopeOf(request)
      const report = { ...scope, ...(yield* sums.count({ ...request, ...scope })) }
      if (!isCompared) return report
      const [first, last] = [dayNumber(scope.from), dayNumber(scope.to)]
      const before = { from: dayAt(2 * first - last - 1), to: dayAt(first - 1) }
      const { total } = yield* sums.count({ ...request, ...scope, ...before, page: { page: 1, limit: 1 } })
      return { ...report, previous: total }
    }),

    /** Returns the rows of all pages of the same report as a CSV file, in pieces, with a name for it. */
    conversationsFile: Effect.fn("Usage.conversationsFile")(function* (request: Omit<ConversationsRequest, "page">) {
      const scope = yield* scopeOf(request)
      const organization = yield* CurrentOrganization
      const pieces = Stream.paginate(1, (page) =>
        Effect.map(sums.count({ ...request, ...scope, page: { page, limit: FILE_ROWS_AT_ONCE } }), (found) => {
          const isLast = page * FILE_ROWS_AT_ONCE >= Math.min(found.count, FILE_ROWS_MAX)
          return [[conversationsCsv(found.rows, page === 1)], isLast ? Option.none() : Option.some(page + 1)] as const
        }),
      )
      const name = `conversations-${request.groups.replace(",", "-")}-${scope.from}-${scope.to}.csv`
      return { name, file: Stream.encodeText(Stream.provideService(pieces, CurrentOrganization, organization)) }
    }),
  }
}) {}
