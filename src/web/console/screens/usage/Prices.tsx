import { kept } from "../../data/Kept.ts"
import { FormDialog, useDraft } from "../../parts/Dialogs.tsx"
import { TextField } from "../../parts/Field.tsx"
import { fieldsIn, isFields, numberIn } from "../../server/Unknown.ts"
import type { UsageRow } from "./Report.ts"

/** Prices of a model, in any currency, for a million tokens that it reads or writes. */
interface Price {
  readonly input: number
  readonly output: number
}

/** The prices by model that the person has entered in this browser: providers change theirs. */
const prices = kept<Readonly<Record<string, Price>>>("prices", {}, (stored) =>
  isFields(stored)
    ? Object.fromEntries(
        Object.entries(stored).map(([model, price]) => {
          const { input, output } = fieldsIn(price)
          return [model, { input: numberIn(input) ?? 0, output: numberIn(output) ?? 0 }]
        }),
      )
    : undefined,
)

/** The shares of the input's price that providers usually take for tokens of their cache. */
const CACHE_READ = 0.1
const CACHE_WRITE = 1.25

export const costOf = (rows: ReadonlyArray<UsageRow>): number | undefined =>
  Object.keys(prices.value).length === 0
    ? undefined
    : rows.reduce((sum, row) => {
        const { input = 0, output = 0 } = prices.value[row.model ?? ""] ?? {}
        const read = row.input_tokens + row.cache_read_tokens * CACHE_READ + row.cache_write_tokens * CACHE_WRITE
        return sum + (read * input + row.output_tokens * output) / 1_000_000
      }, 0)

export const modelsWithoutPrice = (rows: ReadonlyArray<UsageRow>): ReadonlyArray<string> =>
  Array.from(new Set(rows.filter(({ total_tokens }) => total_tokens > 0).map(({ model = "" }) => model)))
    .filter((model) => !Object.hasOwn(prices.value, model))
    .map((model) => model || "unknown model")
    .toSorted()

interface PricesProps {
  readonly models: ReadonlyArray<string>
  readonly hasAudio: boolean
}

export const PricesDialog = ({ hasAudio, models }: PricesProps) => {
  const { draft, of } = useDraft<Record<string, string>>(
    Object.fromEntries(
      models.flatMap((model) =>
        (["input", "output"] as const).map((kind) => [`${kind} ${model}`, String(prices.value[model]?.[kind] ?? "")]),
      ),
    ),
  )
  const save = async (): Promise<void> => {
    const entered = models
      .filter((model) => `${draft[`input ${model}`]}${draft[`output ${model}`]}` !== "")
      .map((model) => [model, { input: Number(draft[`input ${model}`]), output: Number(draft[`output ${model}`]) }])
    prices.value = { ...prices.value, ...Object.fromEntries(entered) }
  }
  return (
    <FormDialog title="Model prices" action="Save" onSubmit={save}>
      <p class="soft">
        Per million tokens, as listed by your provider. Saved in this browser only. Cache reads count as 10% of the
        input price, cache writes as 125%.
      </p>
      {hasAudio && (
        <p class="soft">
          A second that was heard counts as 10 input tokens, one that was spoken as 20 output tokens. Multiply a price
          per minute by 1,667 for input or by 833 for output.
        </p>
      )}
      {models.map((model) => (
        <fieldset key={model} class="columns narrow">
          <legend>{model}</legend>
          <TextField label="Input" type="number" min={0} step="any" {...of(`input ${model}`)} />
          <TextField label="Output" type="number" min={0} step="any" {...of(`output ${model}`)} />
        </fieldset>
      ))}
    </FormDialog>
  )
}
