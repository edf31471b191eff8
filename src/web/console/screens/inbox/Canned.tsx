import { Pencil, Plus, Trash } from "lucide"
import { Button, IconButton } from "../../parts/Buttons.tsx"
import { confirmed, Dialog, FormDialog, openDialog, useDraft } from "../../parts/Dialogs.tsx"
import { TextArea, TextField } from "../../parts/Field.tsx"
import { Loaded } from "../../parts/Layout.tsx"
import { type Answer, call } from "../../server/Api.ts"
import { drop, put, resources } from "../../server/Resource.ts"

const route = "/api/external/chatbot/:chatbotId/canned-answers"

type CannedAnswer = Answer<`GET ${typeof route}`>["canned_answers"][number]

export const cannedAnswers = resources(
  async (chatbotId: string) => (await call(`GET ${route}`, { params: { chatbotId } })).canned_answers,
)

/** The answers that a text such as `/ho` begins to name. */
export const matching = (all: ReadonlyArray<CannedAnswer>, text: string) => {
  const typed = /^\/(\S*)$/.exec(text)?.[1]?.toLowerCase()
  return typed === undefined ? [] : all.filter(({ shortcut }) => shortcut.toLowerCase().startsWith(typed))
}

interface EditingProps {
  readonly chatbotId: string
  readonly known?: CannedAnswer
}

const Editing = ({ chatbotId, known }: EditingProps) => {
  const { draft, of } = useDraft({ shortcut: known?.shortcut ?? "", content: known?.content ?? "" })
  const submit = async (): Promise<void> => {
    const body = { ...draft, shortcut: draft.shortcut.trim().replace(/^\//, "") }
    const { canned_answer: stored } = await (known === undefined
      ? call(`POST ${route}`, { params: { chatbotId }, body })
      : call(`PATCH ${route}/:answerId`, { params: { chatbotId, answerId: known.id }, body }))
    put(cannedAnswers(chatbotId), stored)
  }
  return (
    <FormDialog
      title={known === undefined ? "Add canned answer" : "Edit canned answer"}
      action="Save"
      stays
      onSubmit={submit}
    >
      <TextField
        label="Shortcut"
        {...of("shortcut")}
        required
        maxLength={50}
        placeholder="hours"
        hint="Type / and its beginning in an answer."
      />
      <TextArea label="Text" {...of("content")} required maxLength={10_000} rows={4} dir="auto" hint="Markdown." />
    </FormDialog>
  )
}

const edit = (props: EditingProps): void => void openDialog(<Editing {...props} />)

const remove = (chatbotId: string, { id, shortcut }: CannedAnswer): Promise<void> =>
  confirmed({ title: `Delete /${shortcut}?`, text: "Messages made of it stay.", action: "Delete" }, async () => {
    await call(`DELETE ${route}/:answerId`, { params: { chatbotId, answerId: id } })
    drop(cannedAnswers(chatbotId), id)
  })

const Managing = ({ chatbotId }: { readonly chatbotId: string }) => (
  <Dialog title="Canned answers" wide>
    <Loaded of={cannedAnswers(chatbotId)} empty={<p class="soft">No canned answers yet.</p>}>
      {(all) => (
        <ul class="box rows" aria-label="Canned answers">
          {all.map((known) => (
            <li key={known.id} class="padded row nowrap apart">
              <span class="ellipsis" dir="auto">
                <strong>/{known.shortcut}</strong> {known.content}
              </span>
              <div class="row nowrap">
                <IconButton
                  icon={Pencil}
                  label={`Edit /${known.shortcut}`}
                  onClick={() => edit({ chatbotId, known })}
                />
                <IconButton
                  icon={Trash}
                  label={`Delete /${known.shortcut}`}
                  onClick={() => void remove(chatbotId, known)}
                />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
    <Button icon={Plus} onClick={() => edit({ chatbotId })}>
      Add canned answer
    </Button>
  </Dialog>
)

export const manageCannedAnswers = (chatbotId: string): void => void openDialog(<Managing chatbotId={chatbotId} />)
