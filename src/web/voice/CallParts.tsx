import { type IconNode, MicOff, Phone, PhoneOff, Square, X } from "lucide"
import type { ButtonHTMLAttributes, VNode } from "preact"
import type { WidgetTexts } from "../../language/WidgetTexts.ts"
import { Icon } from "../shared/Icon.tsx"
import { wordsIn } from "./Look.ts"

/** Picture of the chatbot in a call. */
export const CallFace = ({ avatar }: { readonly avatar: string }): VNode => (
  <div class="call-face">{avatar === "" ? <Icon nodes={Phone} size={36} /> : <img src={avatar} alt="" />}</div>
)

interface CallButtonProps extends Omit<ButtonHTMLAttributes, "icon"> {
  readonly icon: IconNode
  readonly label: string
}

const CallButton = ({ icon, label, ...rest }: CallButtonProps): VNode => (
  <button type="button" {...rest}>
    <Icon nodes={icon} />
    {label}
  </button>
)

export interface CallButtonsProps {
  /** The operator's texts, which come before those of the language. */
  readonly text: { readonly startCall?: string | undefined; readonly endCall?: string | undefined }
  readonly texts: WidgetTexts
  /** Whether the call has not begun. */
  readonly isReady: boolean
  readonly isMuted?: boolean
  /** Begins the call; absent where it cannot begin. */
  readonly start?: (() => unknown) | undefined
  readonly mute?: () => void
  /** Stops the reply; absent while there is none. */
  readonly interrupt?: (() => void) | undefined
  readonly close?: (() => void) | undefined
}

export const CallButtons = ({
  close,
  interrupt,
  isMuted = false,
  isReady,
  mute,
  start,
  text,
  texts,
}: CallButtonsProps): VNode => {
  const words = wordsIn(texts)
  return (
    <div class="row">
      {isReady ? (
        <>
          {start && <CallButton class="primary" icon={Phone} label={text.startCall ?? texts.call} onClick={start} />}
          <CallButton icon={X} label={texts.close} onClick={close} />
        </>
      ) : (
        <>
          <CallButton icon={MicOff} label={words.muted} aria-pressed={isMuted} onClick={mute} />
          <CallButton icon={Square} label={texts.stop} aria-disabled={!interrupt} onClick={interrupt} />
          <CallButton class="danger" icon={PhoneOff} label={text.endCall ?? words.endCall} onClick={close} />
        </>
      )}
    </div>
  )
}
