import { useEffect } from "preact/hooks"
import { Badge, ExternalLink, LoadedList, type Options } from "../../parts/Layout.tsx"
import { setQuery } from "../../Router.ts"
import { type Answer, call } from "../../server/Api.ts"
import { lists, pageAfter, type Resource, resources } from "../../server/Resource.ts"
import { outcomeWords, type PageOutcome, type SourcePage, type SourceParams } from "./SourceData.ts"

/*
 * The pages of a source as a list, each with what became of it, and the folders that they are in.
 */

const route = "/api/external/chatbot/:chatbotId/sources/:sourceId/pages"

/** A resource that is asked for anew when the component appears, and when what it shows has another version. */
export const useVersion = <R extends Pick<Resource<unknown>, "reload">>(resource: R, version: string): R => {
  useEffect(() => void resource.reload(), [resource, version])
  return resource
}

const Item = ({ page }: { readonly page: SourcePage }) => {
  const { detail, document_id: document, found_on: foundOn, title, url, waiting } = page
  const { kind, word } = outcomeWords[waiting ? "waiting" : (page.outcome ?? "unread")]
  return (
    <li class="source-page stack tight">
      <p class="row">
        {document === null ? (
          title !== null && <span dir="auto">{title}</span>
        ) : (
          <button type="button" class="link" dir="auto" onClick={() => setQuery({ document })}>
            {title ?? "Passages"}
          </button>
        )}
        <Badge kind={kind}>{word}</Badge>
        <span class="small anywhere">{detail}</span>
      </p>
      <p class="row spread soft small anywhere">
        <ExternalLink url={url} />
        {foundOn !== null && (
          <span>
            Found on <ExternalLink url={foundOn} />
          </span>
        )}
      </p>
    </li>
  )
}

const pagesOf = lists(async (page, chatbotId: string, sourceId: string, outcome: PageOutcome | "", under: string) => {
  const query = { outcome: outcome || undefined, under: under || undefined, page, limit: "50" }
  const { data, metadata } = await call(`GET ${route}`, { params: { chatbotId, sourceId }, query })
  return { items: data, next: pageAfter(metadata) }
})

interface PageListProps {
  readonly params: SourceParams
  readonly version: string
  readonly outcome: PageOutcome | ""
  /** What the addresses begin with. */
  readonly under: string
}

/** The pages of an outcome, or of all, by their addresses. */
export const PageList = ({ outcome, params, under, version }: PageListProps) => (
  <LoadedList of={useVersion(pagesOf(params.chatbotId, params.sourceId, outcome, under), version)}>
    {({ items }) => (
      <ul class="rows" aria-label="Pages">
        {items.map((page) => (
          <Item key={page.id} page={page} />
        ))}
      </ul>
    )}
  </LoadedList>
)

type Branch = Answer<`GET ${typeof route}/tree`>["branches"][number]

/** The branches below the beginning of addresses; the hosts below an empty one. */
export const branchesOf = resources(async (chatbotId: string, sourceId: string, under: string) => {
  const query = { under: under || undefined }
  return (await call(`GET ${route}/tree`, { params: { chatbotId, sourceId }, query })).branches
})

const readable = (prefix: string): string => {
  const address = prefix.replace(/^https?:\/\//, "")
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

/** The folders that lead from one with these branches: all, those around it and it itself, and those within. */
export const foldersAt = (under: string, branches: ReadonlyArray<Branch>): Options => {
  const around = Array.from(under.matchAll(/[^/]\/(?!\/)/g), ({ index }) => under.slice(0, index + 2))
  const within = branches.filter(({ name, prefix }) => name !== "" && prefix.endsWith("/"))
  return {
    "": "All folders",
    ...Object.fromEntries(around.map((prefix) => [prefix, readable(prefix)])),
    ...Object.fromEntries(within.map(({ page_count, prefix }) => [prefix, `${readable(prefix)} (${page_count})`])),
  }
}
