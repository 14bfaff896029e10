import { flatten, type Judgment } from '@jurist/core'
import type { ItemResult } from '../../result/records.js'
import type { DiagnosticInput, DiagnosticRule } from '../diagnosis.js'
import { rule } from './rule.js'

/** The same criterion fails whatever is tried. */
export const criterionUnclear: DiagnosticRule = rule({
  id: 'criterion-unclear',
  description: 'The same criterion fails in all variants and repetitions.',
  category: 'criteria',
  explain({ path, check, results = [], judgment }) {
    if (judgment.status !== 'fail') return null
    const met = results.flatMap(({ items }) => items.flatMap((item) => isMet(item, path, check) ?? []))
    if (met.length < 2 || met.some(Boolean)) return null
    return `${path.slice(1)}${check === null ? '' : ` (${check})`} failed in all ${met.length} trials.`
  },
  remedy: {
    target: 'jury',
    action: 'investigate',
    summary: 'See whether the criterion can be met and is understood.',
    detail:
      'Calibrate the judge on a few trials that people have labelled; say in the prompt what the criterion asks for.',
    confidence: 'low',
  },
})

/** Whether a trial meets a criterion; `undefined`: it was not looked at. */
function isMet({ verdict }: ItemResult, path: string, check: string | null): boolean | undefined {
  const judgment = verdict === null ? undefined : flatten(verdict).find((row) => row.path === path)?.judgment
  if (judgment === undefined) return undefined
  if (check === null) return passes(judgment)
  return judgment.checks.find(({ name }) => name === check)?.passed ?? passes(judgment)
}

function passes({ status }: Judgment): boolean | undefined {
  return status === 'pass' ? true : status === 'fail' ? false : undefined
}

/** The members of the jury do not agree about the item. Where the same ones fail it each time, they look at different things. */
export const jurySplit: DiagnosticRule = rule({
  id: 'jury-split',
  description: 'Members of the jury disagree on the item in most repetitions, and not always the same ones.',
  category: 'evaluation',
  explain({ item, results = [] }) {
    const trials = results.flatMap(({ items }) =>
      items.filter(({ itemId, verdict }) => itemId === item.itemId && verdict !== null),
    )
    const split = trials.filter(isSplit)
    if (trials.length < 2 || split.length * 2 <= trials.length) return null
    if (new Set(split.map((trial) => failedMembers(trial).join('\n'))).size === 1) return null
    return `The jury is split on ${item.itemId} in ${split.length} of ${trials.length} trials.`
  },
  remedy: {
    target: 'jury',
    action: 'investigate',
    summary: 'See what the members understand differently.',
    detail:
      'Judges that look at different things should each have a criterion of their own; calibrate those that look at the same.',
    confidence: 'low',
  },
})

function isSplit({ verdict }: ItemResult): boolean {
  const statuses = new Set(Object.values(verdict?.individual ?? {}).map(({ status }) => status))
  return statuses.has('pass') && statuses.has('fail')
}

function failedMembers({ verdict }: ItemResult): readonly string[] {
  return Object.entries(verdict?.individual ?? {}).flatMap(([name, { status }]) => (status === 'fail' ? [name] : []))
}

/** The knowledge files that were offered and what was read of them. */
export const knowledgeUnread: DiagnosticRule = rule({
  id: 'knowledge-unread',
  description: 'Knowledge files were offered, and the agent read none of them.',
  category: 'knowledge',
  explain({ run, events = [] }) {
    const offered = run?.knowledge?.files.map(({ path }) => path) ?? []
    const inputs = events.flatMap((event) => (event.type === 'tool-call' ? [JSON.stringify(event.input)] : []))
    if (offered.length === 0 || inputs.length === 0) return null
    if (offered.some((path) => inputs.some((input) => input.includes(JSON.stringify(path).slice(1, -1))))) return null
    return `None of the ${offered.length} knowledge files was read.`
  },
  remedy: {
    target: 'prompt',
    action: 'change',
    summary: 'Point the agent to the knowledge files.',
    detail: 'Name the files and what each is good for in the prompt.',
    confidence: 'high',
  },
})

/** Tools that the plan recommends, and that were never called. */
export const toolUnused: DiagnosticRule = rule({
  id: 'tool-unused',
  description: 'The plan recommends tools that the agent never used.',
  category: 'tooling',
  explain(input) {
    const { events = [] } = input
    const called = new Set(events.flatMap((event) => (event.type === 'tool-call' ? [event.name] : [])))
    const unused = recommendedTools(input).filter((tool) => !called.has(tool))
    return called.size === 0 || unused.length === 0 ? null : `Recommended and never used: ${unused.join(', ')}.`
  },
  remedy: {
    target: 'tools',
    action: 'investigate',
    summary: 'See whether the agent has the tools that its plan counts on.',
    detail: 'A tool that is missing or badly described is not used.',
    confidence: 'medium',
  },
})

function recommendedTools({ item }: DiagnosticInput): readonly string[] {
  return item.detail?.kind === 'agent' ? (item.detail.invocation.plan?.recommendedTools ?? []) : []
}
