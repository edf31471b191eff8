import { Predicate } from "effect"

/** Error codes of the operating system, in words that complete a sentence such as "It cannot be written: …". */
const WORDS: { readonly [code: string]: string | undefined } = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOENT: "there is no such file or directory",
  ENOTDIR: "a part of the path is a file",
  EEXIST: "there is a file of this name",
  EISDIR: "it is a directory",
  ELOOP: "its symbolic links lead in a circle",
  ENAMETOOLONG: "the path is too long",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file would be too large",
  EMFILE: "this process has too many files open",
  ENFILE: "the system has too many files open",
  EIO: "the disk reports an error",
  EBUSY: "it is in use",
  EINVAL: "the system does not take this value",
  ENOTFOUND: "there is no host of this name",
  EAI_AGAIN: "the name of the host cannot be looked up",
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was cut off",
  EPIPE: "the connection was cut off",
  ETIMEDOUT: "there is no answer",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no way to the host",
  EAFNOSUPPORT: "the system does not support this kind of address",
}

/** The reason of a system error for people, without its path and without names of classes. */
export const wordsOf = (error: unknown): string => {
  const code = codeOf(error)
  return knownWords(error) ?? code ?? (error instanceof Error ? error.message : String(error))
}

/** The reason of a system error for people; undefined for other errors, and for codes that are not listed here. */
export const knownWords = (error: unknown): string | undefined => WORDS[codeOf(error) ?? ""]

/** The code of an error, such as `EACCES`. Errors of Effect's file system carry it in their cause. */
const codeOf = (error: unknown): string | undefined => {
  if (Predicate.hasProperty(error, "code") && Predicate.isString(error.code)) return error.code
  return Predicate.hasProperty(error, "cause") ? codeOf(error.cause) : undefined
}
