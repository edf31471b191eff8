import { Predicate } from "effect"

/** What the operating system refuses files and sockets with, in words that complete "It cannot be written: …". */
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
  EAFNOSUPPORT: "the system does not support this kind of address",
}

/** Why the operating system refused something, for people: without names of ours, nor of Effect, nor of the path. */
export const wordsOf = (error: unknown): string => {
  const code = codeOf(error)
  if (code !== undefined) return WORDS[code] ?? code
  return error instanceof Error ? error.message : String(error)
}

/** Such as `EACCES`; a failure of Effect's file system has it in its cause. */
const codeOf = (error: unknown): string | undefined => {
  if (Predicate.hasProperty(error, "code") && Predicate.isString(error.code)) return error.code
  return Predicate.hasProperty(error, "cause") ? codeOf(error.cause) : undefined
}
