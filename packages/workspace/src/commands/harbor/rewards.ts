import { JuristError } from '@jurist/core'
import { failureOf, isPlainObject, printed } from '@jurist/core/internal'
import { locate } from '../../containment.js'
import { readFileBytes, strictText } from '../../file-content.js'

/** Rewards by their names. */
export type Rewards = ReadonlyMap<string, number>

const maxBytes = 64 * 1024
const mostRewards = 100
const longestName = 100

/** The files of rewards below `/logs`; the first that is there counts. */
const files = ['verifier/reward.json', 'verifier/reward.txt'] as const

/**
 * The rewards that a verifier left below the directory of `/logs`. Nothing outside of it is read, wherever links lead.
 *
 * @throws `reward-missing` without a file, `reward-invalid` for a file that holds no rewards
 */
export function readRewards(logs: string): Rewards {
  const path = files.find((file) => isThere(logs, file))
  if (path === undefined)
    throw new JuristError(
      'reward-missing',
      'tests/test.sh wrote neither /logs/verifier/reward.json nor /logs/verifier/reward.txt. Its output says why.',
      { path: '/logs/verifier' },
    )
  const text = textOf(logs, path)
  const rewards = path.endsWith('.json') ? fromJson(text, path) : new Map([['reward', numberOf(text.trim(), path)]])
  if (rewards.size === 0) throw invalid(path, 'it holds no reward')
  return rewards
}

function isThere(logs: string, path: string): boolean {
  try {
    return locate(logs, path).exists
  } catch (thrown) {
    throw invalid(path, failureOf(thrown).message)
  }
}

function textOf(logs: string, path: string): string {
  try {
    return strictText(readFileBytes(logs, path, maxBytes), path)
  } catch (thrown) {
    throw invalid(path, failureOf(thrown).message)
  }
}

function fromJson(text: string, path: string): Rewards {
  const value = parsed(text, path)
  if (typeof value === 'number') return new Map([['reward', finite(value, path)]])
  if (!isPlainObject(value)) throw invalid(path, `it must hold an object of numbers (got ${printed(value)})`)
  const entries = Object.entries(value)
  if (entries.length > mostRewards)
    throw invalid(path, `it holds ${entries.length} rewards; ${mostRewards} are allowed`)
  return new Map(entries.map(([name, reward]) => [checkedName(name, path), finite(reward, path)]))
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw invalid(path, failureOf(thrown).message)
  }
}

function checkedName(name: string, path: string): string {
  if (/^[\x20-\x7e\u00a0-\uffff]{1,100}$/.test(name) && name.trim() !== '' && name.length <= longestName) return name
  throw invalid(path, `${printed(name)} is no name of a reward`)
}

function numberOf(text: string, path: string): number {
  if (text !== '' && Number.isFinite(Number(text))) return Number(text)
  throw invalid(path, `it must hold a number (got ${printed(text)})`)
}

function finite(value: unknown, path: string): number {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw invalid(path, `a reward must be a number (got ${printed(value)})`)
}

function invalid(path: string, reason: string): JuristError<'reward-invalid'> {
  return new JuristError('reward-invalid', `/logs/${path} cannot be used: ${reason.replace(/\.$/, '')}.`, {
    path: `/logs/${path}`,
    reason,
  })
}
