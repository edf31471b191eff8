interface Searchable {
  readonly name: string
  readonly description: string
  readonly slug: string
  readonly settings: { readonly model: string }
}

const fold = (text: string): string =>
  // The server's own normalization guards against long texts, which these are not.
  // oxlint-disable-next-line no-restricted-properties
  text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()

/** The chatbots that hold every word of a search in their name, description, slug or model, in whatever case. */
export const matching = <A extends Searchable>(chatbots: ReadonlyArray<A>, search: string): ReadonlyArray<A> => {
  const words = fold(search).split(/\s+/u).filter(Boolean)
  if (words.length === 0) return chatbots
  return chatbots.filter(({ description, name, settings, slug }) => {
    const text = fold(`${name} ${description} ${slug} ${settings.model}`)
    return words.every((word) => text.includes(word))
  })
}
