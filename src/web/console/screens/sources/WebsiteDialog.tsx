import { useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { Button } from "../../parts/Buttons.tsx"
import { Dialog, Form, useClose, useDraft } from "../../parts/Dialogs.tsx"
import { SelectField, TextArea, TextField } from "../../parts/Field.tsx"
import { Finding, type Options } from "../../parts/Layout.tsx"
import { linesIn } from "../../data/Texts.ts"
import { href, navigate } from "../../Router.ts"
import { type Answer, call } from "../../server/Api.ts"
import { kindWords, type Schedule, scheduleWords, type Source, type SourceKind, sourceOf } from "./SourceData.ts"

type Preview = Answer<"POST /api/external/chatbot/:chatbotId/sources/preview">["preview"]

/** Lists are written as lines, and what is empty is chosen by the server. */
const draftOf = (source?: Source) => ({
  kind: source?.kind ?? ("" as SourceKind | ""),
  name: source?.name ?? "",
  urls: source?.urls.join(" ") ?? "",
  include: source?.include.join("\n") ?? "",
  exclude: source?.exclude.join("\n") ?? "",
  depth: String(source?.depth ?? ""),
  max_pages: String(source?.max_pages ?? ""),
  schedule: source === undefined ? "weekly" : (source.schedule ?? ("" as Schedule | "")),
})

/** Addresses in a text, each an http(s) URL where it has no scheme. */
const addressesIn = (text: string): ReadonlyArray<string> =>
  text
    .split(/\s+/)
    .filter(Boolean)
    .map((address) => (/^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `https://${address}`))

/** The kind of source that an address looks like. */
const kindAt = (address: string): SourceKind => {
  const path = URL.parse(address)?.pathname.toLowerCase() ?? ""
  if (/sitemap[^/]*\.xml(\.gz)?$/.test(path)) return "sitemap"
  if (/\/llms(-full)?\.txt$/.test(path)) return "llms_txt"
  return /\.(rss|atom)$|\/(feed|rss|atom)(\.xml)?\/?$/.test(path) ? "feed" : "website"
}

/** What a source would read, and what keeps it from that. */
const Report = ({ preview: { listed, problems } }: { readonly preview: Preview }) => (
  <section aria-label="Preview">
    <ul class="stack tight anywhere">
      {problems.map((problem) => (
        <Finding key={problem} kind="bad">
          <div>{problem}</div>
        </Finding>
      ))}
      <Finding kind={listed === 0 ? "warn" : "good"}>
        <div>
          {listed === null
            ? "There is no list of pages, so they are found by their links."
            : `Pages listed within the scope: ${listed}`}
        </div>
      </Finding>
    </ul>
  </section>
)

const { questions: _questions, text: _text, ...crawled } = kindWords
const kinds: Options<SourceKind | ""> = { "": "Detect from the address", ...crawled }

/** Asks for an address, shows what would be read from there, and begins to; or changes a source. */
export const WebsiteDialog = ({ chatbotId, source }: { readonly chatbotId: string; readonly source?: Source }) => {
  const close = useClose()
  const { change, draft, of } = useDraft(draftOf(source))
  const preview = useSignal<Preview | undefined>(undefined)
  // A preview of an address that was changed meanwhile is of no use.
  const latest = useRef("")
  latest.current = draft.urls
  const shown = preview.value
  const urls = addressesIn(draft.urls)
  const [address = ""] = urls
  const kind = draft.kind || kindAt(address)
  const inferred = shown?.include.join("\n")
  const fields = {
    name: draft.name.trim() || (URL.parse(address)?.host ?? address),
    urls,
    // The server goes on to infer the scope where nobody has changed it, as when the site moves.
    include: draft.include.trim() === inferred ? [] : linesIn(draft.include),
    exclude: linesIn(draft.exclude),
    schedule: draft.schedule || null,
    ...(draft.depth !== "" && { depth: Number(draft.depth) }),
    ...(draft.max_pages !== "" && { max_pages: Number(draft.max_pages) }),
  }
  const look = async (include = fields.include): Promise<void> => {
    const body = { ...fields, kind, include }
    const found = await call("POST /api/external/chatbot/:chatbotId/sources/preview", { params: { chatbotId }, body })
    if (latest.current !== draft.urls) return
    preview.value = found.preview
    change({ name: fields.name, include: found.preview.include.join("\n") })
  }
  const save = async (): Promise<void> => {
    if (source !== undefined) {
      const params = { chatbotId, sourceId: source.id }
      const stored = await call("PATCH /api/external/chatbot/:chatbotId/sources/:sourceId", { params, body: fields })
      sourceOf(chatbotId, source.id).set(stored.source)
      return close()
    }
    const body = { ...fields, kind }
    const made = await call("POST /api/external/chatbot/:chatbotId/sources", { params: { chatbotId }, body })
    close()
    await navigate(href("source", { chatbotId, sourceId: made.source.id }))
  }
  const isReady = source !== undefined || shown !== undefined
  const startOver = (changes: Partial<typeof draft>): void => {
    if (source === undefined) preview.value = undefined
    change(changes)
  }
  const whole = shown?.hosts.map((host) => `${host}/**`) ?? []
  return (
    <Dialog title={source === undefined ? "Add website" : "Edit source"} wide>
      <Form
        action={source !== undefined ? "Save" : isReady ? "Start" : "Preview"}
        onSubmit={isReady ? save : look}
        onCancel={close}
      >
        <TextField
          label="Address"
          {...of("urls")}
          onValue={(text) => startOver({ urls: text, ...(source === undefined && { include: "", name: "" }) })}
          inputMode="url"
          spellcheck={false}
          placeholder="https://docs.example.com/guide/"
          hint="The pages below this address are read. The address of a sitemap, an llms.txt or a feed works as well."
          required
        />
        {shown !== undefined && <Report preview={shown} />}
        {isReady && (
          <>
            <TextArea
              label="Pages to read"
              {...of("include")}
              rows={2}
              spellcheck={false}
              hint="One pattern per line, in which ** stands for anything. Empty: the pages below the address."
            />
            {kind === "website" && whole.length > 0 && whole.join("\n") !== draft.include && (
              <Button small onClick={() => look(whole)}>
                Read the whole site
              </Button>
            )}
            <div class="columns">
              <TextField label="Name" {...of("name")} required maxLength={200} />
              <SelectField label="Read again" {...of("schedule")} options={scheduleWords} />
            </div>
          </>
        )}
        <details>
          <summary>Advanced</summary>
          <div class="stack">
            {source === undefined && (
              <SelectField
                label="Kind"
                {...of("kind")}
                onValue={(value) => startOver({ kind: value })}
                options={kinds}
              />
            )}
            <TextArea
              label="Pages to leave out"
              {...of("exclude")}
              rows={2}
              spellcheck={false}
              placeholder="/archive/**"
            />
            <div class="columns">
              <TextField label="Most links from there" type="number" min={0} {...of("depth")} placeholder="10" />
              <TextField label="Most pages" type="number" min={1} {...of("max_pages")} placeholder="2000" />
            </div>
          </div>
        </details>
      </Form>
    </Dialog>
  )
}
