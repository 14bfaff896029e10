import { type Check, effectiveScore, type Judgment, type Verdict } from '@jurist/core'
import { pointer, type TierOutcome } from '@jurist/core/internal'
import { counted, decidingJudge, evidenceOf, judgmentScore, placesIn } from '@jurist/experiment/internal/results'
import { dollars, duration } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { type CheckGroup, groupedChecks } from '../../src/answers/check-groups.js'
import { Gauge } from '../charts.js'
import { JudgmentMark } from '../marks.js'
import { plainText } from '../text.js'
import { EvidenceDrawer } from './evidence-drawer.js'
import { LongProse } from './long-texts.js'
import { Disclosure, PlacedText, PlaceLink } from './reading.js'

export function VerdictTree({ verdict }: { readonly verdict: Verdict }): JSX.Element {
  const deciding = useMemo(() => decidingJudge(verdict)?.path, [verdict])
  return (
    <div class="tree">
      <Parts verdict={verdict} path="" deciding={deciding} />
      <VoteEvidence judgment={verdict.aggregated} path="" />
    </div>
  )
}

interface PartsProps {
  readonly verdict: Verdict
  /** The path of the verdict, as in `flatten`. */
  readonly path: string
  /** The path of the judge that decided. */
  readonly deciding: string | undefined
}

function Parts({ verdict, path, deciding }: PartsProps): JSX.Element {
  const { tiers, individual, weights, subVerdicts } = verdict
  if (tiers !== undefined)
    return (
      <ul>
        {tiers.map((tier) => (
          <li key={tier.name}>
            <Tier
              tier={tier}
              verdict={verdictAt(subVerdicts, tier.name)}
              path={`${path}${pointer([tier.name])}`}
              deciding={deciding}
            />
          </li>
        ))}
      </ul>
    )
  const isWeighted = new Set(Object.values(weights)).size > 1
  return (
    <ul>
      {Object.entries(individual).map(([name, judgment]) => {
        const inner = verdictAt(subVerdicts, name)
        const at = `${path}${pointer([name])}`
        const note = isWeighted ? `weight ${weights[name]}` : undefined
        return (
          <li key={name}>
            <Node name={name} path={at} judgment={judgment} note={note} deciding={deciding} verdict={inner} />
          </li>
        )
      })}
    </ul>
  )
}

function verdictAt(verdicts: Verdict['subVerdicts'], name: string): Verdict | undefined {
  return Object.hasOwn(verdicts, name) ? verdicts[name] : undefined
}

function Tier({
  tier,
  verdict,
  path,
  deciding,
}: Omit<PartsProps, 'verdict'> & { readonly tier: TierOutcome; readonly verdict: Verdict | undefined }): JSX.Element {
  const note = `${tier.policy}: ${tier.outcome}`
  if (verdict === undefined)
    return (
      <div class="node-head unreached">
        <span class="mark undecided">
          <span class="sign" aria-hidden="true">
            –
          </span>
          <strong>{tier.name}</strong>
        </span>
        <span class="tag">{note}</span>
      </div>
    )
  return (
    <Node
      name={tier.name}
      path={path}
      judgment={verdict.aggregated}
      note={note}
      deciding={deciding}
      verdict={verdict}
    />
  )
}

/** Reasoning of at most this many characters is on the line of its judge. */
const maxBrief = 90
/** Shorter times are not worth showing. */
const leastShownMs = 10

function Node(props: {
  readonly name: string
  readonly path: string
  readonly judgment: Judgment
  readonly note: string | undefined
  readonly deciding: string | undefined
  readonly verdict: Verdict | undefined
}): JSX.Element {
  const { name, path, judgment, note, deciding, verdict } = props
  const { reasoning, checks, elapsedMs = 0, costUsd } = judgment
  const evidence = evidenceOf(judgment)
  const isBrief = reasoning.length <= maxBrief && !reasoning.includes('\n') && placesIn(reasoning).length === 0
  const spent = [costUsd === undefined ? '' : dollars(costUsd), elapsedMs < leastShownMs ? '' : duration(elapsedMs)]
  return (
    <Disclosure
      id={path}
      class="node"
      isOpenAtFirst={judgment.status !== 'pass' || deciding?.startsWith(`${path}/`) === true}
      summary={
        <span class="node-head">
          <JudgmentMark status={judgment.status} name={name} />
          {note === undefined ? null : <span class="tag">{note}</span>}
          <ScoreOf judgment={judgment} />
          <span class={`brief one-line quiet small ${isBrief ? 'whole' : ''}`}>{plainText(reasoning)}</span>
          <span class="beside quiet small">{spent.filter((text) => text !== '').join(' · ')}</span>
        </span>
      }
    >
      {/* Models write Markdown. */}
      {isBrief ? null : evidence.model !== null ? (
        <LongProse text={reasoning} />
      ) : (
        <p class="why quiet">
          <PlacedText text={reasoning} />
        </p>
      )}
      <CheckList checks={checks} id={path} />
      {verdict === undefined ? (
        // Evidence of a command that decided is open at first. A model's explanation is already in its reasoning.
        <EvidenceDrawer
          evidence={evidence}
          id={path}
          isOpenAtFirst={path === deciding && (evidence.command !== null || evidence.error !== null)}
        />
      ) : (
        <>
          <VoteEvidence judgment={judgment} path={path} />
          <Parts verdict={verdict} path={path} deciding={deciding} />
        </>
      )}
    </Disclosure>
  )
}

