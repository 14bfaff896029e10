import type { Json } from '@jurist/core'
import type { ConditionDifference } from '@jurist/experiment/compare'
import type { RunResult } from '@jurist/experiment/result'
import { safeLine } from '@jurist/kit/terminal'

const maxLength = 40

/**
 * Why two runs are not compared: every condition that differs, and the flag that allows the comparison.
 *
 * @param ignored conditions that `--ignore-conditions` already names
 */
export function refusedConditions(
  differences: readonly ConditionDifference[],
  baseline: RunResult,
  candidate: RunResult,
  ignored: readonly string[] = [],
): string {
  const open = differences.filter(({ allowed }) => !allowed)
  const width = Math.max(...open.map(({ condition }) => condition.length))
  const lines = open.map((difference) => {
    const { condition } = difference
    return `  ${safeLine(condition).padEnd(width)}  ${saidOf(difference, baseline, candidate)}`
  })
  const names = [...new Set([...ignored, ...open.map(({ condition }) => condition)])].join(',')
  return [
    'The two runs were not measured alike, so their difference would mean nothing.',
    '',
    ...lines,
    '',
    `Compare anyway with --ignore-conditions ${names}, or say that it is meant: --vary <condition>`,
  ].join('\n')
}

function saidOf(
  { condition, baseline: before, candidate: after, reason }: ConditionDifference,
  baseline: RunResult,
  candidate: RunResult,
): string {
  if (reason === 'undeclared') return `declared only by ${before === null ? candidate.id : baseline.id}`
  const both = `${shown(before)} and ${shown(after)}`
  if (condition !== 'jury') return both
  return `${both}; judge the older run again: jurist rejudge ${baseline.id} --jury <name>`
}

/** A value for a message. Long ones, such as fingerprints, are cut. */
function shown(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = safeLine(text)
  return safe.length > maxLength ? `${safe.slice(0, maxLength)}…` : safe
}
