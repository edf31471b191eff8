import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { formatCount } from "../../../shared/Format.ts"
import { Badge, ExternalLink, Loaded, LoadedList } from "../../parts/Layout.tsx"
import { setQuery } from "../../Router.ts"
import { type Answer, call } from "../../server/Api.ts"
import { lists, pageAfter, type Resource, resources } from "../../server/Resource.ts"
import { countsOf, outcomeWords, type PageOutcome, type SourcePage, type SourceParams } from "./SourceData.ts"

/*
 * The pages of a source as a list and as a tree, each page with what became of it.
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

interface PagesProps {
  readonly params: SourceParams
  readonly version: string
}

const pagesOf = lists(async (page, chatbotId: string, sourceId: string, outcome: PageOutcome | "", address: string) => {
  // Other pages whose addresses begin with this one come after it.
  const query = outcome === "" ? { under: address, limit: "1" } : { outcome, page, limit: "50" }
  const { data, metadata } = await call(`GET ${route}`, { params: { chatbotId, sourceId }, query })
  return { items: data, next: outcome === "" ? null : pageAfter(metadata) }
})

interface PageListProps extends PagesProps {
  readonly outcome: PageOutcome | ""
  readonly address?: string
}

/** The pages of an outcome, by their addresses; or else the page at an address. */
export const PageList = ({ address = "", outcome, params, version }: PageListProps) => (
  <LoadedList of={useVersion(pagesOf(params.chatbotId, params.sourceId, outcome, address), version)}>
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

const readable = (name: string): string => {
  try {
    return decodeURIComponent(name) || "/"
  } catch {
    return name
  }
}

/** Whether a branch has pages that are not left out. */
const isRead = ({ counts }: Branch): boolean => countsOf(counts).some(([outcome]) => outcome !== "excluded")

interface NodeProps extends PagesProps {
  readonly branch: Branch
  /** Whether it is open at first. */
  readonly isFirst: boolean
}

const Node = ({ branch: { counts, name, page_count: pages, prefix }, isFirst, ...of }: NodeProps) => {
  const isPage = !prefix.endsWith("/") || name === ""
  const isOpen = useSignal(isFirst && !isPage)
  return (
    <li>
      <details open={isOpen.value} onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>
          <span class="row">
            <bdi class="anywhere">{readable(name)}</bdi>
            {countsOf(counts).map(([outcome, count]) => (
              <Badge key={outcome} kind={outcomeWords[outcome].kind}>
                {pages === 1 && isPage
                  ? outcomeWords[outcome].word
                  : `${formatCount(count)} ${outcomeWords[outcome].word.toLowerCase()}`}
              </Badge>
            ))}
          </span>
        </summary>
        {isOpen.value &&
          (isPage ? <PageList {...of} outcome="" address={prefix} /> : <PageTree {...of} under={prefix} />)}
      </details>
    </li>
  )
}

/** The pages of a source by the parts of their addresses, which are asked for as they are opened. */
export const PageTree = ({ under, ...of }: PagesProps & { readonly under: string }) => (
  <Loaded of={useVersion(branchesOf(of.params.chatbotId, of.params.sourceId, under), of.version)}>
    {(branches) => (
      <ul class="tree">
        {branches.map((branch) => (
          // Open where no other branch is read: those that are left out may be found later in a run.
          <Node
            key={branch.prefix}
            {...of}
            branch={branch}
            isFirst={branches.every((other) => (other === branch) === isRead(other))}
          />
        ))}
      </ul>
    )}
  </Loaded>
)
