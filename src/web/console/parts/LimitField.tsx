import { useId } from "preact/hooks"
import { type LimitDraft, limitProblem } from "../Limits.ts"

interface LimitFieldProps {
  readonly label: string
  readonly value: LimitDraft
  readonly onValue: (value: LimitDraft) => void
}

const isKind = (text: string): text is LimitDraft["kind"] =>
  text === "default" || text === "unlimited" || text === "number"

/** A limit: as the server's settings say, none, or a number. */
export const LimitField = ({ label, onValue, value }: LimitFieldProps) => {
  const id = useId()
  const problem = value.number === "" ? undefined : limitProblem(value)
  return (
    <fieldset class="limit-field">
      <legend>{label}</legend>
      <div class="limit-inputs">
        <select
          class="input select"
          aria-label={`${label}: which limit`}
          value={value.kind}
          onChange={({ currentTarget }) => {
            if (isKind(currentTarget.value)) onValue({ ...value, kind: currentTarget.value })
          }}
        >
          <option value="default">As the server's settings say</option>
          <option value="number">At most</option>
          <option value="unlimited">No limit</option>
        </select>
        {value.kind === "number" && (
          <input
            class="input"
            type="text"
            inputMode="numeric"
            aria-label={`${label}: at most`}
            aria-invalid={problem === undefined ? undefined : true}
            aria-describedby={problem === undefined ? undefined : id}
            value={value.number}
            onInput={({ currentTarget }) => onValue({ ...value, number: currentTarget.value })}
          />
        )}
      </div>
      {problem !== undefined && (
        <p class="field-error" id={id}>
          {problem}
        </p>
      )}
    </fieldset>
  )
}
