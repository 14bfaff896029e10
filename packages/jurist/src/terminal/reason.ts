import { flatten } from '@jurist/core'
import type { ItemResult } from '@jurist/experiment/result'
import { safeLine } from './safe-text.js'

/** Why a trial did not pass, on one line: its failure, or the first judge that did not pass. `''` for a pass. */
export function reasonOf(item: ItemResult): string {
  if (item.passed === true) return ''
  if (item.failure !== null) return safeLine(item.failure.message)
  if (item.verdict === null) return item.judged === 'not-judged' ? 'not judged' : ''
  const judges = flatten(item.verdict).filter(({ kind, judgment }) => kind === 'judge' && judgment.status !== 'pass')
  const wanted = item.verdict.aggregated.status
  const decisive = judges.find(({ judgment }) => judgment.status === wanted) ?? judges[0]
  if (decisive === undefined) return safeLine(item.verdict.aggregated.reasoning)
  const { reasoning, checks } = decisive.judgment
  const said = `${decisive.path.slice(1)}: ${reasoning}`
  // Some checks only say in full what the reasoning begins with.
  const evidence = checks.find(({ passed, message }) => !passed && (message === '' || !reasoning.startsWith(message)))
  if (evidence === undefined || reasoning.includes(evidence.name)) return safeLine(said)
  return safeLine(`${said} (${evidence.name}${evidence.message === '' ? '' : `: ${evidence.message}`})`)
}
