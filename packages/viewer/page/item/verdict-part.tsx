import { asText } from '@jurist/core'
import { grouped } from '@jurist/experiment/internal/results'
import type { ItemResult } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { Part } from '../parts.js'
import { plainText, whyStopped } from '../text.js'
import { VerdictTree } from './verdict-tree.js'

/** The verdict of a trial with its reasons, next to the task and the agent's output. */
export function VerdictPart({ item }: { readonly item: ItemResult }): JSX.Element {
  return (
    <div class="columns">
      <div>
        {item.failure === null ? null : (
          <Part title="Failure">
            <p class="note bad">
              {item.failure.origin}: {plainText(item.failure.message)}
              {item.failure.infrastructure ? ' (infrastructure failure, so the trial is undecided)' : ''}
            </p>
          </Part>
        )}
        <VerdictSection item={item} />
        <Attempts item={item} />
      </div>
      <div>
        <Part title="Task">
          <p class="prose">{item.task}</p>
        </Part>
        <Output item={item} />
      </div>
    </div>
  )
}

function VerdictSection({ item: { verdict, detail } }: { readonly item: ItemResult }): JSX.Element {
  if (verdict === null)
    return (
      <Part title="Verdict">
        <p class="empty">This trial was not judged.</p>
      </Part>
    )
  const tone = verdict.aggregated.status === 'pass' ? 'good' : verdict.aggregated.status === 'fail' ? 'bad' : ''
  const why = whyStopped(verdict)
  return (
    <Part title="Verdict">
      {why === undefined ? null : <p class={`note ${tone}`}>{why}</p>}
      <VerdictTree verdict={verdict} />
      {detail?.kind === 'judge' ? (
        <p class="note">
          Expected <strong>{detail.expectedLabel ?? 'nothing'}</strong>: {plainText(detail.scorer.reasoning)}
        </p>
      ) : null}
    </Part>
  )
}

function Attempts({ item: { attempts } }: { readonly item: ItemResult }): JSX.Element | null {
  if (attempts.length === 0) return null
  return (
    <Part title="Earlier attempts">
      <ol class="checks" style={{ margin: 0 }}>
        {attempts.map(({ failure }, index) => (
          <li key={`${index + 1}`}>
            <span class="quiet">{index + 1}</span> {plainText(failure.message)}
          </li>
        ))}
      </ol>
    </Part>
  )
}

/** Longer texts keep a browser busy for seconds. */
const maxShown = 200_000

/** The output of the agent. */
function Output({ item: { detail } }: { readonly item: ItemResult }): JSX.Element | null {
  if (detail?.kind !== 'agent') return null
  const text = plainText(asText(detail.invocation.output))
  return (
    <Part title="Output of the agent">
      {text.length > maxShown ? (
        <p class="quiet small">
          The first {grouped(maxShown)} of {grouped(text.length)} characters.
        </p>
      ) : null}
      {text === '' ? (
        <p class="quiet">The agent returned no output.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keys
        <pre class="sheet" tabIndex={0}>
          {text.slice(0, maxShown)}
        </pre>
      )}
    </Part>
  )
}
