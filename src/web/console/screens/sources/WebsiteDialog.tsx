import { useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { plural } from "../../../shared/Format.ts"
import { Dialog, Form, useClose, useDraft } from "../../parts/Dialogs.tsx"
import { Radio, SelectField, TextArea, TextField } from "../../parts/Field.tsx"
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

/** Addresses in a text, with a scheme where they have none. */
const addressesIn = (text: string, scheme = "https"): ReadonlyArray<string> =>
  text
    .split(/\s+/)
    .filter(Boolean)
    .map((address) => (/^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `${scheme}://${address}`))

/** The kind of source that an address looks like. */
const kindAt = (address: string): SourceKind => {
  const path = URL.parse(address)?.pathname.toLowerCase() ?? ""
  if (/sitemap[^/]*\.xml(\.gz)?$/.test(path)) return "sitemap"
  if (/\/llms(-full)?\.txt$/.test(path)) return "llms_txt"
  return /\.(rss|atom)$|\/(feed|rss|atom)(\.xml)?\/?$/.test(path) ? "feed" : "website"
}

interface ReportProps {
  readonly preview: Preview
  /** The addresses that got a scheme. */
  readonly completed: ReadonlyArray<string>
}

/** What a source would read, and what keeps it from that. */
const Report = ({ completed, preview: { listed, problems } }: ReportProps) => (
  <section aria-label="Preview">
    <ul class="stack tight anywhere">
      {completed.map((url) => (
        <Finding key={url} kind="good">
          <div>
            {url.startsWith("http:") ? `https:// does not answer, so the address is ${url}` : `The address is ${url}`}
          </div>
        </Finding>
      ))}
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

/** What a website's scope may be: words for it, and the globs and the depth that make it. */
interface Scope {
  readonly words: string
  readonly hint: string
  readonly include: string
  readonly depth: string
}

const numberOf = ({ examples, listed }: Preview): string =>
  listed === null
    ? "The pages are found by their links."
    : `${plural(listed, "page")} listed${examples.length > 0 ? `, such as ${examples.slice(0, 3).map(pathOf).join(", ")}` : ""}`

const pathOf = (address: string): string => URL.parse(address)?.pathname ?? address

/** The scopes of a website by previews of what is below its address and of the whole site. */
const scopesOf = (below: Preview, whole: Preview): ReadonlyArray<Scope> => {
  const globs = (preview: Preview) => preview.include.join("\n")
  const folder = below.include.map((glob) => glob.replace(/\*\*$/, "")).join(", ")
  const all: ReadonlyArray<Scope> = [
    { words: "This page", hint: "1 page", include: globs(below), depth: "0" },
    { words: `The pages below ${folder}`, hint: numberOf(below), include: globs(below), depth: "" },
    { words: "The whole site", hint: numberOf(whole), include: globs(whole), depth: "" },
  ]
  return globs(below) === globs(whole) ? all.filter((_, at) => at !== 1) : all
}

/** Asks for an address, shows what would be read from there, and begins to; or changes a source. */
export const WebsiteDialog = ({ chatbotId, source }: { readonly chatbotId: string; readonly source?: Source }) => {
  const close = useClose()
  const { change, draft, of } = useDraft(draftOf(source))
  const preview = useSignal<
    (ReportProps & { readonly inferred: string; readonly scopes: ReadonlyArray<Scope> }) | undefined
  >(undefined)
  // A preview of an address that was changed meanwhile is of no use.
  const latest = useRef("")
  latest.current = draft.urls
  const shown = preview.value
  const urls = addressesIn(draft.urls)
  const [address = ""] = urls
  const kind = draft.kind || kindAt(address)
  const inferred = shown?.inferred
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
  const ask = async (own: ReadonlyArray<string>, include = fields.include): Promise<Preview> => {
    const body = { ...fields, urls: own, kind, include }
    return (await call("POST /api/external/chatbot/:chatbotId/sources/preview", { params: { chatbotId }, body }))
      .preview
  }
  const look = async (): Promise<void> => {
    let [own, found] = [urls, await ask(urls)]
    const plain = addressesIn(draft.urls, "http")
    if (found.problems.length > 0 && plain.join() !== urls.join()) {
      const other = await ask(plain)
      if (other.problems.length === 0) [own, found] = [plain, other]
    }
    const isWebsite = kind === "website" && found.problems.length === 0 && fields.include.length === 0
    const whole = found.hosts.map((host) => `${host}/**`)
    const scopes = isWebsite
      ? scopesOf(found, whole.join() === found.include.join() ? found : await ask(own, whole))
      : []
    if (latest.current !== draft.urls) return
    const include = found.include.join("\n")
    const given = draft.urls.split(/\s+/)
    preview.value = { preview: found, inferred: include, scopes, completed: own.filter((url) => !given.includes(url)) }
    latest.current = own.join(" ")
    change({ name: fields.name, include, urls: latest.current })
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
          onValue={(text) =>
            startOver({ urls: text, ...(source === undefined && { include: "", name: "", depth: "" }) })
          }
          inputMode="url"
          spellcheck={false}
          placeholder="docs.example.com/guide/"
          hint="The pages below this address are read. The address of a sitemap, an llms.txt or a feed works as well."
          required
        />
        {shown !== undefined && <Report {...shown} />}
        {shown !== undefined && shown.scopes.length > 0 && (
          <fieldset class="stack tight">
            <legend>Pages to read</legend>
            {shown.scopes.map(({ depth, hint, include, words }) => (
              <Radio
                key={words}
                name="scope"
                isChosen={draft.include === include && (draft.depth === "0") === (depth === "0")}
                onChoose={() => change({ depth, include })}
              >
                {words} <span class="soft small">{hint}</span>
              </Radio>
            ))}
          </fieldset>
        )}
        {isReady && (
          <div class="columns">
            <TextField label="Name" {...of("name")} required maxLength={200} />
            <SelectField label="Read again" {...of("schedule")} options={scheduleWords} />
          </div>
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
            {isReady && (
              <TextArea
                label="Patterns of pages to read"
                {...of("include")}
                rows={2}
                spellcheck={false}
                hint="One pattern per line, in which ** stands for anything. Empty: the pages below the address."
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
