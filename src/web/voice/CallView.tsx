import { useSignal, useSignalEffect } from "@preact/signals"
import { render, type VNode } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { WidgetTexts } from "../../language/WidgetTexts.ts"
import { Scroller } from "../shared/Scroller.tsx"
import { browserListener, BrowserSpeaker, Recognition, recognizesLocally } from "./BrowserSpeech.ts"
import { Call, type CallOptions } from "./Call.ts"
import { CallButtons, CallFace } from "./CallParts.tsx"
import { styleOf, wordsIn } from "./Look.ts"
import { Microphone } from "./Microphone.ts"
import { Player } from "./Player.ts"

/*
 * The entry of the voice part, a bundle of its own: with a Preact of its own, so that what the widget uses as well is not
 * moved out of it into a file that every visitor waits for.
 */

export interface CallViewOptions extends CallOptions {
  /** Name of the chatbot. */
  readonly name: string
  readonly texts: WidgetTexts
  /** Tells the visitor that no person answers. */
  readonly disclosure: string
  /** Says in words why a turn failed. */
  readonly describe: (failure: unknown) => string
}

const hasMicrophone = navigator.mediaDevices !== undefined && "AudioWorkletNode" in globalThis

const isSupported = ({ listening, speaking }: CallOptions["config"]): boolean =>
  (listening === "server" ? hasMicrophone : Recognition !== undefined) &&
  (speaking === "server" || "speechSynthesis" in globalThis)

interface CallViewProps {
  readonly options: CallViewOptions
  readonly onClose: () => void
}

/** A call, in a dialog. */
export const CallView = ({ onClose, options }: CallViewProps): VNode => {
  const { config, describe, disclosure, language, name, texts } = options
  const { appearance, avatar, listening, speaking, text } = config
  const words = wordsIn(texts)
  const isBrowserListening = Recognition !== undefined && listening === "browser"
  const dialog = useRef<HTMLDialogElement>(null)
  const captions = useRef<HTMLElement>(null)
  const isLocal = useSignal(false)
  const [call] = useState(() => new Call(options, speaking === "browser" ? new BrowserSpeaker(language) : new Player()))
  const isMuted = call.isMuted.value
  const phase = call.phase.value
  const failure = call.failure.value
  const close = () => dialog.current?.close()
  const mute = () => call.mute(!isMuted)
  const interrupt = call.isAnswering ? () => call.interrupt() : undefined
  const start = () => {
    if (listening === "server" || !Recognition) return call.start(new Microphone(config, call))
    return call.start(browserListener(Recognition, language, isLocal.value, call))
  }

  useEffect(() => {
    dialog.current?.showModal()
    if (isBrowserListening) void recognizesLocally(language).then((is) => (isLocal.value = is))
    return () => call.end()
  }, [])
  useSignalEffect(() => dialog.current?.style.setProperty("--level", call.level.value.toFixed(2)))
  useSignalEffect(() => {
    if (call.phase.value === "over") close()
  })
  useEffect(() => captions.current?.scrollTo({ top: captions.current.scrollHeight }), [call.exchanges.value])

  const status = {
    ready: text.callToAction,
    listening: isMuted ? words.muted : (text.listeningStatus ?? words.listens),
    thinking: texts.thinking,
    speaking: text.speakingStatus ?? words.speaks,
    over: "",
  }[phase]
  const notices = [
    !isSupported(config) || failure instanceof DOMException
      ? words.noMicrophone
      : failure !== undefined && describe(failure),
    call.microphone.value,
    isBrowserListening && words.recognizes,
    isBrowserListening && !isLocal.value && words.receives,
  ]
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Short cuts of its buttons.
    <dialog
      ref={dialog}
      class="call"
      data-phase={phase}
      aria-labelledby="call-name"
      aria-describedby="call-disclosure"
      style={styleOf(appearance)}
      // Escape, and the way back of a phone.
      onCancel={(event) => {
        if (interrupt === undefined) return
        event.preventDefault()
        interrupt()
      }}
      onClose={onClose}
      onKeyDown={({ altKey, code, ctrlKey, metaKey, target }) => {
        if (altKey || ctrlKey || metaKey) return
        if (code === "KeyM" && phase !== "ready") mute()
        if (code === "Space" && !(target instanceof HTMLButtonElement)) interrupt?.()
      }}
    >
      <h2 id="call-name" class="ellipsis" dir="auto">
        {name}
      </h2>
      <p id="call-disclosure" class="call-disclosure" dir="auto">
        {disclosure}
      </p>
      <CallFace avatar={avatar} />
      <output>{status}</output>
      <Scroller of={captions} label={texts.conversation}>
        {call.exchanges.value.map(({ clauses, key, question }) => (
          <div key={key}>
            <p dir="auto">
              <em>{question}</em>
            </p>
            <p aria-live="polite" dir="auto">
              {clauses.map((clause, index) => (
                <span key={index}>{clause} </span>
              ))}
            </p>
          </div>
        ))}
      </Scroller>
      <output>{notices.map((notice) => notice && <p key={notice}>{notice}</p>)}</output>
      <CallButtons
        {...{ close, interrupt, isMuted, mute, text, texts }}
        isReady={phase === "ready"}
        start={isSupported(config) ? start : undefined}
      />
    </dialog>
  )
}

/** Shows a call over the document. Returns what closes it. */
export const openCall = (options: CallViewOptions, onClose: () => void): (() => void) => {
  const box = document.body.appendChild(document.createElement("div"))
  const close = () => {
    render(null, box)
    box.remove()
    onClose()
  }
  render(<CallView options={options} onClose={close} />, box)
  return close
}
