import { type Check, effectiveScore, type Judgment, type Verdict } from '@jurist/core'
import type { TierOutcome } from '@jurist/core/internal'
import { judgmentScore } from '@jurist/experiment/internal/results'
import { dollars, duration } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { Gauge } from '../charts.js'
import { JudgmentMark } from '../marks.js'
import { plainText } from '../text.js'

/** A verdict as a tree: the aggregated judgment, the tiers or members of the jury, and their checks. */
export function VerdictTree({ verdict }: { readonly verdict: Verdict }): JSX.Element {
  return (
    <div class="tree">
      <Node name="Verdict" judgment={verdict.aggregated} isRoot />
      <Parts verdict={verdict} />
    </div>
  )
}

function Parts({ verdict }: { readonly verdict: Verdict }): JSX.Element {
  const { tiers, individual, weights, subVerdicts } = verdict
  if (tiers !== undefined)
    return (
      <ul>
        {tiers.map((tier) => (
          <li key={tier.name}>
            <Tier tier={tier} verdict={verdictAt(subVerdicts, tier.name)} />
          </li>
        ))}
      </ul>
    )
  const isWeighted = new Set(Object.values(weights)).size > 1
  return (
    <ul>
      {Object.entries(individual).map(([name, judgment]) => {
        const inner = verdictAt(subVerdicts, name)
        return (
          <li key={name}>
            <Node name={name} judgment={judgment} note={isWeighted ? `weight ${weights[name]}` : undefined} />
            {inner === undefined ? null : <Parts verdict={inner} />}
          </li>
        )
      })}
    </ul>
  )
}

function verdictAt(verdicts: Verdict['subVerdicts'], name: string): Verdict | undefined {
  return Object.hasOwn(verdicts, name) ? verdicts[name] : undefined
}

function Tier({ tier, verdict }: { readonly tier: TierOutcome; readonly verdict: Verdict | undefined }): JSX.Element {
  const note = `${tier.policy}: ${tier.outcome}`
  if (verdict === undefined)
    return (
      <div class="node">
        <div class="node-head">
          <span class="mark undecided">
            <span class="sign" aria-hidden="true">
              –
            </span>
            <strong>{tier.name}</strong>
          </span>
          <span class="tag">{note}</span>
        </div>
      </div>
    )
  return (
    <>
      <Node name={tier.name} judgment={verdict.aggregated} note={note} />
      <Parts verdict={verdict} />
    </>
  )
}

function Node({
  name,
  judgment,
  note,
  isRoot = false,
}: {
  readonly name: string
  readonly judgment: Judgment
  readonly note?: string | undefined
  readonly isRoot?: boolean
}): JSX.Element {
  const { reasoning, checks, elapsedMs, costUsd } = judgment
  const value = effectiveScore(judgment)
  const spent = [costUsd === undefined ? '' : dollars(costUsd), elapsedMs === undefined ? '' : duration(elapsedMs)]
  return (
    <div class="node">
      <div class="node-head">
        <JudgmentMark status={judgment.status} name={name} />
        {note === undefined ? null : <span class="tag">{note}</span>}
        {value === undefined || isBoolean(judgment) ? null : (
          <span>
            <Gauge share={value} /> {judgmentScore(value, judgment)}
          </span>
        )}
        <span class="beside">{spent.filter((text) => text !== '').join(' · ')}</span>
      </div>
      {isRoot ? null : <p class="why">{plainText(reasoning)}</p>}
      <Checks checks={checks} />
    </div>
  )
}

function isBoolean({ score: given }: Judgment): boolean {
  return given?.type === 'boolean'
}

function Checks({ checks }: { readonly checks: readonly Check[] }): JSX.Element | null {
  if (checks.length === 0) return null
  return (
    <ul class="checks">
      {checks.map(({ name, passed, message, location }, index) => (
        <li key={`${index} ${name}`} class={passed ? 'pass' : 'fail'}>
          <span class="sign" role="img" aria-label={passed ? 'holds' : 'does not hold'}>
            {passed ? '✓' : '✗'}
          </span>
          <span>
            {name}
            {message === '' ? null : <span class="quiet">: {plainText(message)}</span>}
            {location === undefined ? null : (
              <span class="code quiet">
                {' '}
                {location.path}
                {location.line === undefined ? '' : `:${location.line}`}
              </span>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}
