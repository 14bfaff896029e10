import { isPlainObject, option, printed } from '@jurist/core/internal'
import type { JuristConfig } from './config.js'
import { type Report, reportUnknownKeys } from './problems.js'

const keys = ['store', 'experiments', 'juries', 'agents', 'votes', 'calibrations', 'thresholds', 'reporters', 'envFile']
/** Names that later versions will know. */
const reserved = ['queue']
const thresholdRules = {
  passRate: option.rate,
  passRateOfAll: option.rate,
  scores: option.record,
  maxCostUsd: option.nonNegative,
  minimumDecided: option.integer(0),
  agreement: option.rate,
  kappa: option.rate,
}

/** Whether `value` has the shape of a config; everything that is wrong with it is reported. */
export function isConfig(value: unknown, report: Report): value is JuristConfig {
  if (!isPlainObject(value)) {
    report(
      [],
      `the config is ${printed(value)}, not an object.`,
      'Export it by default: export default defineConfig({…}).',
    )
    return false
  }
  const reported: string[] = []
  const note: Report = (place, problem, remedy) => {
    reported.push(problem)
    report(place, problem, remedy)
  }
  checkKeys(value, note)
  checkRecords(value, note)
  checkThresholds(value.thresholds, note)
  checkRest(value, note)
  return reported.length === 0
}

function checkKeys(value: Readonly<Record<string, unknown>>, report: Report): void {
  for (const key of reserved)
    if (value[key] !== undefined) report([key], 'is not part of this version.', 'Leave it out.')
  reportUnknownKeys(value, [...keys, ...reserved], [], report)
}

function checkRecords(value: Readonly<Record<string, unknown>>, report: Report): void {
  for (const key of ['experiments', 'calibrations', 'juries', 'agents', 'votes']) {
    const record = value[key]
    if (record === undefined) continue
    if (!isPlainObject(record)) {
      report([key], `must be an object of ${key} by name, not ${printed(record)}.`, 'Write name: value pairs.')
      continue
    }
    for (const [name, entry] of Object.entries(record)) checkEntry(key, name, entry, report)
  }
}

function checkEntry(key: string, name: string, entry: unknown, report: Report): void {
  if (/^\d+$/.test(name))
    report(
      [key, name],
      'is a bare whole number, whose order JavaScript does not keep.',
      'Give it a name with a letter.',
    )
  if (key !== 'experiments' && key !== 'calibrations') {
    if (typeof entry !== 'function') report([key, name], `must be a function, not ${printed(entry)}.`, `Give ${key}.`)
    return
  }
  if (typeof entry === 'function') return
  if (!isPlainObject(entry)) {
    report([key, name], `must be an object or a function, not ${printed(entry)}.`, 'Write its options.')
    return
  }
  const given = entry.name
  if (given !== undefined && given !== name)
    report([key, name, 'name'], `is ${printed(given)}, but the key is "${name}".`, 'Leave "name" out.')
}

function checkThresholds(value: unknown, report: Report): void {
  if (value === undefined) return
  if (!isPlainObject(value)) {
    report(['thresholds'], `must be an object, not ${printed(value)}.`, 'Write rates.')
    return
  }
  reportUnknownKeys(value, Object.keys(thresholdRules), ['thresholds'], report)
  for (const [name, rule] of Object.entries(thresholdRules)) {
    const given = value[name]
    if (given !== undefined && !rule.holds(given))
      report(['thresholds', name], `must be ${rule.wants}, not ${printed(given)}.`, 'A rate of 80 % is 0.8.')
  }
  const scores = isPlainObject(value.scores) ? value.scores : {}
  for (const [key, given] of Object.entries(scores))
    if (!option.rate.holds(given))
      report(['thresholds', 'scores', key], `must be ${option.rate.wants}, not ${printed(given)}.`, 'Write a rate.')
}

function checkRest({ store, reporters, envFile }: Readonly<Record<string, unknown>>, report: Report): void {
  const isStore = typeof store === 'function' || (typeof store === 'object' && store !== null && 'open' in store)
  if (store !== undefined && !isStore && (typeof store !== 'string' || store === ''))
    report(['store'], `must be a directory or a store, not ${printed(store)}.`, 'Write store: "results".')
  const listeners = Array.isArray(reporters) && reporters.every((reporter) => typeof reporter === 'function')
  if (reporters !== undefined && !listeners)
    report(['reporters'], 'must be a list of functions.', 'Write reporters: [(event) => { … }].')
  if (envFile !== undefined && !isEnvFile(envFile))
    report(
      ['envFile'],
      `must be a path, or an object with path and required, not ${printed(envFile)}.`,
      'Write envFile: ".env".',
    )
}

function isEnvFile(value: unknown): boolean {
  if (!isPlainObject(value)) return typeof value === 'string' && value !== ''
  const { path, required = false, ...rest } = value
  return typeof path === 'string' && path !== '' && typeof required === 'boolean' && Object.keys(rest).length === 0
}
