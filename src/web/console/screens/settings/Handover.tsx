import type { HandoverSettings, OpeningHours } from "../../../../domain/inbox/Handover.ts"
import type { Form } from "../../forms/Form.ts"
import { SelectField, Switch, TextArea, TextField } from "../../parts/Field.tsx"
import { RowFields } from "../../parts/RowFields.tsx"
import { fieldsIn, jsonIn } from "../../server/Unknown.ts"

const PATH = "settings.handover"

type Handover = typeof HandoverSettings.Encoded
type Hours = typeof OpeningHours.Encoded
type Slot = Hours["weekly"][number]

const flags = [
  ["button", "Button in the widget", "Visitors ask for a person by a button."],
  ["tool", "Request by the chatbot", "The chatbot hands over when a visitor wants a person, in any language."],
  ["ratedDown", "Answer rated down", "Hands over as soon as a visitor rates an answer down."],
  ["email", "E-mail address", "Hands over visitors who leave an e-mail address."],
] as const

const numbers = [
  ["unanswered", "Unanswered questions in a row", 1, 20, "Empty: they never hand over."],
  ["returnAfterMinutes", "Back to the chatbot after minutes", 5, 43_200, "Without a message. Empty: only by hand."],
] as const

/** Days of the week from 1 for Monday, as the value of a control, in words. */
const days: Readonly<Record<string, string>> = {
  "1,2,3,4,5": "Monday to Friday",
  "6,7": "Saturday and Sunday",
  "1,2,3,4,5,6,7": "Every day",
  1: "Monday",
  2: "Tuesday",
  3: "Wednesday",
  4: "Thursday",
  5: "Friday",
  6: "Saturday",
  7: "Sunday",
}

const weekdays: Slot = { days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" }

interface HoursFieldsProps {
  readonly hours: Hours
  readonly onChange: (changes: Partial<Hours>) => void
}

const HoursFields = ({ hours: { holidays = [], timeZone, weekly }, onChange }: HoursFieldsProps) => {
  return (
    <>
      <TextField
        label="Time zone"
        name={`${PATH}.hours.timeZone`}
        suggestions={Intl.supportedValuesOf("timeZone")}
        value={timeZone}
        onValue={(zone) => onChange({ timeZone: zone })}
      />
      <RowFields noun="hours" rows={weekly} onRows={(slots) => onChange({ weekly: slots })} first={weekdays}>
        {(slot, change, at) => (
          <>
            <SelectField
              label="Days"
              value={slot.days.join(",")}
              onValue={(list) => change({ ...slot, days: list.split(",").map(Number) })}
              options={days}
            />
            {(["from", "to"] as const).map((end) => (
              <TextField
                key={end}
                label={end === "from" ? "From" : "To"}
                type="time"
                name={`${PATH}.hours.weekly.${at}.${end}`}
                // Browsers have no 24:00.
                value={slot[end] === "24:00" ? "00:00" : slot[end]}
                onValue={(time) => change({ ...slot, [end]: end === "to" && time === "00:00" ? "24:00" : time })}
              />
            ))}
          </>
        )}
      </RowFields>
      <TextArea
        label="Holidays"
        name={`${PATH}.hours.holidays`}
        rows={2}
        value={holidays.join("\n")}
        onValue={(text) => onChange({ holidays: text.split("\n") })}
        placeholder="2026-12-24"
        hint="Days on which nobody is there, one per line."
      />
    </>
  )
}

const handoverOf = (form: Form) => {
  const handover: Handover = fieldsIn(jsonIn(form.text(PATH)))
  /** Sets fields; undefined takes them away. */
  const set = (changes: { readonly [K in keyof Handover]: Handover[K] | undefined }): void => {
    const next = JSON.stringify({ ...handover, ...changes })
    form.set(PATH, next === "{}" ? null : next)
  }
  return { handover, set }
}

/** Whether the chatbot hands over at all. On, it does when a visitor asks for a person; off, what else is set stays. */
export const HandoverSwitch = ({ form }: { readonly form: Form }) => {
  const { handover, set } = handoverOf(form)
  const { button, email, ratedDown, tool, unanswered } = handover
  const none = { button: undefined, email: undefined, ratedDown: undefined, tool: undefined, unanswered: undefined }
  return (
    <Switch
      label="Handover to people"
      hint="Visitors who ask for a person get one, who answers in the inbox."
      value={[button, email, ratedDown, tool].includes(true) || unanswered !== undefined}
      onValue={(isOn) => set(isOn ? { button: true, tool: true } : none)}
    />
  )
}

/** When the chatbot hands a conversation over, to whom, and in which hours somebody is there. */
export const HandoverFields = ({ form }: { readonly form: Form }) => {
  const { handover, set } = handoverOf(form)
  const { hours } = handover
  return (
    <>
      {flags.map(([field, label, hint]) => (
        <Switch
          key={field}
          {...{ hint, label }}
          name={`${PATH}.${field}`}
          value={handover[field] === true}
          onValue={(value) => set({ [field]: value || undefined })}
        />
      ))}
      <div class="columns">
        {numbers.map(([field, label, min, max, hint]) => (
          <TextField
            key={field}
            type="number"
            {...{ hint, label, max, min }}
            name={`${PATH}.${field}`}
            value={handover[field]?.toString() ?? ""}
            onValue={(text) => set({ [field]: text === "" ? undefined : Number(text) })}
          />
        ))}
        <SelectField
          label="Assignment"
          value={handover.assign ?? "by_hand"}
          onValue={(assign) => set({ assign })}
          options={{ by_hand: "By hand", in_turn: "In turn, to the person with the fewest conversations" }}
        />
      </div>
      <Switch
        label="Opening hours"
        hint="Outside of them, visitors leave a message and an e-mail address."
        value={hours !== undefined}
        onValue={(isOn) => {
          const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
          set({ hours: isOn ? { timeZone, weekly: [weekdays] } : undefined })
        }}
      />
      {hours !== undefined && (
        <HoursFields hours={hours} onChange={(changes) => set({ hours: { ...hours, ...changes } })} />
      )}
    </>
  )
}
