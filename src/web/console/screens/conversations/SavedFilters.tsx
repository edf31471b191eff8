import { useSignal } from "@preact/signals"
import { BookmarkPlus, X } from "lucide"
import { kept } from "../../data/Kept.ts"
import { Button, IconButton } from "../../parts/Buttons.tsx"
import { FormDialog, openDialog } from "../../parts/Dialogs.tsx"
import { bind, TextField } from "../../parts/Field.tsx"
import { isFields, textIn } from "../../server/Unknown.ts"
import { href, place } from "../../Router.ts"

/** Filters of conversations under a name, as the query of the screen's address has them. */
interface SavedFilter {
  readonly name: string
  readonly query: string
}

const filters = kept<ReadonlyArray<SavedFilter>>("filters", [], (stored) =>
  Array.isArray(stored)
    ? stored.filter(isFields).map(({ name, query }) => ({ name: textIn(name) ?? "", query: textIn(query) ?? "" }))
    : undefined,
)

const SaveDialog = ({ query }: { readonly query: string }) => {
  const name = useSignal("")
  const save = async (): Promise<void> => {
    filters.value = [...filters.value, { name: name.value.trim(), query }]
  }
  return (
    <FormDialog title="Save filters" action="Save" onSubmit={save}>
      <TextField
        label="Name"
        placeholder="Unanswered on the website"
        maxLength={60}
        required
        hint="Saved in this browser only."
        {...bind(name)}
      />
    </FormDialog>
  )
}

/** The filters that were saved in this browser, and a button that saves those of the address. */
export const SavedFilters = ({ isFiltered }: { readonly isFiltered: boolean }) => {
  const query = place.value.query.toString()
  const isNew = isFiltered && filters.value.every((each) => each.query !== query)
  if (!isNew && filters.value.length === 0) return null
  return (
    <div class="row">
      {filters.value.map((each) => (
        <span class="chip row nowrap" key={each.name + each.query}>
          <a
            href={href("conversations", {}, Object.fromEntries(new URLSearchParams(each.query)))}
            aria-current={each.query === query ? "true" : undefined}
          >
            {each.name}
          </a>
          <IconButton
            icon={X}
            label={`Remove filter ${each.name}`}
            onClick={() => (filters.value = filters.value.filter((other) => other !== each))}
          />
        </span>
      ))}
      {isNew && (
        <Button small kind="quiet" icon={BookmarkPlus} onClick={() => openDialog(<SaveDialog query={query} />)}>
          Save filters
        </Button>
      )}
    </div>
  )
}