/** The evidence of a vote without its counts, which the reasoning contains. */
function VoteEvidence({ judgment, path }: { readonly judgment: Judgment; readonly path: string }): JSX.Element {
  return <EvidenceDrawer evidence={{ ...evidenceOf(judgment), votes: null }} id={path} isOpenAtFirst={false} />
}

function ScoreOf({ judgment }: { readonly judgment: Judgment }): JSX.Element | null {
  const value = effectiveScore(judgment)
  if (value === undefined || judgment.score?.type === 'boolean') return null
  return (
    <span>
      <Gauge share={value} /> {judgmentScore(value, judgment)}
    </span>
  )
}

/** How many failed checks are shown at first. */
const maxShown = 20

/** Lists the checks of a judgment: failed ones first, similar ones in groups, passed ones collapsed. */
function CheckList(props: { readonly checks: readonly Check[]; readonly id: string }): JSX.Element | null {
  const { checks, id } = props
  const { failed, passed } = groupedChecks(checks)
  if (checks.length === 0) return null
  const rest = failed.slice(maxShown)
  return (
    <div class="checks">
      <Groups groups={failed.slice(0, maxShown)} id={id} />
      {rest.length === 0 ? null : (
        <Disclosure id={`${id} rest`} class="more" summary={`${counted(rest.length, 'more failed check')}`}>
          <Groups groups={rest} id={`${id} rest`} />
        </Disclosure>
      )}
      {passed.length === 0 ? null : (
        <Disclosure
          id={`${id} passed`}
          class="more"
          isOpenAtFirst={failed.length === 0 && passed.length === 1}
          summary={passed.length === 1 ? '1 check holds' : `${counted(passed.length, 'check')} hold`}
        >
          <ul>
            {passed.map((check, index) => (
              <CheckLine key={`${index} ${check.name}`} check={check} />
            ))}
          </ul>
        </Disclosure>
      )}
    </div>
  )
}

function Groups({ groups, id }: { readonly groups: readonly CheckGroup[]; readonly id: string }): JSX.Element | null {
  if (groups.length === 0) return null
  return (
    <ul>
      {groups.map(({ checks, message }, index) => {
        const [first] = checks
        return first !== undefined && checks.length === 1 ? (
          <CheckLine key={`${index}`} check={first} />
        ) : (
          <AlikeChecks key={`${index}`} checks={checks} message={message} id={`${id} ${index}`} />
        )
      })}
    </ul>
  )
}

function AlikeChecks({ checks, message, id }: CheckGroup & { readonly id: string }): JSX.Element {
  return (
    <li class="fail">
      <Sign passed={false} />
      <div>
        <PlacedText text={message} />
        <Disclosure id={id} class="more" summary={`${counted(checks.length, 'check')} alike`}>
          <ul>
            {checks.map(({ name, location }, index) => (
              <li key={`${index} ${name}`}>
                {name} {location === undefined ? null : <PlaceLink place={location} />}
              </li>
            ))}
          </ul>
        </Disclosure>
      </div>
    </li>
  )
}

export function CheckLine(props: { readonly check: Check; readonly as?: 'li' | 'p' }): JSX.Element {
  const { name, passed, message, location } = props.check
  const { as: Line = 'li' } = props
  return (
    <Line class={`check ${passed ? 'pass' : 'fail'}`}>
      <Sign passed={passed} />
      <span class="said">
        {name}
        {message.trim() === '' ? null : (
          <span class="quiet">
            : <PlacedText text={message.trim()} />
          </span>
        )}{' '}
        {location === undefined ? null : <PlaceLink place={location} />}
      </span>
    </Line>
  )
}

function Sign({ passed }: { readonly passed: boolean }): JSX.Element {
  return (
    <span class="sign" role="img" aria-label={passed ? 'holds' : 'does not hold'}>
      {passed ? '✓' : '✗'}
    </span>
  )
}
