import { type AgentOutput, asText, type Turn, type UserPart } from '@jurist/core'
import { counted, expectedOutputOf, outputOf, sourcesOf } from '@jurist/experiment/internal/results'
import type { ItemResult } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Part } from '../parts.js'
import { Conversation } from './conversation.js'
import { LongOutput, LongProse } from './long-texts.js'

export function TextsPart({ item }: { readonly item: ItemResult }): JSX.Element {
  const { task, detail, user } = item
  const { turns = [] } = detail?.kind === 'agent' ? detail.invocation : {}
  return (
    <Texts
      task={task}
      sources={sourcesOf(item)}
      output={detail?.kind === 'agent' ? (outputOf(item) ?? null) : undefined}
      {...{ turns, user }}
      expected={expectedOutputOf(item)}
    />
  )
}

export function Texts(props: {
  readonly task: string
  readonly sources: readonly string[]
  /** `null` if the agent gave no answer; `undefined` if there was no agent. */
  readonly output: AgentOutput | null | undefined
  readonly expected: AgentOutput | null
  readonly turns: readonly Turn[]
  readonly user: UserPart | undefined
}): JSX.Element {
  const { task, sources, output, expected, turns, user } = props
  return (
    <div class="texts">
      <Part title="Task">
        <LongProse text={task} />
      </Part>
      <Sources sources={sources} />
      {output === undefined || turns.length > 0 ? null : (
        <Part title="Output of the agent">
          <OutputText output={output} label="Output of the agent" />
        </Part>
      )}
      {expected === null ? null : (
        <Part title="Expected output">
          <OutputText output={expected} label="Expected output" />
        </Part>
      )}
      {turns.length === 0 ? null : <Conversation turns={turns} user={user} />}
    </div>
  )
}

const sourcesAtFirst = 5

/** The texts that the answer should rest on, by their numbers. */
function Sources({ sources }: { readonly sources: readonly string[] }): JSX.Element | null {
  const [isWhole, setWhole] = useState(false)
  if (sources.length === 0) return null
  const left = isWhole ? 0 : Math.max(0, sources.length - sourcesAtFirst)
  return (
    <Part title="Sources">
      <ol class="sources">
        {sources.slice(0, sources.length - left).map((text, index) => (
          <li key={index}>
            <LongProse text={text} />
          </li>
        ))}
      </ol>
      {left === 0 ? null : (
        <button type="button" class="more-lines minor" onClick={() => setWhole(true)}>
          Show {counted(left, 'source')} more
        </button>
      )}
    </Part>
  )
}

function OutputText({ output, label }: { readonly output: AgentOutput | null; readonly label: string }): JSX.Element {
  if (output?.type === 'structured') return <LongOutput text={JSON.stringify(output.data, null, 2)} label={label} />
  const text = asText(output ?? undefined)
  return text === '' ? <p class="quiet">There is no output.</p> : <LongProse text={text} />
}
