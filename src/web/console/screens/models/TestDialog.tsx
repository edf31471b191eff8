import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { KeyRound } from "lucide"
import { formatCount, formatMillis } from "../../../shared/Format.ts"
import { allChatbots } from "../../data/Chatbots.ts"
import { giveModel, modelConnections, modelSources } from "../../data/Models.ts"
import { Button } from "../../parts/Buttons.tsx"
import { Dialog, Form, openDialog, useClose } from "../../parts/Dialogs.tsx"
import { bind, ChoiceField, optionsOf, TextField } from "../../parts/Field.tsx"
import { Finding } from "../../parts/Layout.tsx"
import { attempt, toast } from "../../parts/Toast.ts"
import { type Answer, call } from "../../server/Api.ts"
import { useResource } from "../../server/Resource.ts"
import { KeyDialog } from "./KeyDialog.tsx"

type ModelTest = Answer<"POST /api/admin/models/test">["test"]

const tools = {
  called: ["good", "Calls tools: it searched the documents by itself."],
  not_called: ["warn", "Called no tool in this test, and may answer without searching."],
  refused: ["warn", "Takes no tools: the documents are searched before each answer."],
  unknown: ["warn", "Whether it calls tools is not known."],
} as const

const images = {
  accepted: ["good", "Accepts images."],
  refused: ["warn", "Takes no images: it is told that there was one."],
  unknown: ["warn", "Whether it takes images is not known."],
} as const

const Failed = ({ text }: { readonly text: string }) => (
  <ul class="stack tight" aria-label="Result">
    <Finding kind="bad">{text}</Finding>
  </ul>
)

const Result = ({ context, test }: { readonly test: ModelTest; readonly context: number | null }) => {
  if (test.answer === null) return <Failed text={test.failure ?? ""} />
  const findings = [
    ["good", `Answered in ${formatMillis(test.total_ms)}: ${test.answer}`],
    tools[test.tools],
    test.streams
      ? ["good", `Streams: the first word came after ${formatMillis(test.first_word_ms ?? test.total_ms)}.`]
      : ["warn", "Does not stream: answers appear at once when they are whole."],
    images[test.images],
    ...(context === null ? [] : [["good", `Has a context of ${formatCount(context)} tokens.`]]),
    ...test.notes.map((note) => ["warn", note]),
  ] as const
  return (
    <ul class="stack tight" aria-label="Result">
      {findings.map(([kind, text]) => (
        <Finding key={text} kind={kind === "good" ? "good" : "warn"}>
          {text}
        </Finding>
      ))}
    </ul>
  )
}

/** Gives a model that works to one of the chatbots. */
const Giving = ({ model }: { readonly model: string }) => {
  const close = useClose()
  const chatbots = useResource(allChatbots()).data.value ?? []
  const chosen = useSignal("")
  const chatbotId = chosen.value || (chatbots.find(({ settings }) => settings.model !== model)?.id ?? "")
  if (chatbotId === "") return null
  return (
    <Form
      action="Use this model"
      onSubmit={async () => {
        toast(await giveModel(chatbotId, model))
        close()
      }}
    >
      <ChoiceField
        label="Chatbot"
        value={chatbotId}
        onValue={(id) => (chosen.value = id)}
        options={optionsOf(chatbots)}
      />
    </Form>
  )
}

interface TestDialogProps {
  /** The name of a connection. */
  readonly source: string
  readonly first: string | undefined
}

/** The models of a server whose first one is tested at once: of a provider's hundreds it may be any, at any price. */
const TESTED_AT_ONCE_MAX = 20

/** Tries a model by a real question, and shows what it can do. */
export const TestDialog = ({ first = "", source }: TestDialogProps) => {
  const model = useSignal(first)
  const test = useSignal<ModelTest | undefined>(undefined)
  const asked = useSignal("")
  const listed = useResource(modelSources()).data.value?.find(({ name }) => name === source)
  const ask = async (): Promise<void> => {
    test.value = undefined
    asked.value = model.value
    try {
      test.value = (await call("POST /api/admin/models/test", { body: { model: asked.value.trim() } })).test
    } finally {
      asked.value = ""
    }
  }
  useEffect(() => {
    if (first !== "" && (listed?.models.length ?? 0) <= TESTED_AT_ONCE_MAX) void attempt(ask)
  }, [])
  const connection = useResource(modelConnections()).data.value?.find(({ name }) => name === source)
  const isFailed = listed?.failure != null || test.value?.answer === null
  const context = listed?.models.find((one) => one.model === test.value?.model)?.context_tokens ?? null
  return (
    <Dialog title={`Test ${source}`}>
      {listed?.failure != null && <Failed text={listed.failure} />}
      <Form action="Test the model" isWrong={model.value.trim() === ""} onSubmit={ask}>
        <TextField
          label="Model"
          name="model"
          {...bind(model)}
          suggestions={(listed?.models ?? []).map((one) => one.model)}
          spellcheck={false}
          hint="It answers a question that needs a search, which costs a few hundred tokens."
        />
      </Form>
      {asked.value !== "" && <output class="soft">{`Asking ${asked.value}…`}</output>}
      {test.value !== undefined && <Result test={test.value} context={context} />}
      {isFailed && connection !== undefined && (
        <Button icon={KeyRound} onClick={() => openDialog(<KeyDialog connection={connection} />)}>
          Replace key…
        </Button>
      )}
      {test.value?.answer != null && <Giving key={test.value.model} model={test.value.model} />}
    </Dialog>
  )
}
