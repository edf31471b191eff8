import { MeterBar } from "../../charts/MeterBar.tsx"
import { formatBytes, formatMillis } from "../../../shared/Format.ts"
import { allKeys, allOrganizations, type ApiKey, type Organization, stateOf } from "../../data/Admin.ts"
import { Loaded, Section } from "../../parts/Layout.tsx"
import { together, useResource } from "../../server/Resource.ts"
import { session } from "../../server/Session.ts"
import { usageToday } from "./UsageData.ts"
import type { UsageRow } from "./Report.ts"

/** The time until the tokens of a day are counted anew. */
const untilMidnight = (): string => {
  const day = 86_400_000
  return `Resets in ${formatMillis(Math.ceil((day - (Date.now() % day)) / 60_000) * 60_000)}`
}

const tokensOf = (rows: ReadonlyArray<UsageRow>, key?: string): number =>
  rows
    .filter(({ api_key_id }) => key === undefined || api_key_id === key)
    .reduce((sum, { total_tokens }) => sum + total_tokens, 0)

const isBudgeted = (key: ApiKey): boolean => stateOf(key) === "active" && typeof key.budget.tokens_per_day === "number"

/** The budgets of the organization and its keys today, and the rest of them. */
export const BudgetsToday = () => {
  const own = session.value?.organization.id ?? ""
  const organizations = useResource(allOrganizations())
  const keys = useResource(allKeys(own))
  const usage = useResource(usageToday())
  return (
    <Loaded of={organizations}>
      {(all) => {
        const organization = all.find(({ id }) => id === own)
        return (
          organization !== undefined && (
            <>
              <Section title="Today" about="Tokens used since midnight UTC.">
                <Loaded of={together(usage, keys)}>
                  {([today, known]) => (
                    <div class="columns">
                      <MeterBar
                        label="Organization"
                        used={tokensOf(today)}
                        limit={organization.budget.tokens_per_day}
                        note={untilMidnight()}
                      />
                      {known.filter(isBudgeted).map((key) => (
                        <MeterBar
                          key={key.id}
                          label={key.name}
                          used={tokensOf(today, key.id)}
                          limit={key.budget.tokens_per_day}
                        />
                      ))}
                    </div>
                  )}
                </Loaded>
              </Section>
              <Stored organization={organization} />
            </>
          )
        )
      }}
    </Loaded>
  )
}

const storedKinds = [
  { kind: "chatbots", label: "Chatbots" },
  { kind: "documents", label: "Documents" },
  { kind: "bytes", label: "Document storage", format: formatBytes },
  { kind: "chunks", label: "Passages" },
  { kind: "conversations", label: "Conversations" },
  { kind: "tools", label: "Tools" },
] as const

/** The things that an organization stores, and its quotas. */
export const Stored = ({ organization: { quota, used } }: { readonly organization: Organization }) => (
  <Section title="Storage" about="What the organization stores, and its quotas.">
    <div class="columns">
      {storedKinds.map(({ kind, label, ...rest }) => (
        <MeterBar key={kind} label={label} used={used[kind]} limit={quota[kind]} {...rest} />
      ))}
    </div>
  </Section>
)
