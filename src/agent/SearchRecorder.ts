import type { FoundPassage, ReplySearch } from "../domain/chat/ReplyGround.ts"
import { QUERY_MAX_LENGTH } from "../domain/knowledge/Passage.ts"
import { clean } from "./Generation.ts"
import { cut } from "../text/Cut.ts"
import type { Fold } from "./AgentEvent.ts"

/** The most searches of a reply, and the most passages of one, that are kept. Few replies have more than two. */
const SEARCHES_MAX = 5
const PASSAGES_MAX = 10
/** The longest title that is kept, in UTF-16 code units. */
const TITLE_MAX_LENGTH = 200

/** Records what is searched for a reply, and what is found. */
export class SearchRecorder {
  private readonly found = new Map<string, ReadonlyArray<FoundPassage>>()

  readonly fold: Fold = (event) => {
    if (event.type !== "search") return
    const { found = [], query } = event
    const key = cut(clean(query), QUERY_MAX_LENGTH)
    const before = this.found.get(key)
    if (before === undefined && this.found.size === SEARCHES_MAX) return
    // An approved answer is looked for first, and the search with the same words finds it again.
    const all = [...(before ?? []), ...found]
    const places = all.map(placeOf)
    this.found.set(key, all.filter((_, index) => places.indexOf(places[index] ?? "") === index).slice(0, PASSAGES_MAX))
  }

  get searches(): ReadonlyArray<ReplySearch> {
    return Array.from(this.found, ([query, passages]) => ({
      query,
      passages: passages.map((passage) => ({ ...passage, title: cut(passage.title, TITLE_MAX_LENGTH) })),
    }))
  }

  /** The highest similarity of a passage that was found; null where none was. */
  get similarity(): number | null {
    const similarities = Array.from(this.found.values()).flatMap((some) => some.map(({ similarity }) => similarity))
    return similarities.length === 0 ? null : Math.max(...similarities)
  }
}

/** Of two passages of an approved answer, the first counts: the answer itself. */
const placeOf = ({ approved, chunk, document_id }: FoundPassage): string =>
  approved === true ? document_id : `${document_id}#${chunk}`
