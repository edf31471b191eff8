import { pickFiles } from "../../parts/Buttons.tsx"
import { Dialog, openDialog } from "../../parts/Dialogs.tsx"
import { Finding } from "../../parts/Layout.tsx"
import { attempt } from "../../parts/Toast.ts"

interface Imported {
  readonly summary: string
  /** What was not imported, and why. */
  readonly problems: ReadonlyArray<string>
}

interface ImportCounts {
  readonly added: number
  readonly updated: number
  readonly unchanged: number
  readonly refused: ReadonlyArray<{ readonly row: number; readonly reason: string }>
}

/** What came of the rows of a file, in words. */
export const importWords = ({ added, refused, unchanged, updated }: ImportCounts): Imported => ({
  summary: `${added} added, ${updated} updated, ${unchanged} unchanged, ${refused.length} refused.`,
  problems: refused.map(({ reason, row }) => `Row ${row}: ${reason}`),
})

/** Has the person choose a file, sends it as a form, and shows what came of it. */
export const importFile = (accept: string, send: (form: FormData) => Promise<Imported>): void =>
  pickFiles({ accept }, ([file]) =>
    attempt(async () => {
      const form = new FormData()
      form.append("file", file ?? "")
      const imported = await send(form)
      openDialog(<Result {...imported} />)
    }),
  )

const Result = ({ problems, summary }: Imported) => (
  <Dialog title="Import" wide>
    <p>{summary}</p>
    <ul class="stack tight">
      {problems.map((problem, index) => (
        <Finding key={index} kind="bad">
          <div>{problem}</div>
        </Finding>
      ))}
    </ul>
  </Dialog>
)
