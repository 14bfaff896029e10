import type { JsonObject, Verdict } from '@jurist/core'
import { evidenceBesidePlace, placeText } from '@jurist/experiment/internal/journal'
import {
  type DecidingJudge,
  decidingJudge,
  failedByError,
  failureEvidence,
  trialPrompt,
  trialText,
} from '@jurist/experiment/internal/results'
import { type ItemResult, outcomeOf } from '@jurist/experiment/result'
import type { ComponentChildren, JSX } from 'preact'
import { useContext, useRef } from 'preact/hooks'
import type { ItemDocument } from '../../src/answers/item.js'
import type { PromptDocument, WhyDocument } from '../../src/files/file-answer.js'
import { CopyButton } from '../copy-button.js'
import { SourceContext, useDocument } from '../documents.js'
import { useKeys } from '../keys.js'
import { Part } from '../parts.js'
import { linkTo, type TrialRoute, trialPath } from '../router.js'
import { commandLine, plainText, whyStopped } from '../text.js'
import { FactList, factText, Thrown } from './evidence-drawer.js'
import { Disclosure, isRaw, PlacedText, PlaceLink, RawSwitch, ReadingContext, toggledIn } from './reading.js'
import { TextsPart } from './texts-part.js'
import { CheckLine, VerdictTree } from './verdict-tree.js'

/** The verdict of a trial with its reasons and evidence, its task and outputs, and its metadata. */
export function VerdictPart(props: {
  readonly document: ItemDocument
  readonly trial: TrialRoute
  readonly query: URLSearchParams
}): JSX.Element {
  const { document, trial, query } = props
  const { item } = document
  // While another trial is fetched, the last one is shown, and so are its reasons.
  const shown = { ...trial, itemId: item.itemId, repetition: item.repetition }
  const reading = {
    trial: item.workspacePath === null ? null : trial,
    isRaw: isRaw(query),
    toggled: toggledIn(query),
  }
  return (
    <ReadingContext.Provider value={reading}>
      <Findings findings={document.findings} trial={trial} />
      <section aria-label="Verdict">
        <VerdictBanner
          item={item}
          actions={
            <div class="row actions">
              <PromptButton document={document} trial={trial} />
              <RawSwitch query={query} />
            </div>
          }
        />
        <Label item={item} />
        {item.verdict === null ? null : <VerdictTree verdict={item.verdict} />}
      </section>
      {item.passed === true || isTalk(item) ? <Facts item={item} /> : null}
      {item.passed === true ? null : (
        <Why trial={shown} below={isTalk(item) ? null : <Facts item={item} />} key={trialText(item)} />
      )}
    </ReadingContext.Provider>
  )
}

/** A conversation itself shows best why it failed. */
function isTalk({ detail }: ItemResult): boolean {
  return detail?.kind === 'agent' && (detail.invocation.turns ?? []).length > 0
}

function Facts({ item }: { readonly item: ItemResult }): JSX.Element {
  return (
    <>
      <Attempts item={item} />
      <TextsPart item={item} />
      <KnownFacts item={item} />
    </>
  )
}

/** The findings of a scan, each with a link to its step, its line or the answer. */
function Findings(props: {
  readonly findings: ItemDocument['findings']
  readonly trial: TrialRoute
}): JSX.Element | null {
  const { findings, trial } = props
  const list = useRef<HTMLUListElement>(null)
  const next = () => {
    const lines = [...(list.current?.querySelectorAll('li') ?? [])]
    lines[(lines.findIndex((line) => line.contains(window.document.activeElement)) + 1) % lines.length]?.focus()
  }
  // The page changes nothing: a person settles a finding with the command that this copies.
  const settle = () => {
    const focused = document.activeElement
    const line = list.current?.contains(focused) ? focused?.closest('li') : list.current?.querySelector('li')
    line?.querySelector<HTMLElement>('button.copy')?.click()
  }
  useKeys(
    findings.length === 0
      ? {}
      : {
          S: { does: 'Next finding', act: next },
          o: { does: 'Copy the command that settles a finding', act: settle },
        },
  )
  if (findings.length === 0) return null
  return (
    <Part title="Findings of the scan">
      <ul class="plain" ref={list}>
        {findings.map((finding, index) => (
          <li key={`${index + 1}`} tabIndex={-1}>
            <strong>{finding.level}</strong> {finding.rule} <FindingPlace finding={finding} trial={trial} />{' '}
            <span class="code">{plainText(evidenceBesidePlace(finding))}</span>
            {finding.remark === undefined ? null : <span class="quiet"> ({plainText(finding.remark)})</span>}
            {finding.settled ? <span class="quiet"> (settled as fine)</span> : null}{' '}
            <CopyButton text={settling(trial, finding)} label="Copy the command that settles this finding">
              Copy
            </CopyButton>
          </li>
        ))}
      </ul>
    </Part>
  )
}

