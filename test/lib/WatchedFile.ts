/** A file, and a promise of the moment in which whoever reads it has got all of it, and has not worked on it yet. */
export const watchedFile = (content: Blob): { readonly file: Blob; readonly taken: Promise<void> } => {
  const { promise: taken, resolve } = Promise.withResolvers<void>()
  const file = new Blob([content])
  const stream = () => content.stream().pipeThrough(new TransformStream({ flush: () => resolve() }))
  return { file: Object.assign(file, { stream }), taken }
}
