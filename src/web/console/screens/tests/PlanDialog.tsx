import { FormDialog, openDialog, useDraft } from "../../parts/Dialogs.tsx"
import { SelectField, Switch, TextArea, TextField } from "../../parts/Field.tsx"
import type { Options } from "../../parts/Layout.tsx"
import { type Answer, call } from "../../server/Api.ts"
import { tierWords } from "./TestData.ts"

const route = "/api/external/chatbot/:chatbotId/test-plan"

type Plan = Answer<`GET ${typeof route}`>["plan"]

export const fetchPlan = async (chatbotId: string): Promise<Plan> =>
  (await call(`GET ${route}`, { params: { chatbotId } })).plan

const schedules: Options<NonNullable<Plan["schedule"]> | ""> = { "": "Never", daily: "Every day", weekly: "Every week" }

const PlanDialog = ({ chatbotId, plan }: { readonly chatbotId: string; readonly plan: Plan }) => {
  const { draft, of } = useDraft({
    ...plan,
    schedule: plan.schedule ?? ("" as const),
    repeats: String(plan.repeats),
    judge_model: plan.judge_model ?? "",
    tokens_max: String(plan.tokens_max),
  })
  const submit = async (): Promise<void> => {
    const body = {
      ...draft,
      schedule: draft.schedule || null,
      repeats: Number(draft.repeats),
      judge_model: draft.judge_model.trim() || null,
      tokens_max: Number(draft.tokens_max),
    }
    await call(`PATCH ${route}`, { params: { chatbotId }, body })
  }
  const number = { type: "number", required: true, min: 1 } as const
  return (
    <FormDialog title="Plan of the tests" action="Save" wide stays onSubmit={submit}>
      <Switch
        label="Run after changes"
        {...of("on_change")}
        hint="Searches again when documents, settings or the server's version have changed. Free of cost."
      />
      <div class="columns">
        <SelectField label="Schedule" {...of("schedule")} options={schedules} />
        {draft.schedule !== "" && <SelectField label="Scheduled tests" {...of("schedule_tier")} options={tierWords} />}
      </div>
      <fieldset class="stack">
        <legend>Runs with the model</legend>
        <div class="columns">
          <TextField
            label="Answers per test"
            {...of("repeats")}
            {...number}
            max={10}
            hint="A test passes when most of them do."
          />
          <TextField label="Most tokens per run" {...of("tokens_max")} {...number} hint="The run ends after them." />
          <TextField
            label="Model that judges"
            {...of("judge_model")}
            placeholder="The chatbot's own"
            spellcheck={false}
            hint="Says whether statements are true of an answer."
          />
        </div>
        <TextArea label="Prompt of the model that judges" {...of("judge_prompt")} rows={4} maxLength={8_000} />
      </fieldset>
    </FormDialog>
  )
}

/** Opens the plan by which a chatbot's tests run. */
export const editPlan = async (chatbotId: string): Promise<void> => {
  const plan = await fetchPlan(chatbotId)
  openDialog(<PlanDialog {...{ chatbotId, plan }} />)
}