/** The command with which a person settles a finding, or takes that back. */
function settling(
  { run, itemId, repetition }: TrialRoute,
  { rule, settled }: ItemDocument['findings'][number],
): string {
  const name = trialText({ itemId, repetition: Number(repetition) })
  const words = ['--settle', name, '--rule', rule, '--as', settled ? 'suspect' : 'fine']
  return commandLine('scan', run, ...words, '--reason', 'why')
}

function FindingPlace(props: { readonly finding: ItemDocument['findings'][number]; readonly trial: TrialRoute }) {
  const { finding, trial } = props
  const { place } = finding
  if ('path' in place) return <PlaceLink place={place} />
  if (!('step' in place)) return <span class="quiet">answer</span>
  return <a href={linkTo(trialPath(trial, 'journal'), { step: String(place.step) })}>{placeText(finding)}</a>
}

/**
 * Why a trial did not pass, and what to do about it. A report of one file does not know it. What is below waits for it, so that
 * nothing moves.
 */
function Why(props: { readonly trial: TrialRoute; readonly below: JSX.Element | null }): JSX.Element | null {
  const { trial, below } = props
  const loading = useDocument<WhyDocument>(trialPath(trial, 'why'))
  if (loading.state === 'loading') return null
  const findings = loading.state === 'loaded' ? loading.document.findings : []
  return (
    <>
      {findings.length === 0 ? null : (
        <Part title="Why">
          <ul class="plain">
            {findings.map(({ category, message, remedy }) => (
              <li key={message}>
                <strong>{category}</strong> {plainText(message)}
                {remedy === null ? null : <p class="quiet">{remedy}</p>}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {below}
    </>
  )
}

function Label({ item: { detail } }: { readonly item: ItemResult }): JSX.Element | null {
  if (detail?.kind !== 'judge') return null
  return (
    <p class="note">
      Expected <strong>{detail.expectedLabel ?? 'nothing'}</strong>: {plainText(detail.scorer.reasoning)}
    </p>
  )
}

function Attempts({ item: { attempts } }: { readonly item: ItemResult }): JSX.Element | null {
  if (attempts.length === 0) return null
  return (
    <Part title="Earlier attempts">
      <ol class="attempts">
        {attempts.map(({ failure }, index) => (
          <li key={`${index + 1}`}>
            <span class="quiet">{index + 1}</span> <PlacedText text={failure.message} />
          </li>
        ))}
      </ol>
    </Part>
  )
}

function KnownFacts({ item: { metadata: all, detail } }: { readonly item: ItemResult }): JSX.Element | null {
  // The sources are beside the task.
  const { referenceData, ...metadata } = all
  const ofAgent = (detail?.kind === 'agent' ? (detail.invocation.metadata ?? {}) : {}) as JsonObject
  const facts = [
    ['Facts of the item', metadata],
    ['Facts of the agent', ofAgent],
  ] as const
  if (facts.every(([, values]) => Object.keys(values).length === 0)) return null
  return (
    <div class="facts">
      {facts.map(([title, values]) =>
        Object.keys(values).length === 0 ? null : (
          <Disclosure key={title} id={title} class="fold" summary={title}>
            <FactList facts={Object.entries(values).map(([name, value]) => [name, factText(value)] as const)} />
          </Disclosure>
        ),
      )}
    </div>
  )
}

/** Copies a trial as one prompt for a coding agent. In a report of one file, the prompt is made without the changes. */
function PromptButton(props: { readonly document: ItemDocument; readonly trial: TrialRoute }): JSX.Element {
  const { item, experimentName, variant } = props.document
  const { trial } = props
  const source = useContext(SourceContext)
  const prompt = async () => {
    const found = (await source(trialPath(trial, 'prompt'))) as PromptDocument | undefined
    const run = { id: trial.run, experimentName, variant }
    return (
      found?.text ??
      trialPrompt(item, { run, changes: 'They are not part of this text: it was copied from a report in one file.' })
    )
  }
  return (
    <CopyButton text={prompt} label="Copy task, verdict, evidence and changes as one text for a coding agent">
      Copy as prompt
    </CopyButton>
  )
}

/** Why a trial ended as it did: its failure, or the judge that decided with its first failed check. */
function VerdictBanner(props: { readonly item: ItemResult; readonly actions?: ComponentChildren }): JSX.Element {
  const { item, actions } = props
  const { failure, verdict } = item
  return (
    <div class={`row banner ${outcomeOf(item)}`}>
      <div class="banner-text">
        {failure === null ? null : <FailureLines failure={failure} />}
        {verdict === null ? (
          <p>{failure === null ? 'This trial was not judged.' : 'It was not judged.'}</p>
        ) : (
          <VerdictLines item={item} verdict={verdict} />
        )}
      </div>
      {actions}
    </div>
  )
}

function FailureLines({ failure }: { readonly failure: NonNullable<ItemResult['failure']> }): JSX.Element {
  return (
    <>
      <p>
        <strong>{failureWords[failure.origin]}</strong>
        {failure.infrastructure ? ' by the infrastructure, so the trial is undecided' : ''}
      </p>
      <Thrown error={failureEvidence(failure)} />
    </>
  )
}

const failureWords: Readonly<Record<NonNullable<ItemResult['failure']>['origin'], string>> = {
  setup: 'The workspace could not be set up',
  agent: 'The agent failed',
  jury: 'The jury failed',
  hook: 'A hook failed',
  user: 'The simulated user made a mistake, so the trial is undecided',
}

function VerdictLines({ item, verdict }: { readonly item: ItemResult; readonly verdict: Verdict }): JSX.Element {
  const deciding = decidingJudge(verdict)
  const why = whyStopped(verdict)
  if (deciding === null)
    return (
      <p>
        <strong>{verdict.aggregated.status === 'pass' ? 'Passed' : 'Verdict'}</strong>:{' '}
        {why ?? plainText(verdict.aggregated.reasoning)}
      </p>
    )
  return (
    <>
      <p>
        <strong>{deciding.path.slice(1)}</strong> {deedOf(item, deciding)}:{' '}
        <PlacedText text={beginningOf(deciding.judgment.reasoning)} />
      </p>
      {deciding.check === null ? null : <CheckLine check={deciding.check} as="p" />}
      {why === undefined ? null : <p class="quiet small">{why}</p>}
    </>
  )
}

const maxReason = 400

/** The tree below contains the whole string. */
function beginningOf(text: string): string {
  const trimmed = plainText(text).replace(/\s+/g, ' ').trim()
  return trimmed.length > maxReason ? `${trimmed.slice(0, maxReason - 1)}…` : trimmed
}

/** The outcome of the judge in words. An error of a judge is never a failure of the agent. */
function deedOf(item: ItemResult, { judgment }: DecidingJudge): string {
  switch (judgment.status) {
    case 'fail':
      return 'failed'
    case 'abstain':
      return 'abstained'
    case 'error':
      return failedByError(item) ? 'broke, which this jury counts as a fail' : 'broke'
    case 'pass':
      return 'passed'
    default:
      return judgment satisfies never
  }
}
