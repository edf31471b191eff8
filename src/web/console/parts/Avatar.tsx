import { useSignal } from "@preact/signals"
import { atRoot } from "../server/Root.ts"

interface AvatarProps {
  readonly name: string
  readonly image?: string | undefined
  readonly size?: "small" | "large"
}

/** The address of an avatar at this server, which may be known by another address elsewhere. */
const ownAddress = (image: string): string => atRoot(`avatars/${image.slice(image.lastIndexOf("/") + 1)}`)

/** Matches the address of a picture that a server of Parley stores. The console shows no pictures of other servers. */
const stored = /\/avatars\/[^/]+$/

/** The picture of a chatbot or a person, or the first letter of the name in a colour that is made of the name. */
export const Avatar = ({ image, name, size = "small" }: AvatarProps) => {
  const isBroken = useSignal(false)
  const hue = Array.from(name).reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 3) * 60
  return (
    <span class={`avatar centred ${size}`} style={{ "--hue": String(hue % 360) }} aria-hidden="true">
      {image !== undefined && stored.test(image) && !isBroken.value ? (
        <img src={ownAddress(image)} alt="" onError={() => (isBroken.value = true)} />
      ) : (
        (Array.from(name.trim())[0] ?? "").toUpperCase()
      )}
    </span>
  )
}
