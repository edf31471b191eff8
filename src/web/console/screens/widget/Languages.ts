const names = new Intl.DisplayNames(["en"], { type: "language" })

export const languages = ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "ru", "tr", "ar", "hi", "zh", "ja", "ko"]

export const languageOptions = (tags: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(tags.map((tag) => [tag, nameOfLanguage(tag)]))

export const nameOfLanguage = (tag: string): string => names.of(tag) ?? tag
