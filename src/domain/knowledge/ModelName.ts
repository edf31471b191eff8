/** Whether a text names a local model. The name is that of a directory, so that it leads to no other one. */
export const isModelName = (text: string): boolean => /^[a-z0-9][a-z0-9._-]{0,63}$/.test(text)

/** Settings name a model that runs in the server by this and its name. */
export const LOCAL = "local:"

/** The name of a model that runs in the server; undefined for others. */
export const localModel = (model: string | undefined): string | undefined =>
  model?.startsWith(LOCAL) ? model.slice(LOCAL.length) : undefined
